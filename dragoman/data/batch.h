// Turns pairs of sentences into a training batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/data/tokens.h"

namespace dragoman::data {

// Both sides end in EOS. Neither has a start token.
struct SentencePair {
  Sentence source, target;
};

struct Batch {
  Tokens source;
  Tokens target;  // shifted right by one: the start token, then all but the last
  Array targets;  // int32 [R of target]: the token that each row predicts
  std::int64_t target_tokens = 0;
};

// The same in host memory, so that it can be prepared ahead on any thread.
struct HostBatch {
  HostTokens source, target;
  std::vector<std::int32_t> targets;

  std::int64_t sentences() const { return source.B(); }
};

struct BatchOptions {
  std::int64_t V_source = 0, V_target = 0;
  std::int32_t start_token = kBos;
  std::int32_t first_sentence = 0;  // number of the first pair within the update
};

// Takes pairs from the front of `pairs` as long as neither their sources nor their targets have more than `max_tokens`
// tokens in total; always takes at least one.
std::span<const SentencePair> take_batch(std::span<const SentencePair>& pairs, std::int64_t max_tokens);

// Throws UsageError for a sentence without tokens or an id out of range.
HostBatch make_host_batch(std::span<const SentencePair> pairs, const BatchOptions& options);
// Allocates from the backend's arena, and from its host arena.
Batch to_device(Backend& on, const HostBatch& batch);
// make_host_batch() and to_device() in one.
Batch make_batch(Backend& on, std::span<const SentencePair> pairs, const BatchOptions& options);

}  // namespace dragoman::data
