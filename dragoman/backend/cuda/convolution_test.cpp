#include "dragoman/backend/convolution.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaConvolution = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaConvolution, kElements, element_name);

const std::vector<int> kLengths{3, 1, 70, 2, 5};
constexpr std::int64_t kRows = 81;
constexpr Taps kTaps[] = {Taps::centred(3, 1), Taps::causal(3, 1), Taps::centred(5, 3), Taps::causal(2, 90)};
// Some are read eight columns at a time.
constexpr std::int64_t kWidths[] = {1, 7, 8, 64, 33};
constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};

Array make(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  return make_array(on, shape, dtype, random_values(shape.count(), seed));
}
// The same as a range of columns of a wider array.
Array make_view(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  return make(on, {shape.rows(), shape.cols() + 3}, dtype, seed).columns(1, shape.cols());
}

TEST_P(CudaConvolution, UnfoldedRowsAgreeWithTheCpu) {
  for (const Taps& taps : kTaps) {
    for (const std::int64_t d : kWidths) {
      for (const auto& made : {make, make_view}) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
          Array y = made(on, {kRows, taps.k * d}, dtype, 2);
          on.unfold_rows(made(on, {kRows, d}, dtype, 1), make_segments(on, kLengths, 4), taps, y);
          return {y};
        });
        for (const Sink::Write write : kWrites) {
          expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
            const Array dx = made(on, {kRows, d}, dtype, 3);
            on.unfold_rows_backward(made(on, {kRows, taps.k * d}, dtype, 1), make_segments(on, kLengths), taps,
                                    {dx, write});
            return {dx};
          });
        }
      }
    }
  }
}

TEST_P(CudaConvolution, DepthwiseConvolutionAgreesWithTheCpu) {
  for (const Taps& taps : kTaps) {
    for (const std::int64_t d : kWidths) {
      for (const auto& made : {make, make_view}) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
          Array y = made(on, {kRows, d}, dtype, 2);
          on.depthwise(made(on, {kRows, d}, dtype, 1), make_segments(on, kLengths, 4), taps,
                       made(on, {taps.k, d}, dtype, 3), y);
          return {y};
        });
        for (const Sink::Write write : kWrites) {
          expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
            const Array dx = made(on, {kRows, d}, dtype, 4), dw = made(on, {taps.k, d}, dtype, 5);
            on.depthwise_backward(made(on, {kRows, d}, dtype, 2), made(on, {kRows, d}, dtype, 1),
                                  make_segments(on, kLengths), taps, made(on, {taps.k, d}, dtype, 3), {dx, write},
                                  {dw, write});
            return {dx, dw};
          });
        }
      }
    }
  }
}

TEST_P(CudaConvolution, StepsAgreeWithTheCpu) {
  for (const std::int64_t d : kWidths) {
    for (const auto& made : {make, make_view}) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
        const Array stored = made(on, {9, d}, dtype, 2);
        const Array cells = make_array(on, {2, 5}, DType::kInt32, {7, 1, 4, 0, 8, 7, 3, 0, 0, 0}),
                    lengths = make_array(on, {2}, DType::kInt32, {4, 1});
        Array y = made(on, {2, 3 * d}, dtype, 3);
        on.unfold_cells(made(on, {2, d}, dtype, 1), cells, lengths, Taps::causal(3, 2), stored, y);
        return {stored, y};
      });
    }
  }
}

TEST_P(CudaConvolution, GatedLinearUnitsAgreeWithTheCpu) {
  for (const std::int64_t c : kWidths) {
    for (const auto& made : {make, make_view}) {
      for (const Sink::Write write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
          const Array x = made(on, {37, 2 * c}, dtype, 1), dx = made(on, {37, 2 * c}, dtype, 3);
          Array y = made(on, {37, c}, dtype, 4);
          on.glu(x, y);
          on.glu_backward(made(on, {37, c}, dtype, 2), x, {dx, write});
          return {y, dx};
        });
      }
    }
  }
}

TEST_P(CudaConvolution, ScaledRowsAgreeWithTheCpu) {
  for (const std::int64_t d : kWidths) {
    for (const auto& made : {make, make_view}) {
      for (const Sink::Write write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
          const Array x = made(on, {kRows, d}, dtype, 1), y = made(on, {kRows, d}, dtype, 2);
          Array sum = made(on, {kRows, d}, dtype, 3);
          on.scale_by_root_length(x, make_segments(on, kLengths, 2), 0.5, {y, write});
          on.scaled_sum(x, made(on, {kRows, d}, dtype, 4), 0.7, sum);
          return {y, sum};
        });
      }
    }
  }
}

TEST_P(CudaConvolution, GradientsMayBeFloat32) {
  expect_as_on_cpu([&](const Backend& on, DType dtype) -> std::vector<Array> {
    const DType wide = accumulation_dtype(dtype);
    const Segments segments = make_segments(on, kLengths);
    const Array d_rows = on.empty({kRows, 8}, wide), d_glu = on.empty({kRows, 16}, wide),
                scaled = on.empty({kRows, 8}, wide);
    on.unfold_rows_backward(make(on, {kRows, 24}, dtype, 1), segments, Taps::centred(3, 1), Sink::overwrite(d_rows));
    on.glu_backward(make(on, {kRows, 8}, dtype, 2), make(on, {kRows, 16}, dtype, 3), Sink::overwrite(d_glu));
    on.scale_by_root_length(make(on, {kRows, 8}, dtype, 4), segments, 1, Sink::overwrite(scaled));
    return {d_rows, d_glu, scaled};
  });
}

}  // namespace
}  // namespace dragoman::cuda
