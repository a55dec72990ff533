#include "dragoman/backend/convolution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using ConvolutionKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, ConvolutionKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

// Sentences of one token among others, and more rows than a block of work has.
const std::vector<int> kLengths{3, 1, 7, 40, 2, 1};
constexpr Taps kTaps[] = {Taps::centred(3, 1), Taps::causal(3, 1),   Taps::centred(5, 3),
                          Taps::causal(4, 2),  Taps::causal(2, 100), Taps::causal(1, 1)};

// Calls visit(row, tap, row that it reads) for every tap that reads a row.
template <class Visit>
void each_tap(const Taps& taps, const Visit& visit) {
  std::int64_t start = 0;
  for (const int n : kLengths) {
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t j = 0; j < taps.k; ++j) {
        const std::int64_t read = p + j * taps.dilation - taps.left;
        if (read >= 0 && read < n) visit(start + p, j, start + read);
      }
    }
    start += n;
  }
}

TEST_P(ConvolutionKernel, UnfoldedRowsAreTheNeighboursInTheSameSentence) {
  const Segments segments = make_segments(*on, kLengths, 5);
  for (const Taps& taps : kTaps) {
    for (const std::int64_t d : {1, 5, 8, 24}) {
      for (const Array& x : {random({segments.R, d}, 1), random_view({segments.R, d}, 1)}) {
        const Doubles from = values(x);
        Doubles expected(static_cast<std::size_t>(segments.R * taps.k * d), 0.0);
        each_tap(taps, [&](std::int64_t r, std::int64_t j, std::int64_t read) {
          std::copy_n(from.begin() + read * d, d, expected.begin() + (r * taps.k + j) * d);
        });
        Array y = random({segments.R, taps.k * d}, 2);
        on->unfold_rows(x, segments, taps, y);
        EXPECT_EQ(values(y), expected);
      }
    }
  }
}

TEST_P(ConvolutionKernel, GradientsOfUnfoldedRowsAreSummedOverTheTapsThatReadThem) {
  const Segments segments = make_segments(*on, kLengths);
  for (const Taps& taps : kTaps) {
    for (const std::int64_t d : {1, 5, 8}) {
      const Array dy = random({segments.R, taps.k * d}, 3);
      const Doubles from = values(dy);
      Doubles expected(static_cast<std::size_t>(segments.R * d), 0.0);
      each_tap(taps, [&](std::int64_t r, std::int64_t j, std::int64_t read) {
        for (std::int64_t c = 0; c < d; ++c) expected[read * d + c] += from[(r * taps.k + j) * d + c];
      });
      expect_in_every_sink({segments.R, d}, expected,
                           [&](Sink dx) { on->unfold_rows_backward(dy, segments, taps, dx); });
    }
  }
}

TEST_P(ConvolutionKernel, ADepthwiseConvolutionWeighsTheRowsOfTheTapsColumnByColumn) {
  const Segments segments = make_segments(*on, kLengths, 5);
  for (const Taps& taps : kTaps) {
    for (const std::int64_t d : {1, 5, 8, 72}) {
      for (const Array& x : {random({segments.R, d}, 1), random_view({segments.R, d}, 1)}) {
        const Array w = random({taps.k, d}, 2), dy = random({segments.R, d}, 3);
        const Doubles from = values(x), weights = values(w), gradients = values(dy);
        Doubles expected(from.size(), 0.0), dx(from.size(), 0.0), dw(weights.size(), 0.0);
        each_tap(taps, [&](std::int64_t r, std::int64_t j, std::int64_t read) {
          for (std::int64_t c = 0; c < d; ++c) {
            expected[r * d + c] += weights[j * d + c] * from[read * d + c];
            dx[read * d + c] += weights[j * d + c] * gradients[r * d + c];
            dw[j * d + c] += gradients[r * d + c] * from[read * d + c];
          }
        });
        Array y = random({segments.R, d}, 4);
        on->depthwise(x, segments, taps, w, y);
        expect_values(y, expected);
        expect_in_every_sink({segments.R, d}, dx,
                             [&](Sink sink) { on->depthwise_backward(dy, x, segments, taps, w, sink, {}); });
        expect_in_every_sink(
            {taps.k, d}, dw, [&](Sink sink) { on->depthwise_backward(dy, x, segments, taps, w, {}, sink); }, 10);
      }
    }
  }
}

// Two hypotheses with 4 and 1 tokens before the new one, which share the cell of their first token.
TEST_P(ConvolutionKernel, AStepReadsTheCellsOfItsAncestorsAndWritesItsOwn) {
  const Taps taps = Taps::causal(3, 2);
  for (const std::int64_t d : {3, 8}) {
    const Array x = random({2, d}, 1), stored = random({9, d}, 2);
    const Array cells = make_array(*on, {2, 5}, DType::kInt32, {7, 1, 4, 0, 8, 7, 3, 0, 0, 0});
    Array y = random({2, 3 * d}, 3);
    Doubles cell = values(stored);
    const Doubles from = values(x);
    on->unfold_cells(x, cells, integers({4, 1}), taps, stored, y);
    std::copy_n(from.begin(), d, cell.begin() + 8 * d);
    std::copy_n(from.begin() + d, d, cell.begin() + 3 * d);
    EXPECT_EQ(values(stored), cell);
    Doubles expected;
    for (const int row : {7, 4, 8, -1, -1, 3}) {
      for (std::int64_t c = 0; c < d; ++c) expected.push_back(row < 0 ? 0 : cell[row * d + c]);
    }
    EXPECT_EQ(values(y), expected);
  }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST_P(ConvolutionKernel, GatedLinearUnitAndItsGradientFollowTheirFormulas) {
  for (const auto& [rows, c] : {std::pair<int, int>{1, 1}, {3, 7}, {40, 8}, {2, 65}}) {
    for (const Array& x : {random({rows, 2 * c}, 1), random_view({rows, 2 * c}, 1)}) {
      const Array dy = random({rows, c}, 2);
      const Doubles in = values(x), d = values(dy);
      Doubles y, dx(in.size());
      for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < c; ++i) {
          const std::size_t at = static_cast<std::size_t>(2 * r * c + i), gate = at + static_cast<std::size_t>(c);
          const double s = sigmoid(in[gate]), up = d[static_cast<std::size_t>(r * c + i)];
          y.push_back(in[at] * s);
          dx[at] = up * s;
          dx[gate] = up * in[at] * s * (1 - s);
        }
      }
      Array out = on->empty({rows, c}, dtype());
      on->glu(x, out);
      expect_values(out, y);
      expect_in_every_sink({rows, 2 * c}, dx, [&](Sink sink) { on->glu_backward(dy, x, sink); });
    }
  }
}

TEST_P(ConvolutionKernel, SumsAreScaled) {
  const Array a = random_view({5, 9}, 1), b = random({5, 9}, 2);
  Array y = on->empty({5, 9}, dtype());
  on->scaled_sum(a, b, 0.25, y);
  expect_values(y, map(values(a), values(b), [](double v, double w) { return 0.25 * (v + w); }));
}

TEST_P(ConvolutionKernel, RowsAreScaledByTheRootOfTheirSentencesLength) {
  const Segments segments = make_segments(*on, kLengths, 3);
  for (const std::int64_t d : {1, 8, 13}) {
    const Array x = random_view({segments.R, d}, 1);
    Doubles expected = values(x);
    std::size_t i = 0;
    for (const int n : kLengths) {
      for (std::int64_t k = 0; k < n * d; ++k) expected[i++] *= 0.5 * std::sqrt(n);
    }
    expect_in_every_sink({segments.R, d}, expected, [&](Sink y) { on->scale_by_root_length(x, segments, 0.5, y); });
  }
}

TEST_P(ConvolutionKernel, GivesTheSameBitsWithAnyNumberOfThreads) {
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    const Segments segments = make_segments(backend, kLengths);
    const Array dy = make_array(backend, {segments.R, 15}, dtype(), random_values(segments.R * 15, 1));
    const Array dx = backend.empty({segments.R, 5}, dtype());
    backend.unfold_rows_backward(dy, segments, Taps::centred(3, 1), Sink::overwrite(dx));
    return values_of(backend, dx);
  });
}

TEST_P(ConvolutionKernel, ShapesThatDoNotFitAreRefused) {
  const Segments segments = make_segments(*on, {2, 1});
  const Taps taps = Taps::causal(2, 1);
  Array x = zeros({3, 4}), wide = zeros({3, 8}), other = zeros({2, 8}), narrow = zeros({3, 2});
  EXPECT_THROW(on->unfold_rows(x, segments, taps, x), ShapeError);
  EXPECT_THROW(on->unfold_rows(zeros({2, 4}), segments, taps, other), ShapeError);
  EXPECT_THROW(on->unfold_rows(x, segments, Taps{.k = 2, .dilation = 0}, wide), ShapeError);
  EXPECT_THROW(on->unfold_rows_backward(wide, segments, taps, Sink::overwrite(narrow)), ShapeError);
  const Array cells = make_array(*on, {3, 1}, DType::kInt32, {0, 1, 2}), lengths = integers({0, 0, 0});
  EXPECT_THROW(on->unfold_cells(x, cells, lengths, Taps::centred(3, 1), x, wide), ShapeError);
  EXPECT_THROW(on->unfold_cells(x, cells, integers({0}), taps, x, wide), ShapeError);
  EXPECT_THROW(on->glu(wide, narrow), ShapeError);
  EXPECT_THROW(on->glu_backward(x, wide, Sink::overwrite(x)), ShapeError);
  EXPECT_THROW(on->scaled_sum(x, wide, 1, x), ShapeError);
  EXPECT_THROW(on->scale_by_root_length(other, segments, 1, Sink::overwrite(other)), ShapeError);
}

}  // namespace
}  // namespace dragoman
