#include "dragoman/exchange/heartbeats.h"

#include <gtest/gtest.h>

#include <functional>

namespace dragoman::exchange {
namespace {

using Seconds = Heartbeats::Seconds;

// Rank 0 of three, with a clock of its own.
class HeartbeatsTest : public ::testing::Test {
 protected:
  // Lets time pass. Every tenth of a second `others` makes beats and rank 0 looks; returns the first failure.
  std::optional<Failure> pass(double seconds, const std::function<void()>& others) {
    for (int tenth = 0; tenth < 10 * seconds; ++tenth) {
      now += std::chrono::milliseconds(100);
      beats.hear(0, own, now);
      others();
      if (const auto failure = beats.failure(now)) return failure;
    }
    return std::nullopt;
  }

  Heartbeats::Time now{};
  Heartbeats beats{0, {{"a", 10}, {"a", 11}, {"b", 12}}, now};
  Beat own;
};

TEST_F(HeartbeatsTest, NameTheRankThatFellSilent) {
  const auto rank_1 = [&] { beats.hear(1, {}, now); };
  EXPECT_FALSE(pass(9.5, rank_1));
  const auto failure = pass(1, rank_1);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->rank, 2);
  EXPECT_TRUE(
      failure->sentence.starts_with("rank 2 (process 12 on b) has been silent for 10 seconds, so all ranks end"))
      << failure->sentence;
  EXPECT_EQ(beats.reporter(*failure, now), 0);
}

TEST_F(HeartbeatsTest, BlameNobodyAfterABreakOfTheOwnProcess) {
  now += std::chrono::minutes(5);
  EXPECT_FALSE(beats.failure(now));
  EXPECT_FALSE(pass(9.5, [] {}));
  EXPECT_TRUE(pass(1, [] {}));
}

TEST_F(HeartbeatsTest, NameTheRankThatKeepsOthersWaiting) {
  own = {.exchanges = 7, .waiting = 1};
  const auto others = [&] {
    beats.hear(1, {.exchanges = 6, .waiting = 0}, now);
    beats.hear(2, {.exchanges = 7, .waiting = 1}, now);
  };
  EXPECT_FALSE(pass(100, others));  // there is no limit yet
  beats.limit_waits(Seconds(120));
  EXPECT_FALSE(pass(19, others));
  const auto failure = pass(2, others);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->rank, 1);
}

TEST_F(HeartbeatsTest, LetRanksComputeWhileNobodyWaits) {
  beats.limit_waits(Seconds(20));
  const auto others = [&] {
    beats.hear(1, {}, now);
    beats.hear(2, {}, now);
  };
  EXPECT_FALSE(pass(60, others));
  own.waiting = 1;
  EXPECT_FALSE(pass(19, others));
  EXPECT_TRUE(pass(2, others));
}

TEST_F(HeartbeatsTest, AreReportedByTheLowestRankThatIsWell) {
  Heartbeats of_rank_2{2, {{"a", 10}, {"a", 11}, {"b", 12}}, now};
  of_rank_2.mark_ended(0);
  const auto failure = of_rank_2.failure(now);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->rank, 0);
  EXPECT_EQ(of_rank_2.reporter(*failure, now), 1);
  of_rank_2.mark_ended(1);
  EXPECT_EQ(of_rank_2.reporter(*failure, now), 2);
}

}  // namespace
}  // namespace dragoman::exchange
