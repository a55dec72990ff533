// What a model keeps between decoding steps, in arrays that it declares by name. Who keeps account of sentences and
// hypotheses (DecoderState on the host, DeviceEngine on the device) says which of their rows a step may read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/backend.h"

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
  // As the embedding reads them: sentences of one token, at the positions that they have in their hypotheses.
  Tokens tokens() const {
    Tokens tokens;
    tokens.ids = ids;
    tokens.segments = {
        .B = count(), .R = count(), .longest = positions, .offsets = {}, .position = lengths, .sentence = {}};
    return tokens;
  }
};

// One array: a row for every cell, or for every row of the memory.
struct StateArray {
  std::string name;
  std::int64_t width = 0;
  DType dtype = DType::kFloat32;
};

// A token of a hypothesis has a cell, which belongs to it for as long as its sentence is under way: a step writes the
// cell of the token that it reads, and finds what came before in the cells of that token's ancestors. Hypotheses that
// share a beginning share its cells, so that a fork copies nothing. What depends on the source alone is in the memory,
// a row for each of its tokens; what the whole sentence has once may lie in the row of its first token.
struct StateLayout {
  std::vector<StateArray> memory = {};
  std::vector<StateArray> cells = {};
};

class StateArrays {
 public:
  // For a model that keeps nothing.
  StateArrays() = default;
  // Takes the memory from the backend's arena: the steps' own values lie above it. Pages that are never written cost
  // nothing.
  StateArrays(Backend& on, const StateLayout& layout, const DecoderRoom& room);

  bool empty() const { return memory_.empty() && cells_.empty(); }

  const Array& memory(std::size_t i) const { return memory_[i]; }  // [source rows, width], in the order of the layout
  const Array& cells(std::size_t i) const { return cells_[i]; }    // [cells, width]

 private:
  std::vector<Array> memory_, cells_;
};

}  // namespace dragoman::model
