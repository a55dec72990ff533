// The arrays that a model keeps between decoding steps; a model declares them by name. DecoderState (on the host) or
// DeviceEngine (on the device) tracks sentences and hypotheses, and decides which rows a step may read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/backend.h"

namespace dragoman::model {

// The capacity of the state: how many tokens it can hold at once.
struct DecoderCapacity {
  std::int64_t source_rows = 0;  // tokens of source sentences, EOS included
  std::int64_t cells = 0;        // tokens of all hypotheses, dropped ones included
};

// The rows of a step, one for each hypothesis. The arrays are on the device; the host knows only bounds of their
// values.
struct StepRows {
  Array ids;                   // int32 [rows]: the token that each row reads
  Array cells, lengths;        // as in CachedKeys
  MemoryRows memory;           // its `longest` may be more than the largest count
  std::int64_t positions = 1;  // more than the largest length

  std::int64_t count() const { return ids.count(); }
  // The tokens for the embedding: each row is a sentence of one token, at its position in the hypothesis.
  Tokens tokens() const {
    Tokens tokens;
    tokens.ids = ids;
    tokens.segments = {
        .B = count(), .R = count(), .longest = positions, .offsets = {}, .position = lengths, .sentence = {}};
    return tokens;
  }
};

// One array of the state. It has a row for every cell, or for every source token (the memory).
struct StateArray {
  std::string name;
  std::int64_t width = 0;
  DType dtype = DType::kFloat32;
};

// The arrays of a model's state. Every token of a hypothesis has a cell, until its sentence is finished. A step writes
// the cell of the token that it reads, and reads the cells of the tokens before it. Hypotheses with a common beginning
// share its cells, so a fork copies nothing. Values that depend on the source alone are in the memory, which has a row
// for each source token. A value of the whole sentence may be put in the row of its first token.
struct StateLayout {
  std::vector<StateArray> memory = {};
  std::vector<StateArray> cells = {};
};

class StateArrays {
 public:
  // For a model that keeps nothing between steps.
  StateArrays() = default;
  // Takes the memory from the backend's arena, before the values of the steps. Pages that are never written cost
  // nothing.
  StateArrays(Backend& on, const StateLayout& layout, const DecoderCapacity& capacity);

  bool empty() const { return memory_.empty() && cells_.empty(); }

  const Array& memory(std::size_t i) const { return memory_[i]; }  // [source rows, width], in the order of the layout
  const Array& cells(std::size_t i) const { return cells_[i]; }    // [cells, width]

 private:
  std::vector<Array> memory_, cells_;
};

}  // namespace dragoman::model
