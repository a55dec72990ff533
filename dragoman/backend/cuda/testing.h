// What the tests of CUDA kernels share. They make the same call on the CPU in double and on the device in each of its
// element types, and compare the results.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "dragoman/backend/testing.h"

namespace dragoman::cuda {

// A call of kernels: makes its inputs on this backend with this element type, and returns all outputs. Random inputs
// must come from random_values(), whose numbers are exact in every element type.
using KernelCall = std::function<std::vector<Array>(const Backend& on, DType dtype)>;

// Tests that run once per element type. They are skipped on machines without a CUDA device.
class CudaTest : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    gpu = make_backend(kDevice, {.memory = kBytes, .gradient_memory = kBytes});
  }

  DType dtype() const { return GetParam(); }
  bool rounded() const { return dtype() == DType::kBFloat16; }
  // The error that is allowed for an element, relative to the largest element of its array. In float32 it covers sums
  // of some hundred terms; in bfloat16 a result with 8 bits that is computed from rounded numbers.
  double tolerance() const { return rounded() ? 1e-2 : 1e-5; }

  void expect_as_on_cpu(const KernelCall& call, double slack = 1) const {
    const std::vector<Array> expected = call(*cpu, DType::kFloat64), actual = call(*gpu, dtype());
    ASSERT_EQ(expected.size(), actual.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(join("output ", i, " of shape ", expected[i].shape()));
      expect_close(values_of(*gpu, actual[i]), values_of(*cpu, expected[i]), slack * tolerance());
    }
    cpu->arena().pop_to(0);
    gpu->arena().pop_to(0);
  }

  static void expect_close(const Doubles& actual, const Doubles& expected, double limit) {
    ASSERT_EQ(actual.size(), expected.size());
    double largest = 1e-30;
    for (const double value : expected) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (actual[i] == expected[i]) continue;  // infinities too
      ASSERT_NEAR(actual[i], expected[i], limit * largest) << "element " << i;
    }
  }

  static constexpr Device kDevice{Device::Kind::kCuda, 0};
  static constexpr std::size_t kBytes = std::size_t{1} << 30;
  std::unique_ptr<Backend> cpu = make_backend(Device{}, {.threads = 2}), gpu;
};

inline std::string element_name(const ::testing::TestParamInfo<DType>& info) { return join(info.param); }
inline const auto kElements = ::testing::Values(DType::kFloat32, DType::kBFloat16);

}  // namespace dragoman::cuda
