#include "dragoman/backend/optimiser.h"

#include <limits>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaOptimiser = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaOptimiser, kElements, element_name);

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr AdamStep kStep{.rate = 0.1, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-2, .weight_decay = 0.5, .t = 7};

// A block of `count` elements that starts `skipped` elements after an aligned address.
Array block(const Backend& on, std::int64_t count, DType dtype, const Doubles& values, std::int64_t skipped) {
  Doubles padded(static_cast<std::size_t>(skipped), 0.0);
  padded.insert(padded.end(), values.begin(), values.end());
  return make_array(on, {skipped + count}, dtype, padded).columns(skipped, count);
}

Doubles magnitudes(Doubles values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

// theta, m, v and the copy after a step. The copy has the element type `copied`, all others `stored`.
std::vector<Array> stepped(const Backend& on, std::int64_t count, std::int64_t skipped, DType stored, DType copied,
                           const Array& scale) {
  const Array g = block(on, count, stored, random_values(count, 1), skipped);
  Array theta = block(on, count, stored, random_values(count, 2), skipped);
  Array m = block(on, count, stored, random_values(count, 3), skipped);
  Array v = block(on, count, stored, magnitudes(random_values(count, 4)), skipped);
  Array copy = block(on, count, copied, random_values(count, 5), skipped);
  on.adam(g, scale, kStep, theta, m, v, copy);
  return {theta, m, v, copy};
}

TEST_P(CudaOptimiser, AdamAgreesWithTheCpu) {
  for (const std::int64_t count : {0, 1, 5, 2047, 2048, 2049, 40003}) {
    for (const std::int64_t skipped : {0, 1, 4}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        return stepped(on, count, skipped, dtype, dtype, make_array(on, {1}, DType::kFloat64, {0.25}));
      });
    }
  }
}

TEST_P(CudaOptimiser, ParametersInFullPrecisionAreCopiedToTheElementType) {
  for (const std::int64_t count : {7, 5000, 1000003}) {
    expect_as_on_cpu(
        [&](const Backend& on, DType dtype) { return stepped(on, count, 0, accumulation_dtype(dtype), dtype, {}); });
    const std::vector<Array> blocks = stepped(*gpu, count, 0, DType::kFloat32, dtype(), {});
    Doubles theta = values_of(*gpu, blocks[0]);
    for (double& value : theta) value = rounded() ? static_cast<double>(BFloat16(value)) : value;
    EXPECT_EQ(values_of(*gpu, blocks[3]), theta);
    gpu->arena().pop_to(0);
  }
}

TEST_P(CudaOptimiser, ANanScaleChangesNothing) {
  const std::int64_t count = 5001;
  const std::vector<Array> blocks =
      stepped(*gpu, count, 0, DType::kFloat32, dtype(), make_array(*gpu, {1}, DType::kFloat64, {kNaN}));
  EXPECT_EQ(values_of(*gpu, blocks[0]), random_values(count, 2));
  EXPECT_EQ(values_of(*gpu, blocks[1]), random_values(count, 3));
  EXPECT_EQ(values_of(*gpu, blocks[2]), magnitudes(random_values(count, 4)));
  EXPECT_EQ(values_of(*gpu, blocks[3]), random_values(count, 5));
}

// theta, v and the copy after a step of Nesterov's momentum.
std::vector<Array> stepped_by_nesterov(const Backend& on, std::int64_t count, std::int64_t skipped, DType stored,
                                       DType copied, const Array& scale) {
  const Array g = block(on, count, stored, random_values(count, 1), skipped);
  Array theta = block(on, count, stored, random_values(count, 2), skipped);
  Array v = block(on, count, stored, random_values(count, 3), skipped);
  Array copy = block(on, count, copied, random_values(count, 5), skipped);
  on.nesterov(g, scale, {.rate = 0.1, .momentum = 0.9, .rate_ratio = 0.5, .weight_decay = 0.5}, theta, v, copy);
  return {theta, v, copy};
}

TEST_P(CudaOptimiser, NesterovAgreesWithTheCpu) {
  for (const std::int64_t count : {0, 1, 5, 2047, 2048, 2049, 40003}) {
    for (const std::int64_t skipped : {0, 1, 4}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        return stepped_by_nesterov(on, count, skipped, accumulation_dtype(dtype), dtype,
                                   make_array(on, {1}, DType::kFloat64, {0.25}));
      });
    }
  }
  const std::vector<Array> skipped =
      stepped_by_nesterov(*gpu, 5001, 0, DType::kFloat32, dtype(), make_array(*gpu, {1}, DType::kFloat64, {kNaN}));
  EXPECT_EQ(values_of(*gpu, skipped[0]), random_values(5001, 2));
  EXPECT_EQ(values_of(*gpu, skipped[1]), random_values(5001, 3));
}

TEST_P(CudaOptimiser, MovingAverageAgreesWithTheCpu) {
  for (const std::int64_t count : {0, 3, 2048, 40001}) {
    for (const std::int64_t skipped : {0, 3}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
        const Array x = block(on, count, dtype, random_values(count, 1), skipped);
        Array mean = block(on, count, dtype, random_values(count, 2), skipped);
        on.moving_average(x, make_array(on, {1}, DType::kFloat64, {0.5}), 0.75, mean);
        return {mean};
      });
    }
  }
}

TEST_P(CudaOptimiser, ASkippedUpdateDoesNotMoveTheAverage) {
  for (const std::int64_t count : {3, 5001}) {
    const Array x = make_array(*gpu, {count}, DType::kFloat32, random_values(count, 1));
    Array mean = make_array(*gpu, {count}, DType::kFloat32, random_values(count, 2));
    gpu->moving_average(x, make_array(*gpu, {1}, DType::kFloat64, {kNaN}), 0.75, mean);
    EXPECT_EQ(values_of(*gpu, mean), random_values(count, 2));
  }
}

TEST_P(CudaOptimiser, TheScaleClipsLongGradientsAndIsNanForNonFiniteNumbers) {
  const auto scale_of = [&](const Doubles& losses, const Doubles& squares, double clip) {
    const auto count = static_cast<std::int64_t>(losses.size());
    Array scale = make_array(*gpu, {1}, DType::kFloat64, {-7});
    gpu->update_scale(make_array(*gpu, {count}, DType::kFloat64, losses),
                      squares.empty() ? Array() : make_array(*gpu, {1}, DType::kFloat64, squares), clip, scale);
    return values_of(*gpu, scale)[0];
  };
  Doubles many(100, 2.5);
  EXPECT_EQ(scale_of({1, 2}, {}, 0), 1.0);
  EXPECT_EQ(scale_of({1, 2}, {16}, 0), 1.0);
  EXPECT_EQ(scale_of({1, 2}, {16}, 8), 1.0);
  EXPECT_EQ(scale_of(many, {16}, 2), 0.5);
  EXPECT_EQ(scale_of({1}, {0}, 2), 1.0);
  EXPECT_TRUE(std::isnan(scale_of({1, 2}, {kInfinity}, 0)));
  EXPECT_TRUE(std::isnan(scale_of({1, 2}, {kNaN}, 2)));
  EXPECT_TRUE(std::isnan(scale_of({1, kInfinity}, {1}, 2)));
  many[97] = kNaN;
  EXPECT_TRUE(std::isnan(scale_of(many, {}, 0)));
}

}  // namespace
}  // namespace dragoman::cuda
