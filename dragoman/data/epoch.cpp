#include "dragoman/data/epoch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dragoman/base/error.h"

namespace dragoman::data {

namespace {

constexpr std::uint32_t kShufflePurpose = 0x73687566, kCopiesPurpose = 0x636F7069;  // "shuf", "copi"

int longer_side(PairLengths lengths) { return std::max(lengths.source, lengths.target); }

template <class T>
void shuffle(std::span<T> values, RandomStream& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
}

// Calls visit(pair) once for every copy of a pair in the epoch, in ascending order of pairs.
template <class Visit>
void each_copy(std::span<const WeightedRange> ranges, const EpochSettings& settings, const Visit& visit) {
  const PhiloxKey key = philox_key(settings.seed, kCopiesPurpose);
  const auto epoch = static_cast<std::uint64_t>(settings.epoch);
  for (const WeightedRange& range : ranges) {
    const auto whole = static_cast<std::int64_t>(range.weight);
    // The probability of one more copy, times 2^32.
    const auto threshold =
        static_cast<std::uint64_t>(std::llround(std::ldexp(range.weight - std::floor(range.weight), 32)));
    for (std::int64_t pair = range.first; pair < range.end; ++pair) {
      std::int64_t copies = whole;
      if (threshold > 0) {
        const Philox4 drawn = philox({static_cast<std::uint32_t>(pair), 0, static_cast<std::uint32_t>(epoch),
                                      static_cast<std::uint32_t>(epoch >> 32)},
                                     key);
        copies += drawn[0] < threshold;
      }
      for (; copies > 0; --copies) visit(pair);
    }
  }
}

// Maps every length up to the longest to its bucket.
class Buckets {
 public:
  explicit Buckets(std::span<const PairLengths> lengths) {
    int longest = 0;
    for (const PairLengths pair : lengths) longest = std::max(longest, longer_side(pair));
    const std::vector<int> bounds = bucket_bounds(longest);
    count_ = bounds.size();
    for (int length = 0, bucket = 0; length <= longest; ++length) {
      if (length > bounds[bucket]) ++bucket;
      of_length_.push_back(static_cast<std::uint16_t>(bucket));
    }
  }
  std::size_t count() const { return count_; }
  std::size_t of(PairLengths lengths) const { return of_length_[longer_side(lengths)]; }

 private:
  std::size_t count_;
  std::vector<std::uint16_t> of_length_;
};

}  // namespace

std::vector<int> bucket_bounds(int longest) {
  std::vector<int> bounds;
  for (int x = 8; x < longest; x = std::max(x + 1, x * 11 / 10)) bounds.push_back(x);
  bounds.push_back(longest);
  return bounds;
}

EpochOrder::EpochOrder(std::span<const PairLengths> lengths, std::span<const WeightedRange> ranges,
                       const EpochSettings& settings) {
  // 1. Sort the pairs into buckets by length. 2. Shuffle each bucket and cut it into batches. 3. Shuffle the batches.
  const std::vector<std::size_t> bucket_ends = fill_buckets(lengths, ranges, settings);
  RandomStream random(settings.seed, kShufflePurpose, static_cast<std::uint64_t>(settings.epoch));
  std::size_t start = 0;
  Filling filling{.batch_tokens = settings.batch_tokens};
  for (const std::size_t end : bucket_ends) {
    shuffle_bucket(std::span(pairs_).subspan(start, end - start), lengths, random, filling);
    start = end;
  }
  if (filling.batch.count > 0) batches_.push_back(filling.batch);
  shuffle(std::span(batches_), random);
}

// Shuffling all pairs and then distributing them to buckets would give the same distribution as distributing first and
// shuffling each bucket. But it would access the whole corpus in random order, whereas a bucket fits in the processor's
// cache.
std::vector<std::size_t> EpochOrder::fill_buckets(std::span<const PairLengths> lengths,
                                                  std::span<const WeightedRange> ranges,
                                                  const EpochSettings& settings) {
  const Buckets buckets(lengths);
  // next[b] is where the next pair of bucket b goes. It begins as the number of pairs in all buckets before b, and when
  // all pairs are placed, it is the end of bucket b.
  std::vector<std::size_t> next(buckets.count() + 1, 0);
  each_copy(ranges, settings, [&](std::int64_t pair) { ++next[buckets.of(lengths[pair]) + 1]; });
  for (std::size_t bucket = 0; bucket < buckets.count(); ++bucket) next[bucket + 1] += next[bucket];
  require<Error>(next.back() <= std::numeric_limits<std::uint32_t>::max(), "an epoch of ", next.back(),
                 " pairs is too long; lower the weights of the corpora.");
  pairs_.resize(next.back());
  each_copy(ranges, settings,
            [&](std::int64_t pair) { pairs_[next[buckets.of(lengths[pair])]++] = static_cast<std::uint32_t>(pair); });
  next.pop_back();
  return next;
}

// A batch may continue from one bucket into the next, so that no bucket leaves a small batch behind.
void EpochOrder::shuffle_bucket(std::span<std::uint32_t> bucket, std::span<const PairLengths> lengths,
                                RandomStream& random, Filling& filling) {
  struct Entry {
    std::uint32_t pair;
    PairLengths lengths;
  };
  std::vector<Entry> entries;  // with the lengths: before the shuffle they are looked up in the order of memory
  entries.reserve(bucket.size());
  for (const std::uint32_t pair : bucket) entries.push_back({pair, lengths[pair]});
  shuffle(std::span(entries), random);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    bucket[i] = entries[i].pair;
    if (!filling.add(entries[i].lengths)) {
      batches_.push_back(filling.batch);
      filling = {.batch_tokens = filling.batch_tokens, .batch = {filling.batch.first + filling.batch.count, 0}};
      filling.add(entries[i].lengths);
    }
  }
}

bool EpochOrder::Filling::add(PairLengths lengths) {
  if (batch.count > 0 && (source + lengths.source > batch_tokens || target + lengths.target > batch_tokens))
    return false;
  source += lengths.source;
  target += lengths.target;
  ++batch.count;
  return true;
}

}  // namespace dragoman::data
