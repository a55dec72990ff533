#include "dragoman/train/rank_shares.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "dragoman/backend/testing.h"

namespace dragoman::train {
namespace {

// Messages between ranks that are threads of this process, in order for each pair of sender and receiver.
class Mail {
 public:
  void send(int from, int to, const Array& array) {
    const auto* bytes = static_cast<const char*>(array.raw());
    const std::lock_guard lock(mutex_);
    letters_[{from, to}].emplace_back(bytes, bytes + array.count() * static_cast<std::int64_t>(size_of(array.dtype())));
    changed_.notify_all();
  }
  void receive(int from, int to, const Array& array) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<char>>& waiting = letters_[{from, to}];
    changed_.wait(lock, [&] { return !waiting.empty(); });
    std::memcpy(array.raw(), waiting.front().data(), waiting.front().size());
    waiting.pop_front();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> letters_;
};

class ThreadRank final : public exchange::Exchange {
 public:
  ThreadRank(Mail& mail, int rank, int ranks) : mail_(mail), rank_(rank), ranks_(ranks) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int local_rank() const override { return rank_; }
  void check() override {}
  void trade(const Backend& on, int partner, const Array& out, Array in) override {
    send(on, partner, out);
    receive(on, partner, in);
  }
  void send(const Backend&, int to, const Array& array) override { mail_.send(rank_, to, array); }
  void receive(const Backend&, int from, Array array) override { mail_.receive(from, rank_, array); }
  std::vector<std::int64_t> gather(std::span<const std::int64_t>) override { return {}; }
  std::string broadcast(const std::string&) override { return ""; }
  void report_failure(const std::string&) override {}

 private:
  Mail& mail_;
  int rank_, ranks_;
};

constexpr int kLevels = 2, kLeaves = 1 << kLevels;
constexpr std::int64_t kCount = 500;  // does not divide into equal shares
constexpr std::size_t kBuckets = 3;

// What a rank has after it added up its leaves with those of the others and gave them its range.
Doubles sums_of(exchange::Exchange& exchange, bool collect) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  Array sum = on->empty({kCount}, DType::kFloat32);
  RankShares shares(exchange, *on, buckets_of(kCount, kBuckets), kLevels, sum);
  GradientTree tree(*on, std::span(&sum, 1), kLevels - tree_levels(exchange.ranks()));
  for (int i = 0; i < tree.leaves(); ++i) {
    const Doubles leaf = unrounded_values(kCount, static_cast<std::uint64_t>(exchange.rank() * tree.leaves() + i));
    const std::vector<float> rounded(leaf.begin(), leaf.end());
    on->copy_in(rounded.data(), sum);
    tree.add_leaf();
  }
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) shares.start_adding(sum, bucket);
  shares.finish_adding();
  collect ? shares.collect(sum) : shares.spread(sum);
  return values_of(*on, sum);
}

std::vector<Doubles> sums_of_ranks(int ranks, bool collect) {
  Mail mail;
  std::vector<Doubles> sums(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRank exchange(mail, rank, ranks);
      sums[static_cast<std::size_t>(rank)] = sums_of(exchange, collect);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sums;
}

TEST(RankShares, SumsHaveTheSameBitsForAnyNumberOfRanks) {
  const Doubles alone = sums_of_ranks(1, false).front();
  for (const int ranks : {2, 4}) {
    for (const Doubles& sums : sums_of_ranks(ranks, false)) EXPECT_EQ(sums, alone) << ranks;
  }
}

TEST(RankShares, RankZeroCollectsTheSharesOfAll) {
  EXPECT_EQ(sums_of_ranks(kLeaves, true).front(), sums_of_ranks(1, false).front());
}

}  // namespace
}  // namespace dragoman::train
