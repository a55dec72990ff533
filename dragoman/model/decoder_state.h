// What lives between the steps of translations under way, with account kept on the host: the model's arrays, and which
// hypothesis owns which of their rows. Sentences enter and leave at any step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/model/state_arrays.h"

namespace dragoman::model {

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
  // For a model that keeps nothing between steps.
  DecoderState() = default;
  DecoderState(StateArrays arrays, const DecoderRoom& room);

  const StateArrays& arrays() const { return arrays_; }

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  // Row r is a hypothesis for the sentence with this number; numbers are given by `enter`, and again after it has left.
  std::int32_t sentence(std::int64_t r) const { return rows_[r].sentence; }
  std::int32_t length(std::int64_t r) const { return rows_[r].length; }
  std::int64_t longest() const;  // the largest length

  // A sentence of so many source tokens enters with one row, the last. Returns its number, or -1 if the memory has no
  // room for it now.
  std::int32_t enter(std::int64_t source_tokens);
  // The rows of the memory that these sentences were given, those of the first one first.
  std::vector<std::int32_t> memory_rows(std::span<const std::int32_t> sentences) const;

  // Makes row r go on from what row parents[r] was. Rows may be repeated, dropped and reordered; a sentence without
  // rows has left.
  void reorder(std::span<const std::int32_t> parents);

  // Gives each row a cell for its next token, ids[r]; throws an Error if none is left. Returns what describes the step,
  // in memory of the arena.
  StepRows begin_step(Backend& on, std::span<const std::int32_t> ids);
  void end_step();

 private:
  struct Row {
    std::int32_t sentence = 0, length = 0;
  };
  struct Sentence {
    std::int64_t first = 0, source_tokens = 0, rows = 0;
    std::vector<std::int32_t> cells;  // every one that it was ever given
  };

  void leave(std::int32_t sentence);

  StateArrays arrays_;
  NumberRanges free_memory_, free_cells_;
  std::vector<Row> rows_, former_rows_;
  // The cells of row r's tokens begin at r * stride_.
  std::vector<std::int32_t> ancestors_, former_ancestors_;
  std::int64_t stride_ = 0;
  std::vector<Sentence> sentences_;
  std::vector<std::int32_t> vacant_;  // numbers of sentences that have left
};

}  // namespace dragoman::model
