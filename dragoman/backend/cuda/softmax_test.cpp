#include "dragoman/backend/softmax.h"

#include <gtest/gtest.h>

#include <limits>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaSoftmax = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaSoftmax, kElements, element_name);

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};
const std::vector<Shape> kShapes = {{0, 3}, {1, 1}, {1, 33}, {5, 3}, {70, 17}, {3, 513}, {2, 37001}};

// A range of columns of a wider array.
Array view(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  const Shape wide{shape.rows(), shape.cols() + 5};
  return make_array(on, wide, dtype, random_values(wide.count(), seed)).columns(2, shape.cols());
}

TEST_P(CudaSoftmax, ForwardAndBackwardAgreeWithTheCpu) {
  for (const Shape& shape : kShapes) {
    for (const auto write : kWrites) {
      expect_as_on_cpu([&](const Backend& on, DType dtype) {
        const Array x = view(on, shape, dtype, 1), dy = view(on, shape, dtype, 2);
        Array y = view(on, shape, dtype, 3), log_y = view(on, shape, dtype, 4);
        const Array dx = view(on, shape, dtype, 5), log_dx = view(on, shape, dtype, 6);
        on.softmax(x, y);
        on.log_softmax(x, log_y);
        on.softmax_backward(dy, y, {dx, write});
        on.log_softmax_backward(dy, log_y, {log_dx, write});
        return std::vector<Array>{y, log_y, dx, log_dx};
      });
    }
  }
}

TEST_P(CudaSoftmax, RowsOfMinusInfinityGiveZerosAndTheResultMayOverwriteItsInput) {
  expect_as_on_cpu([&](const Backend& on, DType dtype) {
    Array y = make_array(
        on, {3, 3}, dtype,
        {1, kMinusInfinity, 30000, kMinusInfinity, kMinusInfinity, kMinusInfinity, kMinusInfinity, 2, kMinusInfinity});
    Array log_y = on.empty_like(y);
    on.log_softmax(y, log_y);
    on.softmax(y, y);
    return std::vector<Array>{y, log_y};
  });
}

TEST_P(CudaSoftmax, MasksHideWhatTheCpuHides) {
  for (const Shape& shape : {Shape{0, 3}, {1, 1}, {6, 2}, {40, 40}, {3, 700}}) {
    for (const auto kind : {Mask::Kind::kAll, Mask::Kind::kCausal}) {
      for (const std::int64_t r : {0, 1, 2, 5}) {
        for (const auto write : kWrites) {
          expect_as_on_cpu([&](const Backend& on, DType dtype) {
            Array y = view(on, shape, dtype, 2);
            const Array dx = view(on, shape, dtype, 3);
            on.masked(view(on, shape, dtype, 1), {kind, r}, y);
            on.masked_backward(view(on, shape, dtype, 4), {kind, r}, {dx, write});
            return std::vector<Array>{y, dx};
          });
        }
      }
    }
  }
}

TEST_P(CudaSoftmax, SmoothedLossAgreesWithTheCpu) {
  for (const auto form : {LabelSmoothing::Form::kRest, LabelSmoothing::Form::kUniform}) {
    for (const double epsilon : {0.0, 0.1}) {
      for (const auto write : kWrites) {
        expect_as_on_cpu([&](const Backend& on, DType dtype) {
          const Shape shape{4, 1001};
          const Array targets = make_array(on, {4}, DType::kInt32, {3, -1, 1000, 0});
          Array log_p = view(on, shape, dtype, 1), losses = on.empty({4}, accumulation_dtype(dtype)),
                losses_in_dtype = on.empty({4}, dtype);
          on.log_softmax(view(on, shape, dtype, 2), log_p);
          const Array dlog_p = view(on, shape, dtype, 3);
          on.smoothed_nll(log_p, targets, {epsilon, form}, losses);
          on.smoothed_nll(log_p, targets, {epsilon, form}, losses_in_dtype);
          on.smoothed_nll_backward(2, targets, {epsilon, form}, {dlog_p, write});
          return std::vector<Array>{losses, losses_in_dtype, dlog_p};
        });
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::cuda
