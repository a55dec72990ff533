// Why no CUDA device can be used, in words.
#pragma once

#include <string>

namespace dragoman {

// What the CUDA runtime says about the machine. Versions are as CUDA counts them: 12040 is 12.4.
struct CudaMachine {
  int driver = 0;            // the newest version of CUDA that the driver supports; 0 without a driver
  int needed = 0;            // the version that this program was built with
  std::string problem = {};  // what the runtime reported; empty if it reported that the driver is too old
};

// One sentence that says what is missing and what to do.
std::string no_cuda_device_text(const CudaMachine& machine);

// 12040 -> "12.4".
std::string cuda_version_text(int version);

}  // namespace dragoman
