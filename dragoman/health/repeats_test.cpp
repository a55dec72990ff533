#include "dragoman/health/repeats.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "dragoman/base/random.h"

namespace dragoman::health {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

RepeatCounts counts_of(const Pairs& pairs, std::vector<Example>* examples = nullptr) {
  RepeatCounter counter;
  std::int64_t line = 0;
  for (const auto& [source, target] : pairs) {
    counter.add(hashes_of(source, target), {.file = "a", .line = ++line, .text = source});
  }
  const RepeatCounts counts = counter.count();
  if (examples != nullptr) *examples = counter.examples();
  return counts;
}

TEST(Repeats, AreCountedByPairAndBySide) {
  std::vector<Example> examples;
  const RepeatCounts counts = counts_of(
      {{"a", "1"}, {"b", "2"}, {"a", "1"}, {"a", "3"}, {"c", "2"}, {"a", "1"}, {"1", "a"}, {"", "ab"}, {"a", "b"}},
      &examples);
  EXPECT_EQ(counts.pairs, 9);
  EXPECT_EQ(counts.distinct_pairs, 7);
  EXPECT_EQ(counts.repeated_pairs(), 2);
  EXPECT_EQ(counts.distinct_sources, 5);  // a, b, c, 1 and the empty one
  EXPECT_EQ(counts.distinct_targets, 6);  // 1, 2, 3, a, ab, b
  EXPECT_EQ(counts.most_copies, 3);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].line, 3);
  EXPECT_EQ(examples[0].note, "repeats line 1");
  EXPECT_EQ(examples[1].line, 6);
}

TEST(Repeats, OfNothingAreZero) {
  const RepeatCounts counts = counts_of({});
  EXPECT_EQ(counts.pairs, 0);
  EXPECT_EQ(counts.repeated_pairs(), 0);
  EXPECT_EQ(counts.most_copies, 0);
}

TEST(Repeats, AreExactAmongManyPairs) {
  RandomStream random(3);
  Pairs pairs;
  for (int i = 0; i < 50'000; ++i) {
    pairs.emplace_back("source " + std::to_string(random.below(9'000)), "target " + std::to_string(random.below(7)));
  }
  std::set<std::string> sources, targets;
  for (const auto& [source, target] : pairs) {
    sources.insert(source);
    targets.insert(target);
  }
  const RepeatCounts counts = counts_of(pairs);
  EXPECT_EQ(counts.distinct_pairs, std::ssize(std::set(pairs.begin(), pairs.end())));
  EXPECT_EQ(counts.distinct_sources, std::ssize(sources));
  EXPECT_EQ(counts.distinct_targets, std::ssize(targets));
}

LeakCounts leaks(const Pairs& held_out, const Pairs& training, std::vector<Example>* examples = nullptr) {
  HeldOutText text("the test text");
  std::int64_t line = 0;
  for (const auto& [source, target] : held_out) text.add(all_hashes_of(source, target), ++line);
  line = 0;
  for (const auto& [source, target] : training) {
    text.compare(all_hashes_of(source, target), {.file = "train", .line = ++line, .text = source});
  }
  if (examples != nullptr) *examples = text.examples();
  return text.counts();
}

TEST(HeldOut, CountsItsPairsThatAreTrainedOn) {
  std::vector<Example> examples;
  const LeakCounts counts =
      leaks({{"One.", "Eins."}, {"Two.", "Zwei."}, {"Two.", "2"}, {"Three.", "Drei."}, {"4", "Vier."}},
            {{"Two.", "Zwei."}, {"Two.", "Zwei."}, {"x", "Vier."}, {"three", "III"}}, &examples);
  EXPECT_EQ(counts.pairs, 5);
  EXPECT_EQ(counts.both, 1);
  EXPECT_EQ(counts.sources, 2);         // both pairs with "Two."
  EXPECT_EQ(counts.targets, 2);         // "Zwei." and "Vier."
  EXPECT_EQ(counts.folded_sources, 3);  // and "Three."
  EXPECT_EQ(counts.folded_targets, 2);
  EXPECT_EQ(counts.exact, 3);
  EXPECT_EQ(counts.any, 4);
  ASSERT_EQ(examples.size(), 3u);
  EXPECT_EQ(examples[0].line, 1);
  EXPECT_EQ(examples[2].line, 4);
  EXPECT_EQ(examples[0].note, "is like line 2 of the test text");
}

TEST(HeldOut, APairIsFoundWholeOnlyIfBothSidesBelongTogether) {
  const LeakCounts counts = leaks({{"a", "1"}, {"b", "2"}}, {{"a", "2"}});
  EXPECT_EQ(counts.both, 0);
  EXPECT_EQ(counts.sources, 1);
  EXPECT_EQ(counts.targets, 1);
  EXPECT_EQ(counts.any, 2);
}

TEST(HeldOut, CasePunctuationAndSpacesMayDiffer) {
  EXPECT_EQ(leaks({{"Hello, World!", "x"}}, {{"hello world", "y"}}).folded_sources, 1);
  EXPECT_EQ(leaks({{"Hello, World!", "x"}}, {{"hello world", "y"}}).sources, 0);
  EXPECT_EQ(leaks({{"Hello", "x"}}, {{"Hell", "y"}}).any, 0);
  EXPECT_EQ(leaks({{"...", "x"}}, {{"!!!", "y"}}).any, 0);  // nothing is left to compare
}

}  // namespace
}  // namespace dragoman::health
