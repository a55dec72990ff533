// Turns the errors of CUDA into exceptions.
#pragma once

#include <cuda_runtime_api.h>

namespace dragoman::cuda {

// Throws unless the status is success: a DeviceLost if every later call of this process would fail too, a DeviceFull if
// memory is short, and otherwise a DeviceError. `what` names the operation: "CUDA failed at <what>: <reason>".
void check(cudaError_t status, const char* what);

// The error with which CUDA answers every call of this process from now on, or cudaSuccess. Also clears an error that
// does not stay, so that a later call is not blamed for it.
cudaError_t lasting_error() noexcept;

}  // namespace dragoman::cuda
