#include "dragoman/base/threads.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/random.h"

namespace dragoman {
namespace {

TEST(ThreadTeam, RunsEveryPieceOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadTeam team(threads);
    for (const int pieces : {0, 1, 2, 3, 1000}) {
      std::vector<int> runs(pieces, 0);
      team.run(pieces, [&](std::int64_t piece) { ++runs[piece]; });
      for (const int count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadTeam, ManyShortRoundsLoseNoWork) {
  ThreadTeam team(3);
  std::vector<std::int64_t> sums(8, 0);
  for (int round = 0; round < 20000; ++round) team.run(8, [&](std::int64_t piece) { sums[piece] += piece; });
  for (std::int64_t piece = 0; piece < 8; ++piece) EXPECT_EQ(sums[piece], 20000 * piece);
}

// The rounds have different sizes, and a thread that is late for one round meets the next while it is being set up.
TEST(ThreadTeam, LateThreadsRunNoPieceOfAWrongRound) {
  ThreadTeam team(3);
  RandomStream random(1);
  for (int round = 0; round < 100'000; ++round) {
    const auto pieces = static_cast<std::int64_t>(2 + random.below(16));
    const std::uint32_t effort = random.below(64);
    std::array<std::atomic<std::uint32_t>, 32> runs{};
    team.run(pieces, [&](std::int64_t piece) {
      for (std::uint32_t i = 0; i < effort; ++i) runs[31].fetch_add(1, std::memory_order_relaxed);
      ++runs[static_cast<std::size_t>(piece)];
    });
    for (std::int64_t piece = 0; piece < 31; ++piece) {
      ASSERT_EQ(runs[static_cast<std::size_t>(piece)], piece < pieces ? 1u : 0u) << "in round " << round;
    }
  }
}

// The two pieces of a round wait for each other, so they never meet if a thread misses the round. A busy machine may
// hold a thread up, but not for 10 seconds.
TEST(ThreadTeam, EveryThreadTakesPartInEveryRound) {
  ThreadTeam team(2);
  std::atomic<bool> missed = false;
  for (int round = 0; round < 100'000 && !missed; ++round) {
    std::atomic<int> here = 0;
    team.run(2, [&](std::int64_t) {
      ++here;
      const auto start = std::chrono::steady_clock::now();
      while (here < 2 && !missed) {
        if (std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) missed = true;
        std::this_thread::yield();
      }
    });
  }
  EXPECT_FALSE(missed);
}

TEST(ThreadTeam, WakesAfterSleeping) {
  ThreadTeam team(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> count = 0;
    team.run(10, [&](std::int64_t) { ++count; });
    EXPECT_EQ(count, 10);
  }
}

TEST(ThreadTeam, FlushesDenormalsOnEveryThread) {
  ThreadTeam team(2);
  std::vector<float> products(64, 1.0f);
  volatile float tiny = std::numeric_limits<float>::min();
  team.run(64, [&](std::int64_t piece) { products[piece] = tiny * 0.25f; });
  for (const float product : products) EXPECT_EQ(product, 0.0f);
}

TEST(ThreadTeam, GuardedPiecesAllRunAndTheLowestExceptionIsRethrown) {
  ThreadTeam team(3);
  std::atomic<int> count = 0;
  try {
    run_guarded(team, 20, [&](std::int64_t piece) {
      ++count;
      if (piece >= 7) throw Error(std::to_string(piece));
    });
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  EXPECT_EQ(count, 20);
}

TEST(ThreadTeam, MoreThreadsThanPiecesOrProcessorsLoseNoWork) {
  ThreadTeam team(40);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> runs(1 + round % 7, 0);
    team.run(static_cast<std::int64_t>(runs.size()), [&](std::int64_t piece) { ++runs[piece]; });
    for (const int count : runs) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace dragoman
