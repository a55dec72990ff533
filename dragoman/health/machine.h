// Checks of the machine: processor, GPU and memory. Each check is a function of facts, so that a test can make them up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/backend/instructions.h"
#include "dragoman/base/machine.h"
#include "dragoman/health/finding.h"
#include "dragoman/train/plan.h"

namespace dragoman::health {

struct ProcessorState {
  ProcessorFacts facts;
  int online = 1, allowed = 1;  // processors of the machine, and those that this process may run on
  std::optional<double> quota = std::nullopt;
  int threads = 1;  // that the commands use
  CpuKernels kernels;
};
// `threads` is what the user asked for; 0 for all.
ProcessorState this_processor(int threads);
Section processor_section(const ProcessorState& state);

struct CudaState {
  std::string toolkit = {};              // that this build was made with; empty for a build without CUDA
  std::string driver = {};               // the newest CUDA version that it supports; empty if unknown
  bool has_driver = false;               // the system has loaded NVIDIA's driver
  std::vector<CudaDevice> devices = {};  // that this build sees
  std::size_t free = 0;                  // bytes of device 0
  std::string problem = {};              // why device 0 cannot be used; empty if it can
};
CudaState this_cuda();
// `asked`: whether the user wants to compute on a GPU.
Section cuda_section(const CudaState& state, Asked asked);

struct MemoryState {
  SystemMemory system;
  std::optional<ContainerMemory> container = std::nullopt;
  std::optional<std::size_t> addresses = std::nullopt;  // the limit of `ulimit -v`
};
MemoryState this_memory();
Section memory_section(const MemoryState& state);

// What a training run needs, in bytes, and what it may use.
struct TrainingNeed {
  std::string name;  // of the preset
  bool on_gpu = false;
  std::int64_t batch_tokens = 0;
  std::int64_t whole = 0;  // with whole batches
  std::int64_t least = 0;  // with the smallest micro-batches
  std::int64_t allowed = 0;
};
// Throws a DeviceError if the settings name a device that cannot be used.
TrainingNeed need_of(const std::string& name, const train::TrainingSettings& settings);
// Adds the need to the section of the memory. `asked`: whether the user wants to train.
void add_need(const TrainingNeed& need, Asked asked, Section& memory);

}  // namespace dragoman::health
