// What backend/queue.h says, for a backend of a CUDA device that is not dry.
#pragma once

#include <memory>

#include "dragoman/backend/queue.h"

namespace dragoman::cuda {

std::unique_ptr<Mark> mark(const Backend& on);
void start_after(const Backend& on, const Mark& mark);
void* queue_of(const Backend& on);

}  // namespace dragoman::cuda
