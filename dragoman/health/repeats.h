// Finds sentences that occur more than once: inside the training text, and in both the training text and a text that
// is held out from it. Sentences are compared by hashes of 64 bits, so that a corpus of any size takes sixteen bytes
// for each pair. Two different sentences have the same hash with a probability of 2^-64; among 36 million sentences
// that happens once in 28,000 corpora.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dragoman/health/line_check.h"

namespace dragoman::health {

// The hashes of a pair of sentences. The folded ones ignore case, punctuation and spaces: only letters and digits
// count. They are 0 for a sentence without any.
struct PairHashes {
  std::uint64_t source = 0, target = 0;
  std::uint64_t folded_source = 0, folded_target = 0;

  std::uint64_t both() const;  // of the pair as a whole
};
// Without the folded hashes, which take longer to compute.
PairHashes hashes_of(std::string_view source, std::string_view target);
// Computes them too.
PairHashes all_hashes_of(std::string_view source, std::string_view target);

struct RepeatCounts {
  std::int64_t pairs = 0;
  std::int64_t distinct_pairs = 0, distinct_sources = 0, distinct_targets = 0;
  std::int64_t most_copies = 0;  // of one pair

  std::int64_t repeated_pairs() const { return pairs - distinct_pairs; }  // that occurred before
};

// Counts the distinct pairs, sources and targets of a text.
class RepeatCounter {
 public:
  // `place` is an example if an equal pair was added not long ago.
  void add(const PairHashes& pair, const Place& place);

  // Takes a few seconds for millions of pairs. Afterwards nothing may be added.
  RepeatCounts count();
  // Some repeated pairs with the line that they repeat, in the order of the text.
  const std::vector<Example>& examples() const { return examples_; }

 private:
  struct Key {
    std::uint64_t source, target;
  };
  struct Recent {
    std::uint64_t pair = 0;
    std::int64_t line = 0;  // 0 for an unused entry
    std::string file;
  };
  static constexpr std::size_t kRecent = 1 << 14;

  std::deque<Key> keys_;  // unlike a vector it never copies itself to grow
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
  std::vector<Example> examples_;
};

// How many pairs of a held-out text occur in the training text.
struct LeakCounts {
  std::int64_t pairs = 0;                               // of the held-out text, without empty ones
  std::int64_t both = 0, sources = 0, targets = 0;      // equal pairs, and equal sentences of a side
  std::int64_t folded_sources = 0, folded_targets = 0;  // equal but for case, punctuation and spaces, or fully
  std::int64_t exact = 0, any = 0;                      // equal on a side, fully or at least in this way
};

// A text that must not occur in the training text: a validation or test set.
class HeldOutText {
 public:
  explicit HeldOutText(std::string name) : name_(std::move(name)) {}  // as in "the validation text"

  void add(const PairHashes& pair, std::int64_t line);
  // Compares a pair of the training text with all pairs that were added. `place` may be an example.
  void compare(const PairHashes& training, const Place& place);

  LeakCounts counts() const;
  // Some pairs of the training text whose source or target is in the held-out text, with its line there.
  const std::vector<Example>& examples() const { return examples_; }

 private:
  struct Entry {
    std::int64_t line = 0;  // of the first sentence with this hash
    bool found = false;     // in the training text
  };
  using Table = std::unordered_map<std::uint64_t, Entry>;
  // Returns the line if the hash is found for the first time; else 0.
  static std::int64_t find(Table& table, std::uint64_t hash);

  std::string name_;
  std::vector<PairHashes> pairs_;
  Table both_, sources_, targets_, folded_sources_, folded_targets_;
  std::vector<Example> examples_;
};

}  // namespace dragoman::health
