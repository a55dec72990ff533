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

// Waits until done() is true. Returns false if it is not true within 10 seconds: a busy machine may hold a thread up,
// but not for so long.
template <class Done>
bool wait_until(const Done& done) {
  const auto start = std::chrono::steady_clock::now();
  while (!done()) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) return false;
    std::this_thread::yield();
  }
  return true;
}

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

// The two pieces of a round wait for each other, so they never meet if a thread misses the round.
TEST(ThreadTeam, EveryThreadTakesPartInEveryRound) {
  ThreadTeam team(2);
  std::atomic<bool> missed = false;
  for (int round = 0; round < 100'000 && !missed; ++round) {
    std::atomic<int> here = 0;
    team.run(2, [&](std::int64_t) {
      ++here;
      if (!wait_until([&] { return here == 2 || missed; })) missed = true;
    });
  }
  EXPECT_FALSE(missed);
}

// Every piece waits until all have begun, so each thread runs one piece of a round: that of its own share.
TEST(ThreadTeam, AThreadBeginsWithItsOwnShareInEveryRound) {
  constexpr int kThreads = 3;
  ThreadTeam team(kThreads);
  std::array<std::thread::id, kThreads> first;
  for (int round = 0; round < 1000 && !HasFailure(); ++round) {
    std::array<std::thread::id, kThreads> ran_by;
    std::atomic<int> begun = 0;
    team.run(kThreads, [&](std::int64_t piece) {
      ran_by[static_cast<std::size_t>(piece)] = std::this_thread::get_id();
      ++begun;
      EXPECT_TRUE(wait_until([&] { return begun == kThreads; }));
    });
    if (round == 0) first = ran_by;
    ASSERT_EQ(ran_by, first) << "in round " << round;
  }
  EXPECT_EQ(first[0], std::this_thread::get_id());
}

// The first piece lasts until all others are done, so the other thread has to run the rest of that share too.
TEST(ThreadTeam, AThreadThatHasFinishedItsShareTakesPiecesOfOthers) {
  ThreadTeam team(2);
  std::atomic<int> done = 0;
  team.run(20, [&](std::int64_t piece) {
    EXPECT_TRUE(piece > 0 || wait_until([&] { return done == 19; }));
    ++done;
  });
  EXPECT_EQ(done, 20);
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
