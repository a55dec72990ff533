#include "dragoman/backend/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dragoman/backend/testing.h"

namespace dragoman {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Sizes {
  std::int64_t S = 3, B = 2, T = 8;  // number of slots, of hypotheses in a slot, of steps that the tables have room for
};

// Tables full of zeros, with penalties that grow with the length.
BeamSlots make_slots(const Backend& on, const Sizes& sizes) {
  const auto [S, B, T] = sizes;
  const auto zeros = [&](const Shape& shape, DType dtype) {
    return make_array(on, shape, dtype, Doubles(static_cast<std::size_t>(shape.count()), 0.0));
  };
  BeamSlots slots;
  for (Array* x : {&slots.ids, &slots.lengths, &slots.memory_first, &slots.memory_count, &slots.forced}) {
    *x = zeros({S * B}, DType::kInt32);
  }
  slots.cells = zeros({S * B, T}, DType::kInt32);
  slots.slots = zeros({S, kSlotColumns}, DType::kInt32);
  slots.log_p = zeros({S, B}, DType::kFloat64);
  slots.ended = zeros({S, 2 * B}, DType::kInt32);
  slots.ended_p = zeros({S, 2 * B}, DType::kFloat64);
  slots.history = zeros({T, S * B}, DType::kInt32);
  slots.done = zeros({1}, DType::kInt32);
  Doubles penalties;
  for (std::int64_t n = 0; n <= T; ++n) penalties.push_back(std::pow((5.0 + static_cast<double>(n)) / 6.0, 0.6));
  slots.penalties = make_array(on, {T + 1}, DType::kFloat64, penalties);
  slots.idle_cells = 1000;
  return slots;
}

// Begins searches, with token 1 (BOS) as first input. `entering` has kEnteringColumns numbers for each of them: slot,
// step limit, first cell, first row of the memory, number of rows of the memory, number of words of the prefix, where
// they begin in `prefixes`, how many of them are given.
void start(const Backend& on, const BeamSlots& slots, const Doubles& entering, const Doubles& prefixes = {}) {
  const auto n = static_cast<std::int64_t>(entering.size()) / kEnteringColumns;
  const Array words = prefixes.empty() ? Array() : make_array(on, {std::ssize(prefixes)}, DType::kInt32, prefixes);
  on.beam_start(make_array(on, {n, kEnteringColumns}, DType::kInt32, entering), words, 1, slots);
}

// All that the tables hold.
Doubles contents(const Backend& on, const BeamSlots& slots) {
  Doubles all;
  for (const Array* x :
       {&slots.ids, &slots.lengths, &slots.cells, &slots.memory_first, &slots.memory_count, &slots.forced, &slots.slots,
        &slots.log_p, &slots.ended, &slots.ended_p, &slots.history, &slots.done}) {
    const Doubles values = values_of(on, *x);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// The best words of some rows: k different words for each row, in the order of logit (largest first), then id. Some
// logits are equal. In some rows only the first places hold words, and the others hold kNoWord. `asked` is the
// logit of the word that is forced; 0 for all rows unless it is given.
struct Words {
  Doubles ids, logits, log_sums, asked = {};
};
Words random_words(std::int64_t rows, std::int64_t k, std::uint64_t seed) {
  RandomStream random(seed);
  Words words;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<std::pair<double, double>> row;  // minus the logit, and the id
    for (double id = kFirstWord; std::ssize(row) < k; id += 1 + random.below(2)) {
      row.emplace_back(-0.5 * random.below(6), id);
    }
    std::ranges::sort(row);
    const std::int64_t words_here = random.below(5) == 0 ? random.below(static_cast<std::uint32_t>(k)) : k;
    for (std::int64_t i = 0; i < k; ++i) {
      words.ids.push_back(i < words_here ? row[i].second : kNoWord);
      words.logits.push_back(i < words_here ? -row[i].first : -kInfinity);
    }
    words.log_sums.push_back(3.5 + 0.25 * random.below(3));
    words.asked.push_back(-0.5 * random.below(6));
  }
  return words;
}
BestWords to_device(const Backend& on, DType dtype, const Words& words, std::int64_t k) {
  const auto rows = static_cast<std::int64_t>(words.log_sums.size());
  return {.ids = make_array(on, {rows, k}, DType::kInt32, words.ids),
          .logits = make_array(on, {rows, k}, dtype, words.logits),
          .log_sums = make_array(on, {rows}, dtype, words.log_sums),
          .asked_logits =
              make_array(on, {rows}, dtype, words.asked.empty() ? Doubles(words.log_sums.size(), 0.0) : words.asked)};
}

class BeamKernelTest : public KernelTest {
 protected:
  // Takes one step in which these are the best words.
  void step(const BeamSlots& slots, const Words& words, const BeamRules& rules) const {
    on->beam_step(to_device(*on, dtype(), words, std::ssize(words.ids) / std::ssize(words.log_sums)), rules, slots);
  }
};

TEST_P(BeamKernelTest, TheBestLiveOnAndEndedHypothesesAreStored) {
  const BeamSlots slots = make_slots(*on, {.S = 1, .B = 2, .T = 5});
  start(*on, slots, {0, 5, 100, 7, 3, 0, 0, 0});
  EXPECT_EQ(values(slots.ids), (Doubles{1, 1}));
  EXPECT_EQ(values(slots.cells.columns(0, 1)), (Doubles{100, 105}));
  EXPECT_EQ(values(slots.memory_first), (Doubles{7, 7}));
  const BeamRules rules{.choices = 4};
  step(slots, {.ids = {9, 2, 5, 6, 0, 0, 0, 0}, .logits = {-1, -9, -9, -10, 0, 0, 0, 0}, .log_sums = {0, 0}}, rules);
  EXPECT_EQ(values(slots.ids), (Doubles{9, 5}));  // 2 is EOS
  EXPECT_EQ(values(slots.log_p), (Doubles{-1, -9}));
  EXPECT_EQ(values(slots.lengths), (Doubles{1, 1}));
  EXPECT_EQ(values(slots.cells.columns(0, 2)), (Doubles{100, 101, 100, 106}));
  EXPECT_EQ(values(slots.ended), (Doubles{0, 0, 0, 0}));
  EXPECT_EQ(values(slots.ended_p), (Doubles{-9, -9, 0, 0}));
  step(slots, {.ids = {4, 7, 8, 2, 4, 5, 6, 7}, .logits = {-20, -20, -30, -30, -1, -2, -30, -30}, .log_sums = {0, 0}},
       rules);
  EXPECT_EQ(values(slots.ids), (Doubles{4, 5}));
  EXPECT_EQ(values(slots.history.row_range(1, 1)), (Doubles{2 * 4 + 1, 2 * 5 + 1}));
  EXPECT_EQ(values(slots.cells.columns(0, 3)), (Doubles{100, 106, 102, 100, 106, 107}));
  EXPECT_EQ(values(slots.done), Doubles{0});
}

TEST_P(BeamKernelTest, APrefixIsChosenWordByWord) {
  const BeamSlots slots = make_slots(*on, {.S = 2, .B = 2, .T = 5});
  start(*on, slots, {0, 5, 100, 7, 3, 2, 1, 1, 1, 5, 110, 7, 3, 0, 0, 0}, {9, 6, 8});
  EXPECT_EQ(values(slots.forced), (Doubles{6, kNoWord, kNoWord, kNoWord}));
  // The scores favour EOS (2), and the words 4 and 5.
  const Words words{.ids = {2, 4, 5, 6, 2, 4, 5, 6, 4, 5, 6, 7, 4, 5, 6, 7},
                    .logits = {-1, -2, -3, -4, -1, -2, -3, -4, -1, -2, -3, -4, -1, -2, -3, -4},
                    .log_sums = {0.5, 0, 0, 0},
                    .asked = {-8, 0, 0, 0}};
  step(slots, words, {.choices = 4});  // word 6 is given
  EXPECT_EQ(values(slots.ids), (Doubles{6, 0, 4, 5}));
  EXPECT_EQ(values(slots.log_p), (Doubles{0, -kInfinity, -1, -2}));
  EXPECT_EQ(values(slots.forced), (Doubles{8, kNoWord, kNoWord, kNoWord}));
  step(slots, words, {.choices = 4});
  EXPECT_EQ(values(slots.ids.columns(0, 2)), (Doubles{8, 0}));
  EXPECT_EQ(values(slots.log_p.row_range(0, 1)), (Doubles{-8.5, -kInfinity}));
  EXPECT_EQ(values(slots.forced), Doubles(4, kNoWord));
  step(slots, words, {.choices = 4});  // the prefix is over
  EXPECT_EQ(values(slots.ids.columns(0, 2)), (Doubles{4, 5}));
  EXPECT_EQ(values(slots.log_p.row_range(0, 1)), (Doubles{-11, -12}));
  EXPECT_EQ(values(slots.ended_p.row_range(0, 1).columns(0, 1)), Doubles{-10});
  EXPECT_EQ(values(slots.history.row_range(0, 3).columns(0, 2)), (Doubles{12, 0, 16, 0, 8, 10}));
}

TEST_P(BeamKernelTest, ASlotBecomesIdleWhenNoLiveHypothesisCanStillWin) {
  const BeamSlots slots = make_slots(*on, {.S = 1, .B = 2, .T = 5});
  start(*on, slots, {0, 5, 100, 7, 3, 0, 0, 0});
  step(slots, {.ids = {2, 9, 5, 6, 0, 0, 0, 0}, .logits = {-1, -9, -9, -10, 0, 0, 0, 0}, .log_sums = {0, 0}},
       {.choices = 4});
  EXPECT_EQ(values(slots.done), Doubles{1});
  EXPECT_EQ(values(slots.slots), (Doubles{kSlotIdle, 1, 2, 1, 5, 100, 0, 0}));
  EXPECT_EQ(values(slots.ids), (Doubles{0, 0}));
  EXPECT_EQ(values(slots.lengths), (Doubles{0, 0}));
  EXPECT_EQ(values(slots.cells), (Doubles{1000, 0, 0, 0, 0, 1001, 0, 0, 0, 0}));
  const Doubles before = contents(*on, slots);
  step(slots, random_words(2, 4, 1), {.choices = 4});
  EXPECT_EQ(contents(*on, slots), before);
}

TEST_P(BeamKernelTest, ASlotWithScoresThatAreNotFiniteFails) {
  const BeamSlots slots = make_slots(*on, {.S = 2, .B = 1, .T = 5});
  start(*on, slots, {0, 5, 100, 7, 3, 0, 0, 0, 1, 5, 110, 7, 3, 0, 0, 0});
  step(slots, {.ids = {4, 5, 4, 5}, .logits = {-1, -2, -1, -2}, .log_sums = {std::nan(""), 0}}, {.choices = 2});
  EXPECT_EQ(values(slots.slots.columns(kSlotState, 1)), (Doubles{kSlotFailed, kSlotSearching}));
}

// Runs the same searches on the tested device and on the CPU. The tables must be equal after every step and every move.
TEST_P(BeamKernelTest, ChoosesWhatTheCpuChooses) {
  const auto cpu = make_backend(Device{}, {.threads = 1});
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "search " << seed);
    const Sizes sizes{.S = 5 + static_cast<std::int64_t>(seed % 3),
                      .B = 1 + static_cast<std::int64_t>(seed % kMaxBeam),
                      .T = 40 + static_cast<std::int64_t>(seed % 7)};
    const BeamRules rules{.choices = 2 * sizes.B,
                          .n_best = 1 + static_cast<std::int64_t>(seed % static_cast<std::uint64_t>(sizes.B)),
                          .min_length = static_cast<std::int64_t>(seed % 4 == 3 ? 9 : 0),
                          .ends_when_full = seed % 5 == 4};
    const std::int64_t k = rules.choices + 1;
    const BeamSlots on_device = make_slots(*on, sizes), on_cpu = make_slots(*cpu, sizes);
    Doubles entering;
    for (std::int64_t s = 0; s < sizes.S; ++s) {
      const double limit = s == 1 ? 0 : static_cast<double>(sizes.T - 3 * s), first = static_cast<double>(2000 * s);
      // In slots 2 and 4 the search has a prefix, of which two words are given: 6 words from place 2 on, or 8 from 0
      // on.
      const double prefix = s == 2 ? 6 : s == 4 ? 8 : 0, first_word = s == 2 ? 2 : 0, given = prefix > 0 ? 2 : 0;
      for (const double column : {static_cast<double>(s), limit, first, 3.0, 4.0, prefix, first_word, given}) {
        entering.push_back(column);
      }
    }
    const Doubles prefixes{5, 6, 7, 8, 9, 10, 11, 12};
    start(*on, on_device, entering, prefixes);
    start(*cpu, on_cpu, entering, prefixes);
    for (std::int64_t t = 0; t < sizes.T; ++t) {
      const std::int64_t rows = (sizes.S - t % 2) * sizes.B;
      const Words words = random_words(rows, k, 100 * seed + static_cast<std::uint64_t>(t));
      on->beam_step(to_device(*on, dtype(), words, k), rules, on_device);
      cpu->beam_step(to_device(*cpu, DType::kFloat32, words, k), rules, on_cpu);
      ASSERT_EQ(contents(*on, on_device), contents(*cpu, on_cpu)) << "after step " << t;
      // After step 2, the search in slot 4 moves to slot 1, which has none, unless it is already over.
      if (t != 2 || values_of(*cpu, on_cpu.slots)[4 * kSlotColumns] != double{kSlotSearching}) continue;
      on->beam_move(make_array(*on, {1, 2}, DType::kInt32, {4, 1}), on_device);
      cpu->beam_move(make_array(*cpu, {1, 2}, DType::kInt32, {4, 1}), on_cpu);
      ASSERT_EQ(contents(*on, on_device), contents(*cpu, on_cpu)) << "after a move";
    }
    on->arena().pop_to(0);
    cpu->arena().pop_to(0);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BeamKernelTest, ::testing::ValuesIn(kernel_cases()), kernel_case_name);

}  // namespace
}  // namespace dragoman
