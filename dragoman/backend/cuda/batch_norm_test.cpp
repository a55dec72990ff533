#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"
#include "dragoman/backend/norm.h"

namespace dragoman::cuda {
namespace {

using CudaBatchNorm = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaBatchNorm, kElements, element_name);

// What varies between calls.
struct NormCall {
  std::int64_t R, d, padding = 0;
  bool given = false;        // whether the moments do not depend on x
  bool exact_sinks = false;  // whether dx is float32 even if the elements are bfloat16
  Sink::Write write = Sink::Write::kOverwrite;
};

// Statistics, forward, backward and the running values. x and dy are ranges of columns.
std::vector<Array> run_norm(const Backend& on, DType dtype, const NormCall& call) {
  const DType precise = accumulation_dtype(dtype);
  const auto matrix = [&](DType type, std::uint64_t seed) {
    return make_array(on, {call.R, call.d + 3}, type, random_values(call.R * (call.d + 3), seed)).columns(3, call.d);
  };
  const auto vector = [&](std::uint64_t seed) {
    return make_array(on, {call.d}, precise, random_values(call.d, seed));
  };
  const Array x = matrix(dtype, 1), dy = matrix(dtype, 2), gamma = vector(3), beta = vector(4);
  Array mean = vector(5), variance = vector(6), y = matrix(dtype, 7);
  on.batch_statistics(x, call.padding, mean, variance);
  on.batch_norm(x, mean, variance, gamma, beta, 1e-2, y);
  const std::int64_t N = call.R + call.padding;
  const Array dx = matrix(call.exact_sinks ? precise : dtype, 8), dgamma = vector(9), dbeta = vector(10);
  on.batch_norm_backward(dy, x, mean, variance, gamma, 1e-2, call.given ? 0 : N, {dx, call.write}, {dgamma, call.write},
                         {dbeta, call.write});
  const Array running_mean = vector(11), running_variance = vector(12);
  on.update_running_statistics(mean, variance, N, 0.1, running_mean, running_variance);
  return {mean, variance, y, dx, dgamma, dbeta, running_mean, running_variance};
}

TEST_P(CudaBatchNorm, AgreesWithTheCpu) {
  // A block has 128 rows and 32 columns.
  for (const std::int64_t d : {1, 31, 32, 33, 300}) {
    for (const std::int64_t R : {5, 7, 128, 129, 1000}) {
      for (const std::int64_t padding : {0, 50}) {
        SCOPED_TRACE(join(R, " rows, ", d, " columns, padding ", padding));
        expect_as_on_cpu(
            [&](const Backend& on, DType dtype) { return run_norm(on, dtype, {.R = R, .d = d, .padding = padding}); },
            2);
      }
    }
  }
}

// 1 to 129 chunks of 128 rows: joined in pairs, with and without a chunk that waits for its neighbour.
TEST_P(CudaBatchNorm, JoinsAnyNumberOfChunks) {
  for (const std::int64_t R : {256, 257, 385, 512, 641, 900, 1025, 4097, 16500}) {
    SCOPED_TRACE(join(R, " rows"));
    expect_as_on_cpu([&](const Backend& on, DType dtype) { return run_norm(on, dtype, {.R = R, .d = 35}); }, 2);
  }
}

TEST_P(CudaBatchNorm, ObeysItsSinks) {
  for (const auto write : {Sink::Write::kNone, Sink::Write::kOverwrite, Sink::Write::kAccumulate}) {
    for (const bool exact : {false, true}) {
      expect_as_on_cpu(
          [&](const Backend& on, DType dtype) {
            return run_norm(on, dtype, {.R = 200, .d = 40, .exact_sinks = exact, .write = write});
          },
          2);
    }
  }
}

TEST_P(CudaBatchNorm, GivenMomentsHaveNoGradient) {
  expect_as_on_cpu(
      [&](const Backend& on, DType dtype) { return run_norm(on, dtype, {.R = 200, .d = 40, .given = true}); }, 2);
}

TEST_P(CudaBatchNorm, HasTheSameBitsEveryTime) {
  const auto once = [&] {
    Doubles all;
    for (const Array& output : run_norm(*gpu, dtype(), {.R = 3000, .d = 70, .padding = 9})) {
      const Doubles next = values_of(*gpu, output);
      all.insert(all.end(), next.begin(), next.end());
    }
    gpu->arena().pop_to(0);
    return all;
  };
  EXPECT_EQ(once(), once());
}

}  // namespace
}  // namespace dragoman::cuda
