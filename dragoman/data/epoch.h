// The order in which an epoch visits the pairs of a corpus, and how it groups them into batches. It is a pure function
// of lengths, weights, seed and epoch, so that the numbers of the epoch and of the batch describe a position in the
// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::data {

// Tokens of each side, including EOS.
struct PairLengths {
  std::uint16_t source = 0, target = 0;
};

// The pairs [first, end). An epoch contains floor(weight) copies of each, and one more with probability weight -
// floor(weight).
struct WeightedRange {
  std::int64_t first = 0, end = 0;
  double weight = 1;
};

struct EpochSettings {
  std::int64_t batch_tokens = 0;  // a batch has at most this many tokens on either side; there is no padding
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

// The buckets' upper bounds: 8, then x <- max(x + 1, floor(1.1 x)), and `longest` last.
std::vector<int> bucket_bounds(int longest);

class EpochOrder {
 public:
  // Pairs of similar length (that of the longer side) share a batch, in random order; the batches are in random order
  // too. A pair of more than batch_tokens tokens is a batch of its own. Uses four bytes for each pair of the epoch, and
  // up to twelve during construction. Throws an Error for an epoch of 2^32 pairs or more.
  EpochOrder(std::span<const PairLengths> lengths, std::span<const WeightedRange> ranges,
             const EpochSettings& settings);

  std::int64_t batches() const { return static_cast<std::int64_t>(batches_.size()); }
  // The pairs of batch b, as indices of `lengths`. Batches count from 0.
  std::span<const std::uint32_t> batch(std::int64_t b) const {
    return std::span(pairs_).subspan(batches_[b].first, batches_[b].count);
  }

 private:
  struct Range {
    std::uint32_t first = 0, count = 0;
  };
  // The batch that is being filled.
  struct Filling {
    std::int64_t batch_tokens = 0;
    std::int64_t source = 0, target = 0;  // tokens so far
    Range batch = {};

    bool add(PairLengths lengths);  // false if the pair does not fit into the batch
  };

  // Sorts the pairs into buckets, which follow one another in pairs_. Returns the end of each bucket.
  std::vector<std::size_t> fill_buckets(std::span<const PairLengths> lengths, std::span<const WeightedRange> ranges,
                                        const EpochSettings& settings);
  // Shuffles a bucket and adds its pairs to batches.
  void shuffle_bucket(std::span<std::uint32_t> bucket, std::span<const PairLengths> lengths, RandomStream& random,
                      Filling& filling);

  std::vector<std::uint32_t> pairs_;
  std::vector<Range> batches_;
};

}  // namespace dragoman::data
