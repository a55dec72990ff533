#include "dragoman/backend/depth.h"

#include <gtest/gtest.h>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using CudaDepth = CudaTest;
INSTANTIATE_TEST_SUITE_P(Elements, CudaDepth, kElements, element_name);

constexpr Sink::Write kWrites[] = {Sink::Write::kOverwrite, Sink::Write::kAccumulate};
// The last ones are read eight columns at a time.
constexpr std::int64_t kShapes[][2] = {{1, 1}, {5, 7}, {3, 300}, {33, 8}, {9, 512}};

Array random(const Backend& on, const Shape& shape, DType dtype, std::uint64_t seed) {
  return make_array(on, shape, dtype, random_values(shape.count(), seed));
}
// A statistic of each row, in the type that kernels keep them in.
Array column(const Backend& on, std::int64_t rows, DType dtype, std::uint64_t seed) {
  return random(on, {rows, 1}, accumulation_dtype(dtype), seed);
}

TEST_P(CudaDepth, AddCoordinatesAsOnTheCpu) {
  for (const auto& [R, d] : kShapes) {
    expect_as_on_cpu([R = R, d = d](const Backend& on, DType dtype) -> std::vector<Array> {
      Doubles places;
      for (std::int64_t r = 0; r < R; ++r) places.push_back(static_cast<double>((5 * r + 2) % 11));
      const Array position = make_array(on, {R}, DType::kInt32, places);
      const DType exact = accumulation_dtype(dtype);
      Array y = on.empty({R, d}, dtype);
      on.add_coordinates(random(on, {R, d}, dtype, 1), position, random(on, {11, d}, exact, 2),
                         random(on, {1, d}, exact, 3), 1.5, y);
      return {y};
    });
  }
}

// Some rows have halted before, some halt in this step, and the others go on.
TEST_P(CudaDepth, HaltAsOnTheCpu) {
  for (const bool last : {false, true}) {
    for (const auto& [R, d] : kShapes) {
      expect_as_on_cpu([R = R, d = d, last](const Backend& on, DType dtype) -> std::vector<Array> {
        const DType exact = accumulation_dtype(dtype);
        Doubles left, halted;
        for (std::int64_t r = 0; r < R; ++r) {
          left.push_back(r % 4 == 1 ? 0.0625 : 1);
          halted.push_back(r % 4 == 2 ? 1 : 0);
        }
        const Array rest = make_array(on, {R, 1}, exact, left), w = on.empty({d, 1}, exact);
        on.scaled(random(on, {d, 1}, exact, 2), 0.0625, Sink::overwrite(w));
        Array steps = make_array(on, {R, 1}, exact, halted), p = on.empty_like(rest), weight = on.empty_like(rest),
              after = on.empty_like(rest), running = on.empty_like(rest);
        on.halt(random(on, {R, d}, dtype, 1), w, make_array(on, {1}, exact, {0.25}), {.t = 2, .last = last}, rest,
                steps, p, weight, after, running);
        return {steps, p, weight, after, running};
      });
    }
  }
}

TEST_P(CudaDepth, HaltBackwardAsOnTheCpu) {
  for (const Sink::Write write : kWrites) {
    for (const bool both : {false, true}) {
      for (const auto& [R, d] : kShapes) {
        expect_as_on_cpu([R = R, d = d, write, both](const Backend& on, DType dtype) -> std::vector<Array> {
          const DType exact = accumulation_dtype(dtype);
          Doubles chances, halted;
          for (std::int64_t r = 0; r < R; ++r) {
            chances.push_back(0.25 + static_cast<double>(r % 3) / 8);
            halted.push_back(static_cast<double>(1 + r % 3));
          }
          const Array p = make_array(on, {R, 1}, exact, chances), steps = make_array(on, {R, 1}, exact, halted);
          const Array dx = random(on, {R, d}, dtype, 4), drest = column(on, R, dtype, 5);
          Array dlogit = on.empty_like(p);
          on.halt_backward(column(on, R, dtype, 1), both ? column(on, R, dtype, 2) : Array(),
                           random(on, {d, 1}, exact, 3), p, steps, 2, {dx, write}, {drest, write}, dlogit);
          return {dx, drest, dlogit};
        });
      }
    }
  }
}

TEST_P(CudaDepth, BlendRowsAsOnTheCpu) {
  for (const OldRows old : {OldRows::kKeep, OldRows::kFade}) {
    for (const bool first : {false, true}) {
      for (const auto& [R, d] : kShapes) {
        expect_as_on_cpu([R = R, d = d, old, first](const Backend& on, DType dtype) -> std::vector<Array> {
          Array w = column(on, R, dtype, 3), y = on.empty({R, d}, dtype),
                exact = on.empty({R, d}, accumulation_dtype(dtype));
          Array zero = w.row_range(R - 1, 1);
          on.fill(zero, 0.0);
          const Array a = first ? Array() : random(on, {R, d}, dtype, 1), x = random(on, {R, d}, dtype, 2);
          on.blend_rows(a, x, w, old, y);
          on.blend_rows(a, x, w, old, exact);
          return {y, exact};
        });
      }
    }
  }
}

TEST_P(CudaDepth, BlendRowsBackwardAsOnTheCpu) {
  for (const Sink::Write write : kWrites) {
    for (const OldRows old : {OldRows::kKeep, OldRows::kFade}) {
      for (const auto& [R, d] : kShapes) {
        expect_as_on_cpu([R = R, d = d, old, write](const Backend& on, DType dtype) -> std::vector<Array> {
          const Array da = random(on, {R, d}, dtype, 5), dx = random(on, {R, d}, dtype, 6),
                      dw = column(on, R, dtype, 7);
          on.blend_rows_backward(random(on, {R, d}, dtype, 1), random(on, {R, d}, dtype, 2),
                                 random(on, {R, d}, dtype, 3), column(on, R, dtype, 4), old, {da, write}, {dx, write},
                                 {dw, write});
          return {da, dx, dw};
        });
      }
    }
  }
}

}  // namespace
}  // namespace dragoman::cuda
