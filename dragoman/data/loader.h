// Feeds training: reads a cache in the order of its epochs and prepares updates ahead on a separate thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/data/epoch.h"
#include "dragoman/data/token_cache.h"

namespace dragoman::data {

// The next batch to read; epochs and batches count from 0. A checkpoint needs to store nothing else about the data.
struct Position {
  std::int64_t epoch = 0, batch = 0;
  bool operator==(const Position&) const = default;
};

struct LoaderSettings {
  std::int64_t batch_tokens = 25'000;  // most tokens on either side of a batch; there is no padding
  std::int64_t accumulate = 1;         // batches in one update
  std::int64_t micro_tokens = 0;       // most tokens on either side that are computed at once; 0 for a whole batch
  double subword_sampling = 0;         // how much the tokens of a sentence vary between epochs; needs a cache with text
  std::uint64_t seed = 1;
  std::int32_t start_token = kBos;
  int threads = 1;  // that tokenize sentences during subword sampling; 0 for all
  // An update is divided among `ranks` processes: each loads as many consecutive batches. It must divide `accumulate`.
  int rank = 0, ranks = 1;

  // Throws a UsageError for values out of range, and if the longest sentence would not fit into a batch.
  void validate(const CleaningSettings& cleaning) const;
};

// The data for one step of the optimiser.
struct Update {
  std::vector<HostBatch> micro_batches;               // of this rank; sentences are numbered through the whole update
  std::vector<std::int64_t> batches;                  // how many of the micro-batches each batch has, in order
  Position first, after;                              // where it begins, and where the next update begins
  std::int64_t sentences = 0;                         // of the whole update
  std::int64_t source_tokens = 0, target_tokens = 0;  // of this rank
};

// Batches are composed by the lengths of sentences without subword sampling, so that a position means the same with any
// sampling. A sampled sentence may have more tokens: micro-batches are formed after sampling and stay within
// micro_tokens, and a sentence that would exceed the cleaning's max_length is not sampled.
class Loader {
 public:
  // The cache must outlive the loader. Throws a UsageError for settings that do not fit the cache.
  Loader(const TokenCache& cache, const LoaderSettings& settings, Position start = {});
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Waits for the next update; there is always one. Rethrows an error that occurred while preparing it, and throws a
  // UsageError if the start position is beyond the end of its epoch.
  Update next();

  // Known at once for epochs that next() has reached; counting another one takes a second for ten million pairs.
  std::int64_t batches_in_epoch(std::int64_t epoch) const;
  // For messages; counts from 1: "epoch 3, batch 17 (first pair: line 4711 of 'train.en')".
  std::string describe(Position position) const;

  // The most memory that a loader adds to the process, including the mapped index of the cache.
  static std::int64_t resident_bytes(const TokenCache& cache, const LoaderSettings& settings);

 private:
  class Preparation;
  void prepare_ahead(Position start);
  EpochOrder order_of(std::int64_t epoch) const;
  void remember(std::int64_t epoch, std::int64_t batches) const;

  const TokenCache& cache_;
  LoaderSettings settings_;

  // mutex_ guards all members below except thread_. The thread appends to ready_ and next() takes from it; changed_
  // signals both.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Update> ready_;
  std::exception_ptr problem_;
  bool stop_ = false;
  mutable std::map<std::int64_t, std::int64_t> batches_;  // number of batches, by epoch
  std::thread thread_;
};

}  // namespace dragoman::data
