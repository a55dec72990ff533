#include "dragoman/backend/cuda/errors.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dragoman/backend/cuda/devices.h"
#include "dragoman/backend/cuda/memory.h"
#include "dragoman/backend/lost_device_testing.h"

namespace dragoman::cuda {
namespace {

TEST(CudaErrors, TellALostDeviceAndALackOfMemoryFromOtherErrors) {
  EXPECT_NO_THROW(check(cudaSuccess, "nothing"));
  for (const cudaError_t lost : {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorMisalignedAddress,
                                 cudaErrorECCUncorrectable, cudaErrorAssert}) {
    EXPECT_THROW(check(lost, "a test"), DeviceLost) << cudaGetErrorString(lost);
  }
  EXPECT_THROW(check(cudaErrorMemoryAllocation, "a test"), DeviceFull);
  for (const cudaError_t other :
       {cudaErrorInvalidValue, cudaErrorLaunchOutOfResources, cudaErrorStreamCaptureInvalidated}) {
    try {
      check(other, "a test");
      ADD_FAILURE() << cudaGetErrorString(other);
    } catch (const DeviceLost& lost) {
      ADD_FAILURE() << lost.what();
    } catch (const DeviceError&) {
    }
  }
}

TEST(CudaErrors, MemoryThatIsNotThereIsASmallerProblem) {
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  const std::size_t total = device(0).memory;
  DeviceReservation memory(0, 2 * total);
  EXPECT_THROW(memory.commit(2 * total), DeviceFull);
  EXPECT_NO_THROW(memory.commit(1));
  EXPECT_EQ(lasting_error(), cudaSuccess);
}

// An error of an earlier call is not blamed on a later one.
TEST(CudaErrors, DoNotOutliveTheirException) {
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  void* memory = nullptr;
  EXPECT_THROW(check(cudaMallocHost(&memory, std::size_t{1} << 60), "a test"), Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CudaErrorsDeathTest, MemoryOfALostDeviceIsNotCalledShort) {
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child starts without a CUDA context
  EXPECT_EXIT(
      {
        const std::size_t too_much = 2 * device(0).memory;  // smaller pieces can be mapped even now
        DeviceReservation memory(0, too_much);
        const bool is_lost = lose_cuda_device() && lasting_error() != cudaSuccess;
        try {
          memory.commit(too_much);
        } catch (const DeviceLost&) {
          std::_Exit(is_lost ? 0 : 2);
        }
        std::_Exit(1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dragoman::cuda
