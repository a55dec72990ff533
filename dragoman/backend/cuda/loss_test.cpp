#include "dragoman/backend/loss.h"

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaLoss = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaLoss, kElements, element_name);

constexpr LabelSmoothing kRest{.epsilon = 0.1}, kUniform{.epsilon = 0.2, .form = LabelSmoothing::Form::kUniform};

struct LossCase {
  std::int64_t R, V, d, chunk;
  bool bias = false;
  LabelSmoothing smoothing = kRest;
  Sink::Write write = Sink::Write::kOverwrite;  // of all gradients
  bool parameters_rounded = false;              // gradients of parameters in the element type, not in float32
  bool absent = false;                          // every third word is absent; needs a bias
};

// Random numbers divided by 4: the logits are then so small that their rounding stays far below the tolerance.
Doubles small_values(std::int64_t count, std::uint64_t seed) {
  Doubles values = random_values(count, seed);
  for (double& value : values) value /= 4;
  return values;
}

// The middle columns of a wider array.
Array view(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  return make_array(on, {shape.rows(), shape.cols() + 5}, dtype, small_values(shape.rows() * (shape.cols() + 5), seed))
      .columns(2, shape.cols());
}

// Every fifth row has no target.
Array some_targets(const Backend& on, std::int64_t R, std::int64_t V) {
  Doubles targets;
  for (std::int64_t r = 0; r < R; ++r) targets.push_back(static_cast<double>(r % 5 == 1 ? -1 : (r * 7919 + V - 1) % V));
  return make_array(on, {R}, DType::kInt32, targets);
}

KernelCall call_of(const LossCase& one) {
  return [one](const Backend& on, DType dtype) -> std::vector<Array> {
    const auto& [R, V, d, chunk, bias, smoothing, write, parameters_rounded, absent] = one;
    Doubles biases = small_values(V, 3);
    for (std::int64_t v = 1; v < V && absent; v += 3) biases[v] = -1e30;
    const DType parameters = parameters_rounded ? dtype : accumulation_dtype(dtype);
    const Array Y = view(on, {R, d}, dtype, 1), E = make_array(on, {V, d}, dtype, small_values(V * d, 2));
    const Array b = bias ? make_array(on, {V}, dtype, biases) : Array();
    Array losses = make_array(on, {R}, accumulation_dtype(dtype), random_values(R, 4));
    Array nll = make_array(on, {R}, accumulation_dtype(dtype), random_values(R, 5));
    const Array dY = view(on, {R, d}, dtype, 6), dE = view(on, {V, d}, parameters, 7);
    const Array db = make_array(on, {V}, parameters, small_values(V, 8));
    on.smoothed_cross_entropy(Y, E, b, some_targets(on, R, V), smoothing, 0.5, chunk, losses, nll, {dY, write},
                              {dE, write}, bias ? Sink{db, write} : Sink());
    return {losses, nll, dY, dE, db};
  };
}

TEST_P(CudaLoss, AgreesWithTheCpuForSmallVocabularies) {
  for (const std::int64_t V : {2, 7, 8, 11, 100, 1003}) {
    for (const bool bias : {false, true}) {
      expect_as_on_cpu(call_of({.R = 21, .V = V, .d = 9, .chunk = 64, .bias = bias}), 2);
      expect_as_on_cpu(call_of({.R = 21, .V = V, .d = 8, .chunk = 64, .bias = bias, .smoothing = kUniform}), 2);
    }
  }
}

// None of the first three targets of 102 words is absent.
TEST_P(CudaLoss, AgreesWithTheCpuIfWordsAreAbsent) {
  for (const LabelSmoothing& smoothing : {kRest, kUniform}) {
    expect_as_on_cpu(
        call_of({.R = 3, .V = 102, .d = 8, .chunk = 64, .bias = true, .smoothing = smoothing, .absent = true}), 2);
  }
}

TEST_P(CudaLoss, ChunksAddUp) {
  for (const std::int64_t chunk : {16, 48, 64, 1000}) {
    for (const auto write : {Sink::Write::kNone, Sink::Write::kOverwrite, Sink::Write::kAccumulate}) {
      expect_as_on_cpu(call_of({.R = 130, .V = 77, .d = 16, .chunk = chunk, .bias = true, .write = write}), 2);
    }
  }
}

TEST_P(CudaLoss, GradientsOfParametersMayHaveTheElementType) {
  expect_as_on_cpu(call_of({.R = 40, .V = 50, .d = 8, .chunk = 64, .bias = true, .parameters_rounded = true}), 2);
}

// The kernel keeps a row of logits of up to 96 KiB in shared memory and reads a longer one twice.
TEST_P(CudaLoss, AgreesWithTheCpuForLargeVocabularies) {
  for (const std::int64_t V : {24001, 37000, 50001}) {
    for (const bool bias : {false, true}) {
      expect_as_on_cpu(call_of({.R = 12, .V = V, .d = 8, .chunk = 64, .bias = bias}), 2);
    }
  }
}

TEST_P(CudaLoss, AgreesWithTheCpuForManyRows) {
  expect_as_on_cpu(call_of({.R = 3000, .V = 500, .d = 16, .chunk = 1024}), 2);
}

TEST_P(CudaLoss, WithoutRowsTheGradientIsZero) {
  for (const auto write : {Sink::Write::kOverwrite, Sink::Write::kAccumulate}) {
    expect_as_on_cpu(call_of({.R = 0, .V = 12, .d = 4, .chunk = 64, .bias = true, .write = write}));
  }
}

// Validation asks for no gradients. Its logits stay float32, so its losses are as exact as those of float32 weights.
TEST_P(CudaLoss, WithoutGradientsLogitsAreNotRounded) {
  for (const bool bias : {false, true}) {
    const auto losses_of = [&](const Backend& on, DType dtype) {
      constexpr std::int64_t kRows = 21, kWords = 1003, kWidth = 64;
      const Array Y = make_array(on, {kRows, kWidth}, dtype, random_values(kRows * kWidth, 1));
      const Array E = make_array(on, {kWords, kWidth}, dtype, random_values(kWords * kWidth, 2));
      const Array b = bias ? make_array(on, {kWords}, dtype, random_values(kWords, 3)) : Array();
      Array losses = on.empty({kRows}, accumulation_dtype(dtype)), nll = on.empty({kRows}, accumulation_dtype(dtype));
      on.smoothed_cross_entropy(Y, E, b, some_targets(on, kRows, kWords), kRest, 1, 10, losses, nll, {}, {}, {});
      return std::vector<Array>{losses, nll};
    };
    const std::vector<Array> expected = losses_of(*cpu, DType::kFloat64), actual = losses_of(*gpu, dtype());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_close(values_of(*gpu, actual[i]), values_of(*cpu, expected[i]), 1e-5);
    }
  }
}

// A loss that is not finite must not be hidden.
TEST_P(CudaLoss, ANanAffectsOnlyItsOwnRow) {
  Doubles y(4, 1.0);
  y[2] = std::nan("");
  Array losses = gpu->empty({4}, DType::kFloat32), nll = gpu->empty({4}, DType::kFloat32);
  gpu->smoothed_cross_entropy(make_array(*gpu, {4, 1}, dtype(), y), make_array(*gpu, {3, 1}, dtype(), {1, 2, 3}), {},
                              make_array(*gpu, {4}, DType::kInt32, {0, 1, 2, 2}), kRest, 1, 64, losses, nll, {}, {},
                              {});
  const Doubles values = values_of(*gpu, losses);
  for (std::size_t r = 0; r < values.size(); ++r) EXPECT_EQ(std::isnan(values[r]), r == 2) << "row " << r;
}

}  // namespace
}  // namespace dragoman::cuda
