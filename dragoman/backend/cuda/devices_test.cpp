#include "dragoman/backend/cuda/devices.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "dragoman/backend/testing.h"

namespace dragoman::cuda {
namespace {

TEST(CudaDevices, EachCanBeUsedByThreadsThatDidNotSelectIt) {
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  constexpr std::size_t kBytes = std::size_t{1} << 26;
  for (int index = 0; index < device_count(); ++index) {
    const auto on = make_backend(index, {.memory = kBytes, .gradient_memory = kBytes});
    Doubles product;
    std::thread([&] {
      const Array A = make_array(*on, {1, 2}, DType::kFloat32, {3, 4});
      const Array B = make_array(*on, {2, 1}, DType::kFloat32, {5, 6});
      Array C = make_array(*on, {1, 1}, DType::kFloat32, {0});
      on->fill(C, 1);
      on->matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::accumulate(C));
      product = values_of(*on, C);
    }).join();
    EXPECT_EQ(product, (Doubles{40})) << "device " << index;
  }
}

TEST(CudaDevices, DescribeThemselves) {
  EXPECT_EQ(device(1000).name, "");
  EXPECT_EQ(multiprocessors(1000), 0);
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  EXPECT_NE(driver_version(), "");
  for (int index = 0; index < device_count(); ++index) {
    EXPECT_EQ(device(index).name, device_name(index));
    EXPECT_GT(device(index).major, 0);
    EXPECT_GT(multiprocessors(index), 0);
    const std::string parts = join(", ", multiprocessors(index), " multiprocessors, ");
    EXPECT_NE(arithmetic_of({Device::Kind::kCuda, index}).find(parts), std::string::npos);
    EXPECT_GE(device(index).memory, free_memory(index));
  }
}

// Copies pass through pinned memory in pieces of 4 MiB. The last piece here is a short one, and the parts are used
// again.
TEST(CudaCopies, OfManyPiecesArriveWhole) {
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  constexpr std::size_t kBytes = std::size_t{1} << 26;
  const auto on = make_backend(0, {.memory = kBytes, .gradient_memory = kBytes});
  std::vector<float> numbers((std::size_t{25} << 18) + 7), arrived(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  Array x = on->empty({std::ssize(numbers)}, DType::kFloat32);
  on->copy_in(numbers.data(), x);
  on->copy_out(x, arrived.data());
  EXPECT_TRUE(numbers == arrived);
}

// Copies cannot be recorded: a replay would copy what the host's memory holds when the replay runs.
TEST(CudaRecording, RefusesCopiesAndLeavesTheBackendUsable) {
  if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  constexpr std::size_t kBytes = std::size_t{1} << 26;
  const auto on = make_backend(0, {.memory = kBytes, .gradient_memory = kBytes});
  Array x = make_array(*on, {2}, DType::kFloat32, {1, 2});
  const float numbers[] = {3, 4};
  EXPECT_THROW(on->record_launches([&] { on->copy_in(numbers, x); }), DeviceError);
  EXPECT_THROW(on->record_launches([&] { on->copy_out_later(x); }), DeviceError);
  on->copy_in(numbers, x);
  EXPECT_EQ(values_of(*on, x), (Doubles{3, 4}));
}

}  // namespace
}  // namespace dragoman::cuda
