#include "dragoman/data/epoch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace dragoman::data {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Lengths from 2 to 40, with sides of similar length.
std::vector<PairLengths> some_lengths(int pairs) {
  RandomStream random(7);
  std::vector<PairLengths> lengths;
  for (int i = 0; i < pairs; ++i) {
    const std::uint32_t n = 2 + random.below(37);
    lengths.push_back({static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(n + random.below(3))});
  }
  return lengths;
}

EpochOrder order(const std::vector<PairLengths>& lengths, const EpochSettings& settings, double weight = 1) {
  const WeightedRange all{.first = 0, .end = std::ssize(lengths), .weight = weight};
  return {lengths, {&all, 1}, settings};
}

Numbers flat(const EpochOrder& order) {
  Numbers pairs;
  for (std::int64_t b = 0; b < order.batches(); ++b) std::ranges::copy(order.batch(b), std::back_inserter(pairs));
  return pairs;
}

std::vector<int> copies_of(const EpochOrder& order, std::size_t pairs) {
  std::vector<int> copies(pairs, 0);
  for (const std::uint32_t pair : flat(order)) ++copies[pair];
  return copies;
}

TEST(EpochOrder, HoldsEveryPairOnce) {
  const auto lengths = some_lengths(1000);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch)
    EXPECT_EQ(copies_of(order(lengths, {.batch_tokens = 100, .seed = 1, .epoch = epoch}), 1000),
              std::vector<int>(1000, 1));
}

TEST(EpochOrder, BatchesNeverExceedTheBudgetOnEitherSide) {
  const auto lengths = some_lengths(1000);
  const EpochOrder epoch = order(lengths, {.batch_tokens = 100, .seed = 1, .epoch = 0});
  std::int64_t total = 0;
  for (std::int64_t b = 0; b < epoch.batches(); ++b) {
    int source = 0, target = 0;
    for (const std::uint32_t pair : epoch.batch(b)) {
      source += lengths[pair].source;
      target += lengths[pair].target;
    }
    EXPECT_LE(source, 100);
    EXPECT_LE(target, 100);
    total += std::max(source, target);
  }
  EXPECT_GT(total, 75 * epoch.batches());  // nor are they far below it
}

TEST(EpochOrder, APairLargerThanTheBudgetIsABatchOfItsOwn) {
  const EpochOrder epoch = order({{3, 3}, {30, 3}, {3, 3}}, {.batch_tokens = 10, .seed = 1, .epoch = 0});
  std::multiset<std::size_t> sizes;
  for (std::int64_t b = 0; b < epoch.batches(); ++b) sizes.insert(epoch.batch(b).size());
  EXPECT_EQ(sizes, (std::multiset<std::size_t>{1, 2}));
}

TEST(EpochOrder, PairsOfSimilarLengthShareABatch) {
  const auto lengths = some_lengths(5000);
  const EpochOrder epoch = order(lengths, {.batch_tokens = 200, .seed = 1, .epoch = 0});
  const std::vector<int> bounds = bucket_bounds(40);
  const auto bucket = [&](std::uint32_t pair) {
    return std::ranges::lower_bound(bounds, std::max(lengths[pair].source, lengths[pair].target)) - bounds.begin();
  };
  std::int64_t mixed = 0;
  for (std::int64_t b = 0; b < epoch.batches(); ++b) {
    const auto [lowest, highest] = std::ranges::minmax(epoch.batch(b), {}, bucket);
    mixed += bucket(lowest) != bucket(highest);
    EXPECT_LE(bucket(highest) - bucket(lowest), 1);
  }
  EXPECT_LT(mixed, std::ssize(bounds));  // at most one mixed batch where two buckets meet
}

TEST(EpochOrder, DependsOnSeedAndEpochAlone) {
  const auto lengths = some_lengths(300);
  const EpochSettings settings{.batch_tokens = 100, .seed = 5, .epoch = 2};
  EXPECT_EQ(flat(order(lengths, settings)), flat(order(lengths, settings)));
  EXPECT_NE(flat(order(lengths, settings)), flat(order(lengths, {.batch_tokens = 100, .seed = 6, .epoch = 2})));
  EXPECT_NE(flat(order(lengths, settings)), flat(order(lengths, {.batch_tokens = 100, .seed = 5, .epoch = 3})));
}

TEST(EpochOrder, LongAndShortBatchesAreMixed) {
  const auto lengths = some_lengths(5000);
  const EpochOrder epoch = order(lengths, {.batch_tokens = 200, .seed = 1, .epoch = 0});
  double first_half = 0, second_half = 0;
  for (std::int64_t b = 0; b < epoch.batches(); ++b)
    (b < epoch.batches() / 2 ? first_half : second_half) += lengths[epoch.batch(b).front()].source;
  EXPECT_NEAR(first_half / second_half, 1, 0.1);
}

TEST(EpochOrder, AWeightIsTheMeanNumberOfCopies) {
  const auto lengths = some_lengths(4000);
  const std::vector<WeightedRange> ranges{{.first = 0, .end = 2000, .weight = 2.5},
                                          {.first = 2000, .end = 4000, .weight = 0.25}};
  const EpochOrder epoch(lengths, ranges, {.batch_tokens = 100, .seed = 1, .epoch = 0});
  const std::vector<int> copies = copies_of(epoch, 4000);
  int many = 0, few = 0;
  for (int pair = 0; pair < 2000; ++pair) {
    EXPECT_TRUE(copies[pair] == 2 || copies[pair] == 3);
    EXPECT_TRUE(copies[2000 + pair] == 0 || copies[2000 + pair] == 1);
    many += copies[pair];
    few += copies[2000 + pair];
  }
  EXPECT_NEAR(many, 5000, 4 * std::sqrt(500));
  EXPECT_NEAR(few, 500, 4 * std::sqrt(375));
}

TEST(EpochOrder, FractionsAreDrawnAnewEachEpoch) {
  const auto lengths = some_lengths(100);
  EXPECT_NE(copies_of(order(lengths, {.batch_tokens = 100, .seed = 1, .epoch = 0}, 0.5), 100),
            copies_of(order(lengths, {.batch_tokens = 100, .seed = 1, .epoch = 1}, 0.5), 100));
}

TEST(EpochOrder, OfNoPairsHasNoBatches) {
  EXPECT_EQ(order({}, {.batch_tokens = 100, .seed = 1, .epoch = 0}).batches(), 0);
}

TEST(BucketBounds, GrowByATenthFromEightToTheLongest) {
  EXPECT_EQ(bucket_bounds(256), (std::vector<int>{8,  9,  10, 11,  12,  13,  14,  15,  16,  17,  18,  19,  20,  22,
                                                  24, 26, 28, 30,  33,  36,  39,  42,  46,  50,  55,  60,  66,  72,
                                                  79, 86, 94, 103, 113, 124, 136, 149, 163, 179, 196, 215, 236, 256}));
  EXPECT_EQ(bucket_bounds(5), (std::vector<int>{5}));
}

}  // namespace
}  // namespace dragoman::data
