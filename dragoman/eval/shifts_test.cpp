#include "dragoman/eval/shifts.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(EditTable, AnotherHypothesisHasTheDistanceOfATableOfItsOwn) {
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
  EXPECT_EQ(moved(11, 20), 2);  // ten words and one
  EXPECT_EQ(moved(1, 50), 1);
  EXPECT_EQ(moved(1, 51), 2);  // left out here and inserted there
}

TEST(CountEdits, EqualSentencesNeedNone) {
  EXPECT_EQ(count_edits(counting(0, 60), counting(0, 60)), 0);
  EXPECT_EQ(count_edits({}, {}), 0);
  EXPECT_EQ(count_edits(counting(0, 3), {}), 3);
  EXPECT_EQ(count_edits({}, counting(0, 3)), 3);
}

}  // namespace
}  // namespace dragoman::eval
