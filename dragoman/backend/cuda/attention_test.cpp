#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "dragoman/backend/cuda/testing.h"

namespace dragoman::cuda {
namespace {

using Lengths = std::vector<int>;

constexpr Mask kAll{}, kCausal{.kind = Mask::Kind::kCausal};
constexpr Mask kWindow{.kind = Mask::Kind::kAll, .r = 9}, kCausalWindow{.kind = Mask::Kind::kCausal, .r = 7};
const Dropout kDropout = Dropout::with(0.3, 1, 1, 0);  // P_drop, seed, update, site

struct AttentionCase {
  Lengths queries = {}, keys = {};
  std::int64_t h = 2, d_k = 64, d_v = 64;
  Mask mask = kAll;
  Dropout dropout = {};
  std::int64_t margin = 8;  // all matrices are views; this many columns lie on either side of a view
  Sink::Write dQ = Sink::Write::kOverwrite, dK = Sink::Write::kOverwrite, dV = Sink::Write::kOverwrite;
  bool weights = false;
  // If one tensor is used as K and V, or as Q, K and V, the sinks share one gradient array: only the first of them may
  // overwrite it, and the others add to it.
  bool keys_are_values = false, queries_are_keys = false;
};

// A matrix that consists of the middle columns of a wider one.
struct View {
  Array all, columns;
  View(const Backend& on, DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t margin, std::uint64_t seed)
      : all(make_array(on, {rows, cols + 2 * margin}, dtype, random_values(rows * (cols + 2 * margin), seed))),
        columns(all.columns(margin, cols)) {}

  Array flat() const { return all.reshaped({1, all.count()}); }  // one row, because values_of copies row by row
};

Array flat(const Array& x) { return x.reshaped({1, x.count()}); }

std::int64_t count_weights(const AttentionCase& one) {
  std::int64_t count = 0;
  for (std::size_t b = 0; b < one.queries.size(); ++b) {
    count += one.h * one.queries[b] * static_cast<std::int64_t>(one.keys[b]);
  }
  return count;
}

// Runs forward and backward. The outputs include the columns beside the views, which must not change.
std::vector<Array> run(const AttentionCase& one, const Backend& on, DType dtype) {
  const Reach reach{make_segments(on, one.queries, 3), make_segments(on, one.keys, 3), one.mask};
  const Heads heads{.h = one.h, .scale = 1 / std::sqrt(static_cast<double>(one.d_k)), .dropout = one.dropout};
  const std::int64_t R_q = reach.queries.R, R_k = reach.keys.R, keys = one.h * one.d_k, values = one.h * one.d_v;
  const auto view = [&](std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    return View(on, dtype, rows, cols, one.margin, seed);
  };
  const View Q = view(R_q, keys, 1), K = view(R_k, keys, 2), V = view(R_k, values, 3), dO = view(R_q, values, 4);
  const View dQ = view(R_q, keys, 6);
  const View dK = one.queries_are_keys ? dQ : view(R_k, keys, 7);
  const View dV = one.keys_are_values ? dK : view(R_k, values, 8);
  View O = view(R_q, values, 5);
  Array log_sums = on.empty({R_q, one.h}, accumulation_dtype(dtype)), weights;
  if (one.weights) weights = on.empty({count_weights(one)}, accumulation_dtype(dtype));
  on.attention(Q.columns, K.columns, V.columns, reach, heads, O.columns, log_sums, weights);
  on.attention_backward(dO.columns, Q.columns, K.columns, V.columns, O.columns, log_sums, reach, heads,
                        {dQ.columns, one.dQ}, {dK.columns, one.dK}, {dV.columns, one.dV});
  std::vector<Array> outputs{O.flat(), flat(log_sums), dQ.flat(), dK.flat(), dV.flat()};
  if (one.weights) outputs.push_back(flat(weights));
  return outputs;
}

class CudaAttention : public CudaTest {
 protected:
  // Allows a larger error than usual, because gradients are differences of products of rounded numbers.
  void expect_as_on_cpu(const AttentionCase& one) const {
    CudaTest::expect_as_on_cpu([&](const Backend& on, DType type) { return run(one, on, type); }, rounded() ? 3 : 2);
  }
};

// Self-attention over sentences of these lengths; everything else as in `otherwise`.
AttentionCase self(const Lengths& n, const AttentionCase& otherwise = {}) {
  AttentionCase one = otherwise;
  one.queries = one.keys = n;
  return one;
}

TEST_P(CudaAttention, AgreesWithTheCpuForEveryMaskAndLength) {
  const Lengths tiny{1, 3, 16, 7, 11}, short_ones{1, 3, 17, 32, 16, 25}, middle{40, 64, 33, 50, 1},
      long_ones{90, 128, 65}, longer{200, 3, 130, 150};
  for (const Mask& mask : {kAll, kCausal, kWindow, kCausalWindow}) {
    for (const Lengths& n : {tiny, short_ones, middle, long_ones, longer}) {
      SCOPED_TRACE(
          join("longest ", *std::max_element(n.begin(), n.end()), ", mask ", static_cast<int>(mask.kind), " ", mask.r));
      expect_as_on_cpu(self(n, {.mask = mask, .weights = true}));
    }
  }
}

// Sentences longer and shorter than the windows; for the widest heads and windows the band of keys does not fit into
// shared memory.
TEST_P(CudaAttention, WindowsOfEveryKindAgreeWithTheCpu) {
  const Lengths n{300, 3, 70, 1, 129, 0, 20};
  for (const std::int64_t r : {1, 2, 11, 33, 65, 129, 257}) {
    for (const Mask::Kind kind : {Mask::Kind::kAll, Mask::Kind::kCausal}) {
      for (const Mask::Window window : {Mask::Window::kSliding, Mask::Window::kBlock}) {
        const Mask mask{.kind = kind, .r = r, .window = window};
        for (const std::int64_t d : {32, 64, 128}) {
          SCOPED_TRACE(join("r ", r, kind == Mask::Kind::kAll ? " centred" : " causal",
                            window == Mask::Window::kBlock ? " blocks" : "", ", d ", d));
          expect_as_on_cpu(self(n, {.d_k = d, .d_v = d, .mask = mask, .weights = d == 32}));
        }
        SCOPED_TRACE(join("r ", r, ", dropout, heads of 40 and 24"));
        expect_as_on_cpu(self(n, {.d_k = 40, .d_v = 24, .mask = mask, .dropout = kDropout}));
        expect_as_on_cpu({.queries = {200, 5, 90}, .keys = {70, 150, 140}, .mask = mask, .dropout = kDropout});
      }
    }
  }
}

TEST_P(CudaAttention, AWindowOfALongSentenceAgreesWithTheCpu) {
  for (const std::int64_t r : {33, 257, 700}) {
    expect_as_on_cpu(self({2000, 40}, {.h = 1, .mask = {.kind = Mask::Kind::kAll, .r = r}}));
    expect_as_on_cpu(self({2000, 40}, {.h = 1, .mask = {.r = r, .window = Mask::Window::kBlock}}));
  }
}

// A team has 128 queries or fewer. Windows and blocks that end at the borders of a team, or one position beside them;
// the keys of a team fill its shared memory to the last row.
TEST_P(CudaAttention, WindowsMayEndAtTheBordersOfATeam) {
  for (const Lengths& n : {Lengths{256, 130}, Lengths{257, 129}, Lengths{383}}) {
    for (const std::int64_t r : {16, 63, 64, 80, 127, 128, 130, 255, 256}) {
      for (const Mask::Kind kind : {Mask::Kind::kAll, Mask::Kind::kCausal}) {
        for (const Mask::Window window : {Mask::Window::kSliding, Mask::Window::kBlock}) {
          SCOPED_TRACE(join("longest ", n[0], ", r ", r, kind == Mask::Kind::kAll ? " centred" : " causal",
                            window == Mask::Window::kBlock ? " blocks" : ""));
          expect_as_on_cpu(self(n, {.mask = {.kind = kind, .r = r, .window = window}}));
        }
      }
    }
  }
}

// With a window, the shared memory of wide heads depends on the window and not on the sentence.
TEST_P(CudaAttention, WideHeadsMayHaveAWindowInLongSentences) {
  for (const std::int64_t r : {9, 200}) {
    for (const Mask::Kind kind : {Mask::Kind::kAll, Mask::Kind::kCausal}) {
      for (const Mask::Window window : {Mask::Window::kSliding, Mask::Window::kBlock}) {
        SCOPED_TRACE(join("r ", r, kind == Mask::Kind::kAll ? " centred" : " causal",
                          window == Mask::Window::kBlock ? " blocks" : ""));
        const Mask mask{.kind = kind, .r = r, .window = window};
        expect_as_on_cpu(self({1500, 33}, {.h = 1, .d_k = 136, .d_v = 200, .mask = mask, .dropout = kDropout}));
      }
    }
  }
}

TEST_P(CudaAttention, DropsTheWeightsThatTheCpuDrops) {
  for (const Lengths& n : {Lengths{1, 3, 17, 32}, Lengths{40, 64, 33}, Lengths{90, 128, 65}, Lengths{200, 3, 131}}) {
    SCOPED_TRACE(join("longest ", *std::max_element(n.begin(), n.end())));
    expect_as_on_cpu(self(n, {.h = 3, .mask = kCausal, .dropout = kDropout, .weights = true}));
  }
}

TEST_P(CudaAttention, TakesDifferentNumbersOfQueriesAndKeys) {
  const std::vector<std::pair<Lengths, Lengths>> cases = {{{9, 0, 20, 4}, {0, 6, 31, 12}},
                                                          {{80, 96, 5}, {30, 20, 1}},
                                                          {{20, 16}, {64, 40}},
                                                          {{200, 3, 130, 0, 150}, {300, 0, 7, 70, 150}},
                                                          {{200, 3}, {20, 150}},
                                                          {{12, 100}, {100, 300}},
                                                          {{12, 9}, {100, 300}}};
  for (const auto& [queries, keys] : cases) {
    for (const Mask& mask : {kAll, kCausal, kWindow, kCausalWindow}) {
      SCOPED_TRACE(join("first ", queries[0], " and ", keys[0], ", mask ", static_cast<int>(mask.kind), " ", mask.r));
      expect_as_on_cpu({.queries = queries, .keys = keys, .mask = mask, .dropout = kDropout, .weights = true});
    }
  }
}

TEST_P(CudaAttention, HeadsWiderThanATileSeeTheSameKeys) {
  const std::vector<std::pair<Lengths, Lengths>> cases = {
      {{9, 0, 20, 4, 33}, {0, 6, 31, 12, 32}}, {{70, 96, 5}, {130, 64, 1}}, {{40, 600}, {600, 65}}};
  for (const auto& [queries, keys] : cases) {
    for (const Mask& mask : {kAll, kCausal, kWindow, kCausalWindow}) {
      SCOPED_TRACE(join("first ", queries[0], " and ", keys[0], ", mask ", static_cast<int>(mask.kind), " ", mask.r));
      expect_as_on_cpu({.queries = queries, .keys = keys, .d_k = 136, .d_v = 200, .mask = mask, .dropout = kDropout});
    }
  }
}

TEST_P(CudaAttention, TakesHeadsOfAnyWidth) {
  const std::vector<std::pair<int, int>> widths = {{16, 16},   {32, 32}, {128, 128}, {24, 40},   {40, 24},
                                                   {8, 96},    {12, 20}, {1, 3},     {130, 64},  {72, 300},
                                                   {256, 256}, {56, 56}, {136, 264}, {264, 136}, {512, 512}};
  for (const auto& [d_k, d_v] : widths) {
    for (const Lengths& n : {Lengths{20, 30, 1, 7}, Lengths{60, 33}, Lengths{150, 20}}) {
      SCOPED_TRACE(join("d_k ", d_k, ", d_v ", d_v, ", first ", n[0]));
      expect_as_on_cpu(self(n, {.d_k = d_k, .d_v = d_v, .mask = kCausal, .weights = true}));
      expect_as_on_cpu(self(n, {.d_k = d_k, .d_v = d_v, .dropout = kDropout}));
    }
  }
}

// A block could hold four teams of so few queries, but their keys do not fit into its shared memory.
TEST_P(CudaAttention, FewQueriesOfWideHeadsMayHaveManyKeys) {
  for (const Mask& mask : {kAll, kWindow}) {
    expect_as_on_cpu({.queries = {12, 9}, .keys = {100, 300}, .h = 5, .d_k = 128, .d_v = 128, .mask = mask});
  }
}

TEST_P(CudaAttention, ReadsRangesOfColumnsWhateverTheirAlignment) {
  for (const std::int64_t margin : {0, 1, 4, 5, 16}) {
    SCOPED_TRACE(join("margin ", margin));
    expect_as_on_cpu(self({20, 33, 1}, {.mask = kCausal, .margin = margin, .weights = true}));
    expect_as_on_cpu(self({140, 33, 1}, {.margin = margin}));
  }
}

TEST_P(CudaAttention, TakesAnyNumberOfHeads) {
  for (const std::int64_t h : {1, 3, 5, 8, 16}) {
    for (const Lengths& n : {Lengths{16, 9, 1}, Lengths{30, 20}, Lengths{45, 6}}) {
      SCOPED_TRACE(join(h, " heads, first ", n[0]));
      expect_as_on_cpu(self(n, {.h = h, .d_k = 32, .d_v = 32, .mask = kCausal, .weights = true}));
    }
  }
}

TEST_P(CudaAttention, SinksAreOverwrittenAddedToOrSkipped) {
  using enum Sink::Write;
  for (const Lengths& n : {Lengths{20, 30, 3}, Lengths{150, 20}}) {
    for (const auto& [dQ, dK, dV] : {std::tuple{kAccumulate, kAccumulate, kAccumulate},
                                     {kOverwrite, kAccumulate, kNone},
                                     {kNone, kNone, kAccumulate},
                                     {kAccumulate, kNone, kOverwrite},
                                     {kNone, kOverwrite, kNone},
                                     {kOverwrite, kNone, kNone}}) {
      for (const std::int64_t d : {12, 64, 128, 256}) {
        SCOPED_TRACE(join("sinks ", static_cast<int>(dQ), static_cast<int>(dK), static_cast<int>(dV), ", d ", d));
        expect_as_on_cpu(self(n, {.d_k = d, .d_v = d, .dQ = dQ, .dK = dK, .dV = dV}));
      }
    }
  }
}

TEST_P(CudaAttention, OneTensorMayHaveSeveralRoles) {
  using enum Sink::Write;
  for (const Lengths& n : {Lengths{20, 30, 3}, Lengths{150, 20}}) {
    for (const std::int64_t d : {12, 64, 256}) {
      for (const Sink::Write first : {kOverwrite, kAccumulate}) {
        SCOPED_TRACE(join("longest ", n.front(), ", d ", d, ", sink ", static_cast<int>(first)));
        AttentionCase one = self(n, {.d_k = d, .d_v = d, .dQ = first, .dK = first, .dV = kAccumulate});
        one.keys_are_values = true;
        expect_as_on_cpu(one);
        one.queries_are_keys = true;
        one.dK = kAccumulate;
        expect_as_on_cpu(one);
      }
    }
  }
}

TEST_P(CudaAttention, TakesBatchesWithoutQueriesOrKeys) {
  for (const auto& [queries, keys] : {std::pair{Lengths{0, 0}, Lengths{0, 0}},
                                      {{0, 0}, {3, 40}},
                                      {{3, 40}, {0, 0}},
                                      {{0, 0}, {3, 400}},
                                      {{3, 400}, {0, 0}},
                                      {{}, {}}}) {
    expect_as_on_cpu({.queries = queries, .keys = keys, .weights = count_weights({queries, keys}) > 0});
  }
}

TEST_P(CudaAttention, TakesSentencesOfTwoThousandTokens) {
  expect_as_on_cpu(self({2000, 1}, {.h = 1}));
  expect_as_on_cpu(self({5, 2000}, {.h = 1, .mask = kCausal, .dropout = kDropout}));
  expect_as_on_cpu(self({2000}, {.h = 1, .d_k = 128, .d_v = 128, .mask = {.kind = Mask::Kind::kCausal, .r = 100}}));
}

// The products of such lengths, which sizes of shared memory are made of, do not fit into 32 bits.
TEST_P(CudaAttention, TakesSentencesOfFiftyThousandTokens) {
  for (const Mask& mask : {kWindow, kCausalWindow}) {
    expect_as_on_cpu(self({50'000, 3}, {.h = 1, .d_k = 16, .d_v = 16, .mask = mask}));
  }
}

TEST_P(CudaAttention, RefusesSentencesThatCannotBeCountedIn32Bits) {
  const auto on = make_backend(kDevice, {.dry = true});
  const auto attend = [&](std::int64_t longest, std::int64_t h, std::int64_t d) {
    Segments segments;
    segments.B = 1;
    segments.R = segments.longest = longest;
    const Array Q = on->empty({longest, h * d}, dtype());
    Array O = on->empty_like(Q), log_sums = on->empty({longest, h}, DType::kFloat32), none;
    const Reach reach{segments, segments, kAll};
    const Heads heads{.h = h, .scale = 1, .dropout = {}};
    on->attention(Q, Q, Q, reach, heads, O, log_sums, none);
    on->attention_backward(O, Q, Q, Q, O, log_sums, reach, heads, Sink::overwrite(O), Sink::accumulate(O),
                           Sink::accumulate(O));
  };
  for (const std::int64_t d : {16, 64, 256}) {
    EXPECT_NO_THROW(attend(60'000, 8, d)) << d;
    EXPECT_NO_THROW(attend(20'000'000, 8, d)) << d;
    EXPECT_THROW(attend(1 << 26, 8, d), ShapeError) << d;
  }
}

TEST_P(CudaAttention, TakesManySentences) {
  expect_as_on_cpu(self(Lengths(300, 32), {.h = 4}));
  expect_as_on_cpu(self(Lengths(80, 128), {.h = 4, .mask = kCausal}));
  Lengths n(40000, 1);  // more than attention.cu puts along the y axis of a grid
  for (std::size_t b = 0; b < n.size(); b += 3) n[b] = 2;
  expect_as_on_cpu(self(n, {.h = 1, .d_k = 16, .d_v = 16}));
}

TEST_P(CudaAttention, LargeScoresDoNotOverflow) {
  CudaTest::expect_as_on_cpu(
      [&](const Backend& on, DType type) {
        const Segments n = make_segments(on, {40, 5});
        Doubles large = random_values(45 * 64, 1);
        for (double& x : large) x *= 64;
        const Array Q = make_array(on, {45, 64}, type, large);
        Array O = on.empty({45, 64}, type), log_sums = on.empty({45, 1}, accumulation_dtype(type)), none;
        on.attention(Q, Q, Q, {n, n, kAll}, {.h = 1, .scale = 0.125, .dropout = {}}, O, log_sums, none);
        return std::vector<Array>{O, log_sums};
      },
      2);
}

TEST_P(CudaAttention, HasTheSameBitsEveryTime) {
  for (const Lengths& n : {Lengths{20, 30, 3}, Lengths{150, 20}}) {
    const AttentionCase one = self(n, {.dropout = kDropout});
    const std::vector<Array> first = run(one, *gpu, dtype()), again = run(one, *gpu, dtype());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(values_of(*gpu, first[i]), values_of(*gpu, again[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, CudaAttention, kElements, element_name);

}  // namespace
}  // namespace dragoman::cuda
