#include "dragoman/demo/toy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace dragoman::demo {
namespace {

constexpr std::int64_t kQuestion = 2;  // symbols before the pairs: the start and the hops

std::int64_t pairs_of(const data::SentencePair& string) { return (std::ssize(string.source) - kQuestion - 1) / 2; }

// The symbol that the pairs of the string lead to, found by reading them.
std::int32_t followed(const data::SentencePair& string) {
  std::int32_t at = string.source.front();
  for (int hop = 0; hop < hops_of(string); ++hop) {
    for (std::int64_t i = kQuestion; i < kQuestion + 2 * pairs_of(string); i += 2) {
      if (string.source[i] != at) continue;
      at = string.source[i + 1];
      break;
    }
  }
  return at;
}

TEST(Chase, TheAnswerIsWhereThePairsLead) {
  const ToySettings settings{.task = ToyTask::kChase};
  std::set<int> hops;
  for (const data::SentencePair& string : toy_pairs(settings, 300, 1)) {
    ASSERT_EQ(pairs_of(string), kChasePairs);
    EXPECT_EQ(string.source.back(), kEos);
    EXPECT_EQ(string.target, (data::Sentence{followed(string), kEos}));
    EXPECT_NE(string.target.front(), string.source.front());  // a cycle of 12 is longer than any chase
    hops.insert(hops_of(string));
  }
  EXPECT_EQ(hops, (std::set<int>{1, 2, 3, 4, 5, 6}));
}

TEST(Chase, LessonsBeginWithShortListsAndOneHopAndEndWithAll) {
  constexpr int kSteps = 1000;
  const ChaseLesson first = chase_lesson(1, kSteps), middle = chase_lesson(300, kSteps),
                    last = chase_lesson(600, kSteps);
  EXPECT_EQ(first.pairs, 3);
  EXPECT_EQ(first.hops, 1);
  EXPECT_EQ(middle.pairs, 9);  // three quarters of the way from 3 to 12
  EXPECT_EQ(middle.hops, 4);   // half of the way from 1 to 7, of which 6 is the last
  EXPECT_EQ(last.pairs, kChasePairs);
  EXPECT_EQ(last.hops, kChaseHops);

  const ToySettings settings{.task = ToyTask::kChase};
  std::set<std::int64_t> pairs;
  for (const data::SentencePair& string : toy_pairs(settings, 300, 1, middle)) {
    pairs.insert(pairs_of(string));
    EXPECT_LE(hops_of(string), middle.hops);
    EXPECT_EQ(string.target.front(), followed(string));
  }
  EXPECT_EQ(*pairs.begin(), first.fewest_pairs);
  EXPECT_EQ(*pairs.rbegin(), middle.pairs);
}

TEST(Chase, ArchitecturesMayHaveAPresetOfTheirOwnForIt) {
  EXPECT_EQ(toy_preset("universal", ToyTask::kChase).name, "universal-pointers");
  EXPECT_EQ(toy_preset("universal").name, "universal-symbols");
  EXPECT_EQ(toy_preset("", ToyTask::kChase).name, "symbols");
}

}  // namespace
}  // namespace dragoman::demo
