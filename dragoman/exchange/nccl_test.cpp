#include "dragoman/exchange/nccl.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"
#include "dragoman/exchange/alone.h"

namespace dragoman::exchange {
namespace {

TEST(Nccl, OneCudaDeviceSendsToItself) {
  if (nccl_version().empty()) GTEST_SKIP() << "this build has no NCCL";
  if (cuda_devices() == 0) GTEST_SKIP() << "there is no GPU";
  const std::unique_ptr<Backend> on = make_backend({Device::Kind::kCuda, 0});
  Alone alone;
  const std::unique_ptr<Exchange> gpus = connect_gpus(alone, *on);
  const Array sent = make_array(*on, {3}, DType::kFloat32, {1, 2, 3});
  Array received = on->empty({3}, DType::kFloat32);
  gpus->trade(*on, 0, sent, received);
  EXPECT_EQ(values_of(*on, received), (Doubles{1, 2, 3}));
  EXPECT_NO_THROW(gpus->check());
}

TEST(Nccl, IsRefusedByABuildWithoutIt) {
  if (!nccl_version().empty()) GTEST_SKIP() << "this build has NCCL";
  Alone alone;
  EXPECT_THROW(connect_gpus(alone, *make_backend(Device{})), Error);
}

}  // namespace
}  // namespace dragoman::exchange
