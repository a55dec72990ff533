// Pairs of sentences as a training batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/data/tokens.h"

namespace dragoman::data {

// Both sides end in EOS; neither begins with anything.
struct SentencePair {
  Sentence source, target;
};

struct Batch {
  Tokens source;
  Tokens target;  // shifted right by one: the start token, then all but the last
  Array targets;  // int32 [R of target]: what each row is to predict
  std::int64_t target_tokens = 0;
};

// The same in memory of the host: what can be prepared ahead, on any thread.
struct HostBatch {
  HostTokens source, target;
  std::vector<std::int32_t> targets;

  std::int64_t sentences() const { return source.B(); }
};

struct BatchOptions {
  std::int64_t V_source = 0, V_target = 0;
  std::int32_t start_token = kBos;
  std::int32_t first_sentence = 0;  // the number of the first pair within the update
};

// Takes from the front of `pairs` those that have at most `most_tokens` tokens on either side together; one at least.
std::span<const SentencePair> take_batch(std::span<const SentencePair>& pairs, std::int64_t most_tokens);

// Throws UsageError for a sentence without tokens or an id out of range.
HostBatch make_host_batch(std::span<const SentencePair> pairs, const BatchOptions& options);
// In memory of the backend's arena.
Batch to_device(Backend& on, const HostBatch& batch);
// Both in one.
Batch make_batch(Backend& on, std::span<const SentencePair> pairs, const BatchOptions& options);

}  // namespace dragoman::data
