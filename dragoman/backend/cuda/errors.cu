#include "dragoman/backend/cuda/errors.h"

#include <cstddef>

#include "dragoman/backend/device_errors.h"

namespace dragoman::cuda {

namespace {

// Whether the error leaves the process "in an inconsistent state", in the words of CUDA's documentation.
bool ends_the_process(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorExternalDevice: return true;
    default: return false;
  }
}

// Errors below this code are wrong arguments, a missing device or too little memory. They may come back too, but a new
// process would not help.
constexpr int kFirstOfExecution = 200;

}  // namespace

cudaError_t lasting_error() noexcept {
  cudaGetLastError();
  std::size_t free = 0, total = 0;
  const cudaError_t status = cudaMemGetInfo(&free, &total);
  if (status != cudaSuccess) cudaGetLastError();
  return status;
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const cudaError_t lasting = lasting_error();
  const char* reason = cudaGetErrorString(status);
  const bool is_lost = ends_the_process(status) || (status >= kFirstOfExecution && lasting == status);
  require<DeviceLost>(!is_lost, "CUDA failed at ", what, ": ", reason,
                      "; this process cannot use the GPU any more, but the program can be started again.");
  require<DeviceFull>(status != cudaErrorMemoryAllocation, "CUDA has no memory at ", what,
                      ": use a smaller batch or fewer workers, or end other programs that use the GPU.");
  throw DeviceError(join("CUDA failed at ", what, ": ", reason, "."));
}

}  // namespace dragoman::cuda
