#include <gtest/gtest.h>

#include "dragoman/backend/elementwise.h"
#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

using RowKernel = KernelTest;
INSTANTIATE_TEST_SUITE_P(Devices, RowKernel, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

struct RowSelection {
  std::int64_t rows;       // of the matrix
  std::vector<int> taken;  // the rows that take_rows gathers
};

// The cases: one row; rows that are taken several times and others never; no row taken; and a matrix without rows.
const std::vector<RowSelection> selections() {
  std::vector<int> many;
  for (int i = 0; i < 200; ++i) many.push_back(i * i % 41);
  return {{1, {0}}, {5, {4, 4, 0, 4}}, {3, {}}, {0, {}}, {70, many}};
}

RowIndex index_of(const Backend& on, const RowSelection& of) {
  Doubles starts{0}, takers;
  for (int r = 0; r < of.rows; ++r) {
    for (std::size_t i = 0; i < of.taken.size(); ++i) {
      if (of.taken[i] == r) takers.push_back(static_cast<double>(i));
    }
    starts.push_back(static_cast<double>(takers.size()));
  }
  const auto n = static_cast<std::int64_t>(of.taken.size());
  return {.rows = of.rows,
          .distinct = false,  // some selections take a row twice
          .taken = make_array(on, {n}, DType::kInt32, {of.taken.begin(), of.taken.end()}),
          .starts = make_array(on, {of.rows + 1}, DType::kInt32, starts),
          .takers = make_array(on, {n}, DType::kInt32, takers)};
}

TEST_P(RowKernel, TakeRowsGathersTheRowsOfTheIndex) {
  for (const RowSelection& of : selections()) {
    for (const std::int64_t d : {1, 8, 37, 512}) {
      const auto n = static_cast<std::int64_t>(of.taken.size());
      const RowIndex index = index_of(*on, of);
      for (const Array& x : {random({of.rows, d}, 1), random_view({of.rows, d}, 1)}) {
        const Doubles from = values(x);
        Doubles expected;
        for (const int row : of.taken) expected.insert(expected.end(), &from[row * d], &from[row * d] + d);
        expect_in_every_sink({n, d}, expected, [&](Sink y) { on->take_rows(x, index, y); });
      }
    }
  }
}

TEST_P(RowKernel, GradientsOfTakenRowsAreSummedAndOthersAreZero) {
  for (const RowSelection& of : selections()) {
    for (const std::int64_t d : {1, 8, 37, 512}) {
      const auto n = static_cast<std::int64_t>(of.taken.size());
      const RowIndex index = index_of(*on, of);
      for (const Array& dy : {random({n, d}, 2), random_view({n, d}, 2)}) {
        const Doubles from = values(dy);
        Doubles expected(static_cast<std::size_t>(of.rows * d), 0.0);
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t c = 0; c < d; ++c) expected[of.taken[i] * d + c] += from[i * d + c];
        }
        expect_in_every_sink({of.rows, d}, expected, [&](Sink dx) { on->take_rows_backward(dy, index, dx); });
      }
    }
  }
}

TEST_P(RowKernel, GradientsOfTakenRowsHaveTheSameBitsWithAnyThreads) {
  const RowSelection of = selections().back();
  expect_same_bits_with_any_threads(GetParam(), [&](const Backend& backend) {
    const auto n = static_cast<std::int64_t>(of.taken.size());
    const Array dy = make_array(backend, {n, 33}, dtype(), random_values(n * 33, 3)),
                dx = backend.empty({70, 33}, dtype());
    backend.take_rows_backward(dy, index_of(backend, of), Sink::overwrite(dx));
    return values_of(backend, dx);
  });
}

TEST_P(RowKernel, PlaceRowsWritesTheGivenRowsAndNoOthers) {
  for (const std::int64_t width : {5, 8, 64}) {
    const Array x = random({3, width}, 1), y = zeros({6, width});
    on->place_rows(x, integers({4, 0, 5}), y);
    const Doubles from = values(x);
    Doubles expected(static_cast<std::size_t>(6 * width), 0);
    for (const auto& [row, place] : {std::pair{0, 4}, std::pair{1, 0}, std::pair{2, 5}}) {
      std::copy_n(from.begin() + row * width, width, expected.begin() + place * width);
    }
    EXPECT_EQ(values(y), expected);
  }
}

TEST_P(RowKernel, ShapesThatDoNotFitAreRefused) {
  const RowIndex index = index_of(*on, {5, {4, 0}});
  const Array x = zeros({5, 3}), y = zeros({2, 3}), other = zeros({3, 4});
  EXPECT_THROW(on->take_rows(other, index, Sink::overwrite(y)), ShapeError);
  EXPECT_THROW(on->take_rows(x, index, Sink::overwrite(other)), ShapeError);
  EXPECT_THROW(on->take_rows_backward(y, index, Sink::overwrite(other)), ShapeError);
  EXPECT_THROW(on->take_rows_backward(x, index, Sink::overwrite(x)), ShapeError);
  EXPECT_THROW(on->place_rows(x, integers({1, 2}), y), ShapeError);
}

}  // namespace
}  // namespace dragoman
