#include "dragoman/backend/no_device.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(NoCudaDevice, WithoutADriverNobodyIsToldToUpdateOne) {
  EXPECT_EQ(no_cuda_device_text({.driver = 0, .needed = 12040}),
            "this machine has no NVIDIA driver, so no GPU can be used: install the driver if there is a GPU, or use "
            "--device cpu.");
}

TEST(NoCudaDevice, AnOldDriverIsToBeUpdated) {
  EXPECT_EQ(
      no_cuda_device_text({.driver = 11040, .needed = 12040}),
      "the NVIDIA driver supports CUDA 11.4, but this program needs CUDA 12.4: update the driver, or use --device "
      "cpu.");
}

TEST(NoCudaDevice, ADriverWithoutAGpuIsFine) {
  EXPECT_EQ(no_cuda_device_text({.driver = 12080, .needed = 12040, .problem = "no device was found"}),
            "this machine has no NVIDIA GPU that can be used (no device was found): use --device cpu.");
}

}  // namespace
}  // namespace dragoman
