#include "dragoman/eval/shifts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "dragoman/eval/edit_table.h"

namespace dragoman::eval {
namespace {

Symbols counting(std::uint32_t from, std::uint32_t to) {
  Symbols words(to - from);
  std::iota(words.begin(), words.end(), from);
  return words;
}

Symbols random_words(std::mt19937& random, std::size_t length) {
  Symbols words(length);
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random() % 6);
  return words;
}

TEST(EditTable, AlignsWordsAtTheLeastCost) {
  const Symbols hypothesis{1, 9, 3}, reference{1, 2, 3, 4};
  const EditTable table(hypothesis, reference);
  EXPECT_EQ(table.distance(), 2);
  const EditAlignment alignment = table.alignment();
  EXPECT_EQ(alignment.place, (std::vector<std::ptrdiff_t>{0, 1, 2, 2}));
  EXPECT_EQ(alignment.hypothesis_errors, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(alignment.reference_errors, (std::vector<bool>{false, true, false, true}));
}

TEST(EditTable, DistanceOfAnotherHypothesisEqualsThatOfItsOwnTable) {
  std::mt19937 random(1);
  const Symbols reference = random_words(random, 12), held = random_words(random, 14);
  EditTable table(held, reference);
  for (int trial = 0; trial < 100; ++trial) {
    Symbols other = held;
    other[random() % other.size()] = 7;
    std::rotate(other.begin() + 3, other.begin() + 5, other.end());
    EXPECT_EQ(table.distance_of(other), EditTable(other, reference).distance());
    EXPECT_EQ(table.distance_of(held), EditTable(held, reference).distance());
  }
}

// The distance from a full table in which only the cells within the beam are computed, as in Tercom.
std::int64_t plain_distance(const Symbols& hypothesis, const Symbols& reference) {
  constexpr std::int64_t kFar = 1'000'000;
  const double ratio = static_cast<double>(reference.size()) / static_cast<double>(hypothesis.size());
  const double beam = ratio / 2 > 25 ? std::ceil(ratio / 2 + 25) : 25;
  std::vector<std::vector<std::int64_t>> cost(hypothesis.size() + 1,
                                              std::vector<std::int64_t>(reference.size() + 1, kFar));
  std::iota(cost[0].begin(), cost[0].end(), 0);
  for (std::size_t i = 1; i <= hypothesis.size(); ++i) {
    const double diagonal = std::floor(static_cast<double>(i) * ratio);
    for (std::size_t j = 0; j <= reference.size(); ++j) {
      const double off = static_cast<double>(j) - diagonal;
      if (off < -beam || (off >= beam && i < hypothesis.size())) continue;
      cost[i][j] = cost[i - 1][j] + 1;
      if (j == 0) continue;
      const bool equal = hypothesis[i - 1] == reference[j - 1];
      cost[i][j] = std::min({cost[i][j], cost[i][j - 1] + 1, cost[i - 1][j - 1] + (equal ? 0 : 1), kFar});
    }
  }
  return cost.back().back();
}

TEST(EditTable, AgreesWithAFullTableWithinTheBeam) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const Symbols reference = random_words(random, 1 + random() % 300);
    Symbols held = random_words(random, 1 + random() % 300);
    EditTable table(held, reference);
    for (int change = 0; change < 5; ++change) {
      Symbols other = held;
      const std::size_t from = random() % other.size(), to = from + random() % (other.size() - from);
      std::rotate(other.begin() + static_cast<std::ptrdiff_t>(from), other.begin() + static_cast<std::ptrdiff_t>(to),
                  other.begin() + static_cast<std::ptrdiff_t>(std::min(other.size(), to + 9)));
      EXPECT_EQ(table.distance_of(other), plain_distance(other, reference));
      EXPECT_EQ(table.distance(), plain_distance(held, reference));
      if (change % 2 == 0) continue;
      table.hold(other);
      held = other;
      EXPECT_EQ(table.alignment().place, EditTable(other, reference).alignment().place);
    }
  }
}

TEST(CountEdits, ALongLineTakesLinearMemoryAndTime) {
  // A whole table would have 3.6 billion cells.
  std::mt19937 random(4);
  const Symbols hypothesis = random_words(random, 60'000), reference = random_words(random, 60'000);
  const std::int64_t edits = count_edits(hypothesis, reference);
  EXPECT_GT(edits, 10'000);
  EXPECT_LT(edits, 60'000);
}

TEST(EditTable, OneSideMayBeEmptyOrMuchLonger) {
  EXPECT_EQ(EditTable({}, counting(0, 3)).distance(), 3);
  EXPECT_EQ(EditTable({500}, counting(0, 1000)).distance(), 999);
  EXPECT_EQ(EditTable(counting(0, 1000), {500}).distance(), 999);
}

TEST(CountEdits, NeverNeedsMoreThanTheEditDistance) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Symbols hypothesis = random_words(random, random() % 12), reference = random_words(random, 1 + random() % 12);
    const std::int64_t edits = count_edits(hypothesis, reference);
    EXPECT_LE(edits, EditTable(hypothesis, reference).distance());
    EXPECT_GE(edits + static_cast<std::int64_t>(hypothesis.size()), static_cast<std::int64_t>(reference.size()));
  }
}

TEST(CountEdits, AStretchMovesInOneEditIfItIsShortAndNear) {
  const auto moved = [](std::uint32_t length, std::uint32_t by) {
    const Symbols reference = counting(0, length + by);
    Symbols hypothesis = reference;
    std::rotate(hypothesis.begin(), hypothesis.begin() + length, hypothesis.end());
    return count_edits(hypothesis, reference);
  };
  EXPECT_EQ(moved(1, 20), 1);
  EXPECT_EQ(moved(10, 20), 1);
  EXPECT_EQ(moved(11, 20), 2);  // two moves: ten words, and one word
  EXPECT_EQ(moved(1, 50), 1);
  EXPECT_EQ(moved(1, 51), 2);  // too far to move: deleted here and inserted there
}

TEST(CountEdits, EqualSentencesNeedNoEdits) {
  EXPECT_EQ(count_edits(counting(0, 60), counting(0, 60)), 0);
  EXPECT_EQ(count_edits({}, {}), 0);
  EXPECT_EQ(count_edits(counting(0, 3), {}), 3);
  EXPECT_EQ(count_edits({}, counting(0, 3)), 3);
}

}  // namespace
}  // namespace dragoman::eval
