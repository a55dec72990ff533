#include "dragoman/train/rank_shares.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"
#include "dragoman/train/thread_rank_testing.h"

namespace dragoman::train {
namespace {

constexpr int kLevels = 2, kLeaves = 1 << kLevels;
constexpr std::int64_t kCount = 500;  // does not divide into equal shares
constexpr std::size_t kRanges = 3;

// What a rank has after it added up its leaves with those of the others and gave them its range.
Doubles sums_of(exchange::Exchange& exchange, bool collect) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  Array sum = on->empty({kCount}, DType::kFloat32);
  RankShares shares(exchange, *on, buckets_of(kCount, kRanges), kLevels, sum);
  GradientTree tree(*on, std::span(&sum, 1), kLevels - tree_levels(exchange.ranks()));
  for (int i = 0; i < tree.leaves(); ++i) {
    const Doubles leaf = unrounded_values(kCount, static_cast<std::uint64_t>(exchange.rank() * tree.leaves() + i));
    const std::vector<float> rounded(leaf.begin(), leaf.end());
    on->copy_in(rounded.data(), sum);
    tree.add_leaf();
  }
  for (std::size_t bucket = 0; bucket < kRanges; ++bucket) shares.start_adding(sum, bucket);
  shares.finish_adding();
  collect ? shares.collect(sum) : shares.spread(sum);
  return values_of(*on, sum);
}

std::vector<Doubles> sums_of_ranks(int ranks, bool collect) {
  std::vector<Doubles> sums(static_cast<std::size_t>(ranks));
  on_each_rank(ranks, [&](exchange::Exchange& exchange) {
    sums[static_cast<std::size_t>(exchange.rank())] = sums_of(exchange, collect);
  });
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
