// The state of running translations between decoding steps: the model's arrays and, on the host, a record of which
// hypothesis owns which of their rows. Sentences can enter and leave at any step. StateArrays explains cells and the
// memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/model/state/state_arrays.h"

namespace dragoman::model {

// An allocator for ranges of the numbers [0, limit); it takes the lowest free range. A range may be freed in parts.
class NumberRanges {
 public:
  explicit NumberRanges(std::int64_t limit = 0);

  // Allocates `count` consecutive numbers and returns the first, or -1 if no free range is long enough.
  std::int64_t take(std::int64_t count);
  void give_back(std::int64_t first, std::int64_t count);

 private:
  struct Gap {
    std::int64_t first, end;  // [first, end)
  };
  std::vector<Gap> gaps_;  // the free ranges, in ascending order; no two are adjacent
};

class DecoderState {
 public:
  // For a model that keeps nothing between steps.
  DecoderState() = default;
  DecoderState(StateArrays arrays, const DecoderCapacity& capacity);

  const StateArrays& arrays() const { return arrays_; }

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }
  // Row r is a hypothesis for the sentence with this number. `enter` assigns the numbers and reuses those of sentences
  // that have left.
  std::int32_t sentence(std::int64_t r) const { return rows_[r].sentence; }
  std::int32_t length(std::int64_t r) const { return rows_[r].length; }
  std::int64_t longest() const;  // the largest length

  // Adds a sentence of `source_tokens` tokens, with one row, which becomes the last. Returns its number, or -1 if there
  // is no free memory for it now.
  std::int32_t enter(std::int64_t source_tokens);
  // The rows of the memory that belong to these sentences, one sentence after the other.
  std::vector<std::int32_t> memory_rows(std::span<const std::int32_t> sentences) const;

  // Replaces the rows: the new row r continues the old row parents[r]. Rows may be repeated, dropped and reordered. A
  // sentence that has no row any more leaves.
  void reorder(std::span<const std::int32_t> parents);

  // Allocates a cell for each row's next token, ids[r]; throws an Error if there are too few. Returns the description
  // of the step, in memory of the arena. After the model's step, call end_step().
  StepRows begin_step(Backend& on, std::span<const std::int32_t> ids);
  void end_step();

 private:
  struct Row {
    std::int32_t sentence = 0, length = 0;
  };
  struct Sentence {
    std::int64_t first = 0, source_tokens = 0, rows = 0;  // first: its first row of the memory
    std::vector<std::int32_t> cells;                      // all cells of its hypotheses, dropped ones included
  };

  void leave(std::int32_t sentence);

  StateArrays arrays_;
  NumberRanges free_memory_, free_cells_;
  std::vector<Row> rows_, former_rows_;
  // The cells of row r's tokens start at ancestors_[r * stride_].
  std::vector<std::int32_t> ancestors_, former_ancestors_;
  std::int64_t stride_ = 0;
  std::vector<Sentence> sentences_;
  std::vector<std::int32_t> free_numbers_;  // numbers of sentences that have left, to be used again
};

}  // namespace dragoman::model
