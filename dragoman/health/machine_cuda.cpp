#include <filesystem>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/health/machine.h"

namespace dragoman::health {
namespace {

constexpr Device kFirst{Device::Kind::kCuda, 0};

// About a build that cannot use a GPU, or a machine that has none.
Finding missing_finding(const CudaState& state, Asked asked) {
  Finding finding{.check = "cuda"};
  if (state.toolkit.empty()) {
    finding.text = "this build has no CUDA: the CPU computes everything";
    finding.advice = "build dragoman where the CUDA 13 toolkit is installed.";
  } else {
    finding.text = join("this build has CUDA ", state.toolkit, ", but it finds no GPU: the CPU computes everything");
    finding.advice = "install NVIDIA's driver if the machine has a GPU, or use --device cpu.";
  }
  if (asked == Asked::kYes || state.has_driver) {
    finding.level = failure(asked);
    finding.text += state.has_driver ? "; the system has loaded NVIDIA's driver" : "";
  } else {
    finding.advice = "";
  }
  return finding;
}

Finding device_finding(const CudaDevice& device, std::size_t index) {
  return {.check = "gpu",
          .text = join("device ", index, ": ", device.name, ", compute capability ", device.major, ".", device.minor,
                       ", ", bytes_text(static_cast<std::int64_t>(device.memory)))};
}

}  // namespace

CudaState this_cuda() {
  CudaState state{.toolkit = cuda_version(),
                  .driver = cuda_driver(),
                  .has_driver = std::filesystem::exists("/proc/driver/nvidia/version"),
                  .devices = {},
                  .problem = {}};
  if (state.toolkit.empty()) return state;
  for (int i = 0; i < cuda_devices(); ++i) state.devices.push_back(cuda_device(i));
  try {
    state.free = available_memory(kFirst);
  } catch (const DeviceError& error) {
    state.problem = error.what();
  }
  return state;
}

Section cuda_section(const CudaState& state, Asked asked) {
  Section section{.name = "cuda", .title = "GPU"};
  section.facts = {{"built_with", state.toolkit.empty() ? Fact::Value() : Fact::Value(state.toolkit)},
                   {"driver_supports", state.driver.empty() ? Fact::Value() : Fact::Value(state.driver)},
                   {"usable", !state.devices.empty() && state.problem.empty()},
                   {"free_bytes", static_cast<std::int64_t>(state.free)}};
  std::vector<std::string> names;
  for (const CudaDevice& device : state.devices) names.push_back(device.name);
  section.facts.push_back({"devices", names});
  if (state.devices.empty()) {
    section.findings.push_back(missing_finding(state, asked));
    return section;
  }
  for (std::size_t i = 0; i < state.devices.size(); ++i) {
    section.findings.push_back(device_finding(state.devices[i], i));
  }
  if (state.problem.empty()) {
    section.findings.push_back(
        {.check = "cuda",
         .text = join("built with CUDA ", state.toolkit, "; the driver supports CUDA ", state.driver, "; ",
                      bytes_text(static_cast<std::int64_t>(state.free)), " of device 0 are free")});
  } else {
    section.findings.push_back({.check = "cuda", .level = failure(asked), .text = state.problem});
  }
  return section;
}

}  // namespace dragoman::health
