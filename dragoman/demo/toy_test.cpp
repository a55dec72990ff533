#include "dragoman/demo/toy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
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

// Passes lessons on until one fulfils the condition.
ChaseLesson lesson_where(ChaseCourse& course, const std::function<bool(const ChaseLesson&)>& condition) {
  for (int update = 0; update < 100000 && !condition(course.lesson()); ++update) course.add(0);
  return course.lesson();
}

TEST(Chase, LessonsBeginWithShortListsAndOneHopAndEndWithTheTask) {
  ChaseCourse course;
  const ChaseLesson first = course.lesson();
  EXPECT_EQ(first.pairs, 3);
  EXPECT_EQ(first.hops, 1);
  const ChaseLesson middle = lesson_where(course, [](const auto& lesson) { return lesson.hops == 3; });
  EXPECT_EQ(middle.pairs, 4);  // as short as three hops allow that do not lead back to the start
  const ChaseLesson last = lesson_where(course, [](const auto& lesson) { return lesson.fewest_pairs == kChasePairs; });
  EXPECT_EQ(last.pairs, kChasePairs);
  EXPECT_EQ(last.hops, kChaseHops);
  course.add(0);
  EXPECT_EQ(course.lesson().hops, kChaseHops);

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

TEST(Chase, ALessonLastsUntilItIsLearned) {
  ChaseCourse course;
  const auto updates_until_the_next = [&course](double loss) {
    const int pairs = course.lesson().pairs;
    int updates = 0;
    for (; updates < 1000 && course.lesson().pairs == pairs; ++updates) course.add(loss);
    return updates;
  };
  EXPECT_EQ(updates_until_the_next(1.01 * ChaseCourse::kLearned), 1000);
  EXPECT_LT(updates_until_the_next(0.9 * ChaseCourse::kLearned), 1000);
  EXPECT_GT(updates_until_the_next(0), 100);  // a few good updates do not end the new lesson
}

TEST(Chase, ArchitecturesMayHaveAPresetOfTheirOwnForIt) {
  EXPECT_EQ(toy_preset("universal", ToyTask::kChase).name, "universal-pointers");
  EXPECT_EQ(toy_preset("universal").name, "universal-symbols");
  EXPECT_EQ(toy_preset("", ToyTask::kChase).name, "symbols");
}

}  // namespace
}  // namespace dragoman::demo
