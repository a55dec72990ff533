// The steps of a recurrent layer in one launch, against single steps on the CPU.
#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

// A layer and a batch: the lengths of the sentences never rise.
struct LayerCase {
  CellKind kind = CellKind::kGru;
  std::int64_t H = 16;
  std::vector<int> lengths = {1};
  int directions = 1;
  bool start = false, b_u = true, b_u_in_float = false;
};

std::vector<int> counts_of(const std::vector<int>& lengths) {
  std::vector<int> counts(static_cast<std::size_t>(lengths.front()));
  for (const int n : lengths) {
    for (int t = 0; t < n; ++t) ++counts[static_cast<std::size_t>(t)];
  }
  return counts;
}

// B sentences of 1 to `longest` tokens.
std::vector<int> falling_lengths(int B, int longest) {
  std::vector<int> lengths;
  for (int j = 0; j < B; ++j) lengths.push_back(longest - (longest - 1) * j / std::max(1, B - 1));
  return lengths;
}

// Random numbers for sentence j are drawn with the seed `seed` + 1000 (first + j), so that a batch can be made of some
// sentences of another.
Doubles rows_of(const std::vector<int>& counts, std::int64_t width, int first, std::uint64_t seed) {
  Doubles values;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    for (int j = 0; j < counts[t]; ++j) {
      const Doubles row = random_values(width, seed + 1000 * static_cast<std::uint64_t>(first + j) + 1000000 * t);
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  return values;
}

// The arrays of one direction. The entries of U are so small that the states forget their past: rounding errors do not
// grow from step to step.
CellRun make_run(const LayerCase& one, const Backend& on, DType dtype, int direction, int first) {
  const std::vector<int> counts = counts_of(one.lengths), starts{counts.front()};
  const std::int64_t width = gate_count(one.kind) * one.H, B = counts.front();
  const bool gru = one.kind == CellKind::kGru, lstm = one.kind == CellKind::kLstm;
  const auto seed = static_cast<std::uint64_t>(10 * direction);
  const double scale = std::exp2(-std::ceil(std::log2(static_cast<double>(one.H)) / 2));
  const Doubles x = rows_of(counts, width, first, seed + 1);
  const std::int64_t R = static_cast<std::int64_t>(x.size()) / width;
  const Doubles U = map(random_values(one.H * width, seed + 2), [&](double value) { return scale * value; });
  const DType sums = accumulation_dtype(dtype);
  const auto start = [&](DType type, std::uint64_t which) {
    return make_array(on, {B, one.H}, type, rows_of(starts, one.H, first, which));
  };
  return {.x = make_array(on, {R, width}, dtype, x),
          .U = make_array(on, {one.H, width}, dtype, U),
          .b_u = gru && one.b_u
                     ? make_array(on, {one.H}, one.b_u_in_float ? sums : dtype, random_values(one.H, seed + 3))
                     : Array(),
          .h_start = one.start ? start(dtype, seed + 4) : Array(),
          .c_start = one.start && lstm ? start(sums, seed + 5) : Array(),
          .h = on.empty({R, one.H}, dtype),
          .c = lstm ? on.empty({R, one.H}, sums) : Array()};
}

// What run_cells() computes, step by step.
void run_steps(CellKind kind, const std::vector<int>& counts, const CellRun& run, const Backend& on) {
  const std::int64_t H = run.h.cols();
  const auto zeros_or = [&](const Array& start) {
    if (start) return start;
    Array zeros = on.empty({counts.front(), H}, run.h.dtype());
    on.fill(zeros, 0.0);
    return zeros;
  };
  Array h = zeros_or(run.h_start), c = run.c ? zeros_or(run.c_start) : Array();
  std::int64_t start = 0;
  for (const int count : counts) {
    const auto of_step = [&](const Array& x) { return x ? x.row_range(start, count) : Array(); };
    h = h.row_range(0, count);
    if (c) c = c.row_range(0, count);
    Array products = on.empty({count, run.x.cols()}, run.x.dtype()), gates;
    Array h_next = of_step(run.h), c_next = of_step(run.c);
    on.linear(h, run.U, {}, {}, products);
    on.cell(kind, {.x = of_step(run.x), .context = {}, .h = products, .b_u = run.b_u}, h, c, gates, c_next, h_next);
    h = h_next;
    c = c_next;
    start += count;
  }
}

// The states of all directions: at once on the GPU, step by step on the CPU. `first` is the number of the first
// sentence for the random numbers.
std::vector<Array> run_layer(const LayerCase& one, const Backend& on, DType dtype, int first = 0) {
  const std::vector<int> counts = counts_of(one.lengths);
  std::vector<CellRun> runs;
  for (int i = 0; i < one.directions; ++i) runs.push_back(make_run(one, on, dtype, i, first));
  if (on.device().kind == Device::Kind::kCuda) {
    const auto steps = static_cast<std::int64_t>(counts.size());
    on.run_cells(one.kind, make_array(on, {steps}, DType::kInt32, {counts.begin(), counts.end()}), runs);
  } else {
    for (const CellRun& run : runs) run_steps(one.kind, counts, run, on);
  }
  std::vector<Array> states;
  for (const CellRun& run : runs) {
    states.push_back(run.h);
    if (run.c) states.push_back(run.c);
  }
  return states;
}

class CudaRecurrentSteps : public CudaTest {
 protected:
  // An error of a state is passed on to the next ones, so several of them add up.
  void expect_steps_of_the_cpu(const LayerCase& one) const {
    SCOPED_TRACE(join(gate_count(one.kind), " gates, H ", one.H, ", ", one.lengths.size(), " sentences of up to ",
                      one.lengths.front(), " tokens, ", one.directions, " directions"));
    expect_as_on_cpu([&](const Backend& on, DType dtype) { return run_layer(one, on, dtype); }, 3);
  }
};
INSTANTIATE_TEST_SUITE_P(Elements, CudaRecurrentSteps, ::testing::Values(DType::kBFloat16), element_name);

constexpr CellKind kKinds[] = {CellKind::kVanilla, CellKind::kGru, CellKind::kLstm};

TEST_P(CudaRecurrentSteps, AgreeWithSingleStepsForAnyWidth) {
  for (const CellKind kind : kKinds) {
    for (const std::int64_t H : {16, 48, 240, 256, 272, 512, 528, 784, 1024}) {
      expect_steps_of_the_cpu({.kind = kind, .H = H, .lengths = falling_lengths(19, 6)});
    }
  }
}

TEST_P(CudaRecurrentSteps, AgreeWithSingleStepsForAnyBatch) {
  for (const CellKind kind : kKinds) {
    for (const int B : {1, 2, 8, 15, 16, 17, 33, 64, 65, 128, 200}) {
      expect_steps_of_the_cpu({.kind = kind, .H = 48, .lengths = falling_lengths(B, 7), .directions = 2});
    }
    // With more columns of depth, a group of tiles is smaller.
    expect_steps_of_the_cpu({.kind = kind, .H = 528, .lengths = falling_lengths(70, 3), .directions = 2});
    expect_steps_of_the_cpu({.kind = kind, .H = 32, .lengths = {1}});
    expect_steps_of_the_cpu({.kind = kind, .H = 32, .lengths = {60, 2}, .directions = 2});
    expect_steps_of_the_cpu({.kind = kind, .H = 512, .lengths = falling_lengths(40, 30), .directions = 2});
  }
}

TEST_P(CudaRecurrentSteps, StartFromGivenStates) {
  for (const CellKind kind : kKinds) {
    for (const int B : {1, 20, 90}) {
      expect_steps_of_the_cpu(
          {.kind = kind, .H = 48, .lengths = falling_lengths(B, 4), .directions = 2, .start = true});
    }
  }
}

TEST_P(CudaRecurrentSteps, TakeABiasOfAnyTypeOrNone) {
  const std::vector<int> lengths = falling_lengths(20, 4);
  expect_steps_of_the_cpu({.lengths = lengths, .b_u = false});
  expect_steps_of_the_cpu({.lengths = lengths, .b_u_in_float = true});
}

TEST_P(CudaRecurrentSteps, ASentenceHasTheSameBitsInEveryBatch) {
  for (const CellKind kind : kKinds) {
    for (const std::int64_t H : {48, 512}) {
      const std::vector<int> lengths = falling_lengths(150, 5);
      const LayerCase all{.kind = kind, .H = H, .lengths = lengths, .directions = 2, .start = true};
      const std::vector<int> counts = counts_of(lengths);
      std::vector<Doubles> states;
      for (const Array& x : run_layer(all, *gpu, dtype())) states.push_back(values_of(*gpu, x));
      for (const int j : {0, 7, 15, 63, 64, 100, 149}) {
        LayerCase alone = all;
        alone.lengths = {lengths[static_cast<std::size_t>(j)]};
        const std::vector<Array> own = run_layer(alone, *gpu, dtype(), j);
        for (std::size_t i = 0; i < own.size(); ++i) {
          Doubles expected;
          std::int64_t row = j;
          for (int t = 0; t < alone.lengths.front(); row += counts[static_cast<std::size_t>(t++)]) {
            expected.insert(expected.end(), states[i].begin() + row * H, states[i].begin() + (row + 1) * H);
          }
          EXPECT_EQ(values_of(*gpu, own[i]), expected) << "sentence " << j << ", output " << i;
        }
        gpu->arena().pop_to(0);
      }
    }
  }
}

TEST_P(CudaRecurrentSteps, RepeatTheSameBits) {
  const LayerCase one{.kind = CellKind::kLstm, .H = 512, .lengths = falling_lengths(64, 40), .directions = 2};
  const Doubles expected = values_of(*gpu, run_layer(one, *gpu, dtype()).front());
  for (int repeat = 0; repeat < 20; ++repeat) {
    gpu->arena().pop_to(0);
    ASSERT_EQ(values_of(*gpu, run_layer(one, *gpu, dtype()).front()), expected);
  }
}

TEST_P(CudaRecurrentSteps, OtherTypesAndWidthsAreComputedStepByStep) {
  for (const CellKind kind : kKinds) {
    EXPECT_TRUE(gpu->can_run_cells(kind, DType::kBFloat16, 16, 2));
    EXPECT_FALSE(gpu->can_run_cells(kind, DType::kFloat32, 16, 2));
    EXPECT_FALSE(gpu->can_run_cells(kind, DType::kBFloat16, 24, 2));
    EXPECT_FALSE(gpu->can_run_cells(kind, DType::kBFloat16, 1040, 1));
    EXPECT_FALSE(gpu->can_run_cells(kind, DType::kBFloat16, 16, 3));
  }
}

}  // namespace
}  // namespace dragoman::cuda
