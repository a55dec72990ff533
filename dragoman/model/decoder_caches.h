// Keys and values that decoding steps look at: those of the source sentences under way, and those of the tokens
// produced so far. Who keeps account of sentences and hypotheses says which of them a row may see.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/nn/attention.h"

namespace dragoman::model {

// How much may be under way at once.
struct DecoderRoom {
  std::int64_t source_rows = 0;  // tokens of source sentences, EOS included
  std::int64_t cells = 0;        // tokens of all hypotheses, those that were dropped included
};

// The rows of a step, one a hypothesis, in arrays of the device: on the host nothing is known of them but bounds.
struct StepRows {
  Array ids;                   // int32 [rows]: the token that each reads
  Array cells, lengths;        // as in CachedKeys
  MemoryRows memory;           // whose `longest` may be more than the largest count
  std::int64_t positions = 1;  // more than any of the lengths

  std::int64_t count() const { return ids.count(); }
};

class DecoderCaches {
 public:
  // For a model without caches.
  DecoderCaches() = default;
  // Takes the memory from the backend's arena: the steps' own values lie above it. Pages that are never written cost
  // nothing.
  DecoderCaches(Backend& on, DType dtype, const nn::AttentionSizes& sizes, int layers, const DecoderRoom& room);

  bool empty() const { return cache_.empty(); }

  const Array& memory() const { return memory_; }  // [source rows, width]: K and V of every layer side by side
  Array memory_K(std::size_t layer) const;
  Array memory_V(std::size_t layer) const;
  CachedKeys past(std::size_t layer, const StepRows& rows) const {
    return {cache_[layer].K, cache_[layer].V, rows.cells, rows.lengths};
  }

 private:
  struct Cache {
    Array K, V;
  };

  nn::AttentionSizes sizes_;
  Array memory_;
  std::vector<Cache> cache_;
};

}  // namespace dragoman::model
