#include "dragoman/backend/matmul.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using MatmulKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, MatmulKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

struct Sizes {
  std::int64_t M, N, K;
};
// Sizes around the edges of register tiles, blocks of rows and ranges of k; no k to sum over; no rows or columns.
const std::vector<Sizes> kSizes = {{1, 1, 1}, {3, 5, 7}, {8, 12, 16}, {9, 13, 17},  {33, 49, 50},  {130, 97, 20},
                                   {5, 3, 0}, {0, 4, 3}, {4, 0, 3},   {1, 100, 40}, {16, 16, 515}, {129, 33, 1030}};

Array transposed_if(const Backend& on, const Array& x, bool transposed) {
  if (!transposed) return x;
  Array y = on.empty({x.cols(), x.rows()}, x.dtype());
  on.transpose(x, Sink::overwrite(y));
  return y;
}

Doubles product(const Doubles& A, const Doubles& B, const Sizes& s) {
  Doubles C(static_cast<std::size_t>(s.M * s.N), 0.0);
  for (std::int64_t i = 0; i < s.M; ++i) {
    for (std::int64_t k = 0; k < s.K; ++k) {
      for (std::int64_t j = 0; j < s.N; ++j) C[i * s.N + j] += A[i * s.K + k] * B[k * s.N + j];
    }
  }
  return C;
}

TEST_P(MatmulKernel, MultipliesOperandsTransposedOrNot) {
  for (const Sizes& s : kSizes) {
    const Array A = random({s.M, s.K}, 1), B = random({s.K, s.N}, 2);
    const Doubles expected = product(values(A), values(B), s);
    for (const bool tA : {false, true}) {
      for (const bool tB : {false, true}) {
        const Array a = transposed_if(*on, A, tA), b = transposed_if(*on, B, tB);
        const double slack = 1 + static_cast<double>(s.K) / 50;
        expect_in_every_sink(
            {s.M, s.N}, expected,
            [&](Sink C) {
              on->matmul(a, tA ? Transpose::kYes : Transpose::kNo, b, tB ? Transpose::kYes : Transpose::kNo, C);
            },
            slack);
      }
    }
  }
}

TEST_P(MatmulKernel, ReadsRangesOfColumns) {
  const Sizes s{40, 30, 20};
  const Array A = random_view({s.M, s.K}, 1), B = random_view({s.K, s.N}, 2);
  expect_in_every_sink({s.M, s.N}, product(values(A), values(B), s),
                       [&](Sink C) { on->matmul(A, Transpose::kNo, B, Transpose::kNo, C); });
}

TEST_P(MatmulKernel, ARowHasTheSameBitsInAnyBatch) {
  if (on_cuda()) GTEST_SKIP() << "cuBLASLt chooses its algorithm by the number of rows";
  const std::int64_t M = 140, N = 50, K = 600;
  const Array A = random({M, K}, 1), B = random({K, N}, 2);
  Array all = zeros({M, N});
  on->matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(all));
  for (const auto& [first, count] : std::vector<std::pair<int, int>>{{0, 1}, {7, 1}, {3, 5}, {100, 40}, {139, 1}}) {
    Array some = zeros({count, N});
    on->matmul(A.row_range(first, count), Transpose::kNo, B, Transpose::kNo, Sink::overwrite(some));
    EXPECT_EQ(values(some), values(all.row_range(first, count)));
  }
}

// The second product is long: the CPU packs it in parts, and fewer values of k at a time for one thread than for three.
TEST_P(MatmulKernel, BitsDoNotDependOnThreads) {
  for (const Sizes& s : {Sizes{300, 300, 300}, Sizes{20, 600, 2200}}) {
    for (const auto& [tA, tB] : {std::pair(false, true), std::pair(true, false)}) {
      expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
        const Array A =
            make_array(backend, tA ? Shape{s.K, s.M} : Shape{s.M, s.K}, dtype(), random_values(s.M * s.K, 1));
        const Array B =
            make_array(backend, tB ? Shape{s.N, s.K} : Shape{s.K, s.N}, dtype(), random_values(s.K * s.N, 2));
        Array C = backend.empty({s.M, s.N}, dtype());
        backend.matmul(A, tA ? Transpose::kYes : Transpose::kNo, B, tB ? Transpose::kYes : Transpose::kNo,
                       Sink::overwrite(C));
        return values_of(backend, C);
      });
    }
  }
}

// The CPU packs large operands in parts: some columns at a time, or some values of k.
TEST_P(MatmulKernel, AColumnHasTheSameBitsInAnyMatrix) {
  if (on_cuda()) GTEST_SKIP() << "cuBLASLt chooses its algorithm by the number of columns";
  for (const auto& [N, K] : std::vector<std::pair<std::int64_t, std::int64_t>>{{7100, 300}, {50, 50000}}) {
    const Array A = random({3, K}, 1), B = random({N, K}, 2);
    Array all = zeros({3, N}), few = zeros({3, 10});
    on->matmul(A, Transpose::kNo, B, Transpose::kYes, Sink::overwrite(all));
    for (const std::int64_t first : {std::int64_t{0}, N / 2, N - 10}) {
      on->matmul(A, Transpose::kNo, B.row_range(first, 10), Transpose::kYes, Sink::overwrite(few));
      const Doubles in_all = values(all), alone = values(few);
      for (std::int64_t i = 0; i < 30; ++i) ASSERT_EQ(in_all[i / 10 * N + first + i % 10], alone[i]);
    }
  }
}

TEST_P(MatmulKernel, LinearAddsItsBiasOnceToASumOfManyParts) {
  const Array x = random({3, 50000}, 1), W = random({50000, 50}, 2), b = array({50}, Doubles(50, 5000.0));
  Array product = zeros({3, 50}), y = zeros({3, 50});
  on->matmul(x, Transpose::kNo, W, Transpose::kNo, Sink::overwrite(product));
  on->linear(x, W, b, {.relu = true, .dropout = {}, .segments = {}}, y);
  Doubles expected = values(product);
  for (double& value : expected) value += 5000;
  expect_near(values(y), expected, 1e-2);
}

TEST_P(MatmulKernel, LinearAddsItsBiasThenAppliesReluThenDropout) {
  const Sizes s{37, 29, 11};
  const Segments segments = make_segments(*on, {20, 1, 16});
  const Array x = random({s.M, s.K}, 1), W = random({s.K, s.N}, 2), b = random({s.N}, 3);
  const Doubles xW = product(values(x), values(W), s), bias = values(b);
  for (const bool relu : {false, true}) {
    for (const bool drops : {false, relu}) {
      const Activation activation{
          .relu = relu, .dropout = drops ? Dropout::with(0.3, 5, 6, 7) : Dropout(), .segments = segments};
      Array y = zeros({s.M, s.N});
      on->linear(x, W, b, activation, y);
      Doubles expected = xW;
      for (std::int64_t r = 0; r < s.M; ++r) {
        const int sentence = r < 20 ? 0 : r < 21 ? 1 : 2, position = static_cast<int>(r < 20 ? r : r < 21 ? 0 : r - 21);
        for (std::int64_t j = 0; j < s.N; ++j) {
          double& e = expected[r * s.N + j];
          e += bias[j];
          if (relu) e = std::max(e, 0.0) * dropout_factor(activation.dropout, sentence, position, j);
        }
      }
      expect_values(y, expected);
    }
  }
}

TEST_P(MatmulKernel, LinearBackwardFollowsTheChainRule) {
  const Sizes s{70, 9, 13};
  const Segments segments = make_segments(*on, {70});
  const Array x = random({s.M, s.K}, 1), W = random({s.K, s.N}, 2), b = random({s.N}, 3);
  const Activation activation{.relu = true, .dropout = Dropout::with(0.5, 1, 2, 3), .segments = segments};
  Array y = zeros({s.M, s.N});
  on->linear(x, W, b, activation, y);
  const Doubles dy = values(random({s.M, s.N}, 4)), out = values(y);
  Doubles d_sum = dy;  // becomes the gradient of x W + b
  for (std::size_t i = 0; i < d_sum.size(); ++i) d_sum[i] *= out[i] > 0 ? activation.dropout.scale() : 0;
  const auto run = [&](Sink dx, Sink dW, Sink db) {
    Array given = array({s.M, s.N}, dy);
    on->linear_backward(given, x, W, y, activation, dx, dW, db);
  };
  const Doubles dx = product(d_sum, values(transposed_if(*on, W, true)), {s.M, s.K, s.N});
  const Doubles dW = product(values(transposed_if(*on, x, true)), d_sum, {s.K, s.N, s.M});
  Doubles db(static_cast<std::size_t>(s.N), 0.0);
  for (std::size_t i = 0; i < d_sum.size(); ++i) db[i % db.size()] += d_sum[i];
  expect_in_every_sink({s.M, s.K}, dx, [&](Sink sink) { run(sink, {}, {}); });
  expect_in_every_sink(
      {s.K, s.N}, dW, [&](Sink sink) { run({}, sink, {}); }, 4);
  Array total = zeros({s.N});
  run({}, {}, Sink::overwrite(total));
  expect_values(total, db, 4);
}

TEST_P(MatmulKernel, RefusesOperandsThatDoNotFit) {
  const Array A = random({3, 8}, 1), B = random({9, 4}, 2);
  Array C = zeros({3, 4});
  EXPECT_THROW(on->matmul(A, Transpose::kNo, B, Transpose::kNo, Sink::overwrite(C)), ShapeError);
}

}  // namespace
}  // namespace dragoman
