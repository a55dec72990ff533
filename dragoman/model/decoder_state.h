// What lives between the steps of translations under way: the source sentences' projected keys and values, those of the
// tokens produced so far, and which hypothesis owns which. Sentences enter and leave at any step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/nn/attention.h"

namespace dragoman::model {

// How much may be under way at once.
struct DecoderRoom {
  std::int64_t source_rows = 0;  // tokens of source sentences, EOS included
  std::int64_t cells = 0;        // tokens of all hypotheses, those that were dropped included
};

// Hands out ranges of the numbers below a limit, the lowest first. Parts of a range may be given back by themselves.
class NumberRanges {
 public:
  explicit NumberRanges(std::int64_t limit = 0);

  // The first of `count` neighbouring numbers, or -1 if no gap is that wide.
  std::int64_t take(std::int64_t count);
  void give_back(std::int64_t first, std::int64_t count);

 private:
  struct Gap {
    std::int64_t first, last;  // [first, last)
  };
  std::vector<Gap> gaps_;  // rising; no two of them touch
};

class DecoderState {
 public:
  // For a model without caches.
  DecoderState() = default;
  // Takes the memory from the backend's arena: the steps' own values lie above it. Pages that are never written cost
  // nothing.
  DecoderState(Backend& on, DType dtype, const nn::AttentionSizes& sizes, int layers, const DecoderRoom& room);

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  // Row r is a hypothesis for the sentence with this number; numbers are given by `enter`, and again after it has left.
  std::int32_t sentence(std::int64_t r) const { return rows_[r].sentence; }
  std::int32_t length(std::int64_t r) const { return rows_[r].length; }
  std::int64_t longest() const;  // the largest length

  // A sentence of so many source tokens enters with one row, the last. Returns its number, or -1 if the memory has no
  // room for it now.
  std::int32_t enter(std::int64_t source_tokens);
  // The rows of the memory that it was given.
  std::int64_t first_memory_row(std::int32_t sentence) const { return sentences_[sentence].first; }

  // Makes row r go on from what row parents[r] was. Rows may be repeated, dropped and reordered; a sentence without
  // rows has left.
  void reorder(std::span<const std::int32_t> parents);

  // Gives each row a cell for its next token; throws an Error if none is left. After it the arrays below describe the
  // step, in memory of the arena.
  void begin_step(Backend& on);
  void end_step();

  const Array& memory() const { return memory_; }  // [source rows, width]: K and V of every layer side by side
  Array memory_K(std::size_t layer) const;
  Array memory_V(std::size_t layer) const;
  CachedKeys past(std::size_t layer) const { return {cache_[layer].K, cache_[layer].V, cells_, lengths_}; }
  const MemoryRows& memory_rows() const { return memory_rows_; }
  const Array& positions() const { return lengths_; }  // int32 [rows]: of the tokens that this step reads

 private:
  struct Row {
    std::int32_t sentence = 0, length = 0;
  };
  struct Sentence {
    std::int64_t first = 0, source_tokens = 0, rows = 0;
    std::vector<std::int32_t> cells;  // every one that it was ever given
  };
  struct Cache {
    Array K, V;
  };

  void leave(std::int32_t sentence);

  nn::AttentionSizes sizes_;
  NumberRanges free_memory_, free_cells_;
  Array memory_;
  std::vector<Cache> cache_;
  std::vector<Row> rows_, former_rows_;
  // The cells of row r's tokens begin at r * stride_.
  std::vector<std::int32_t> ancestors_, former_ancestors_;
  std::int64_t stride_ = 0;
  std::vector<Sentence> sentences_;
  std::vector<std::int32_t> vacant_;  // numbers of sentences that have left

  Array cells_, lengths_;
  MemoryRows memory_rows_;
};

}  // namespace dragoman::model
