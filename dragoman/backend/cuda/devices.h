// The interface of the CUDA backend to the rest of the program.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "dragoman/backend/backend.h"

namespace dragoman::cuda {

std::string toolkit_version();       // empty in a build without CUDA
std::string driver_version();        // the newest CUDA version that the driver supports; empty without a driver
std::string library_version();       // of cuBLASLt, which this loads; throws DeviceError if it cannot
int device_count();                  // 0 without a driver
CudaDevice device(int index);        // empty if there is no such device
std::string device_name(int index);  // empty if there is no such device
int multiprocessors(int index);      // 0 if there is no such device
std::size_t free_memory(int index);  // bytes; throws DeviceError if there is no such device
std::unique_ptr<Backend> make_backend(int index, const BackendOptions& options);

}  // namespace dragoman::cuda
