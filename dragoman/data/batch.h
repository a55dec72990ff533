// Pairs of sentences as a training batch.
#pragma once

#include <cstdint>
#include <span>

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

struct BatchOptions {
  std::int64_t V_source = 0, V_target = 0;
  std::int32_t start_token = kBos;
  std::int32_t first_sentence = 0;  // the number of the first pair within the update
};

// In memory of the backend's arena. Throws UsageError for a sentence without tokens or an id out of range.
Batch make_batch(Backend& on, std::span<const SentencePair> pairs, const BatchOptions& options);

}  // namespace dragoman::data
