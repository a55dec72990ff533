// The exchange between GPUs through NCCL, for ranks that have a GPU each.
#pragma once

#include <memory>
#include <string>

#include "dragoman/exchange/exchange.h"

namespace dragoman::exchange {

// The version of NCCL that this build was made with, such as "2.28.9"; empty if this build cannot use it.
std::string nccl_version();

// Throws an Error if this build cannot use NCCL, or its library cannot be loaded.
void require_nccl();

// An exchange whose arrays are in the memory of GPUs and travel from one to the other without the host. Its trade()
// only launches the work, on the queue of the backend; arrays must stay as they are until the device has done it. Every
// rank calls this, with the backend of its GPU. `ranks` connects the same ranks, does all else, and must outlive the
// result. Throws an Error if NCCL cannot be loaded or refuses, as it does if ranks share a GPU.
std::unique_ptr<Exchange> connect_gpus(Exchange& ranks, const Backend& on);

}  // namespace dragoman::exchange
