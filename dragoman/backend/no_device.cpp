#include "dragoman/backend/no_device.h"

#include "dragoman/base/error.h"

namespace dragoman {

std::string no_cuda_device_text(const CudaMachine& machine) {
  if (machine.driver == 0) {
    return "this machine has no NVIDIA driver, so no GPU can be used: install the driver if there is a GPU, or use "
           "--device cpu.";
  }
  if (machine.problem.empty()) {
    return join("the NVIDIA driver supports CUDA ", cuda_version_text(machine.driver), ", but this program needs CUDA ",
                cuda_version_text(machine.needed), ": update the driver, or use --device cpu.");
  }
  return join("this machine has no NVIDIA GPU that can be used (", machine.problem, "): use --device cpu.");
}

std::string cuda_version_text(int version) { return join(version / 1000, ".", version % 1000 / 10); }

}  // namespace dragoman
