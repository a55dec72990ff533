// The rows of a ragged batch in the order of time, for recurrent networks: first the first tokens of all sentences,
// then the second tokens of those that have one, and so on.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/array/segments.h"
#include "dragoman/backend/backend.h"

namespace dragoman::data {

// The sentences are sorted by falling length; equal lengths keep their order. So step t computes the first counts[t] of
// the sorted sentences, and its rows are starts[t] to starts[t] + counts[t] - 1. Nothing is padded, and no step reads
// anything of another sentence.
struct TimeRows {
  std::int64_t B = 0, R = 0;
  std::vector<std::int64_t> starts, counts;  // for each step
  RowIndex forwards;                         // row (t, j) is position t of the sorted sentence j, as a row of the batch
  RowIndex backwards;                        // the same for reading from the end: position n_j - 1 - t
  RowIndex sorted;                           // the sorted sentences, as rows of a matrix with a row for each sentence
  RowIndex sentence;                         // the sentence of each row, as a row of such a matrix
  RowIndex last;                             // the last step of each sentence of the batch, as a row in time order
  RowIndex before;      // the row before each row, in a matrix with the B initial states above the rows of all steps
  Array device_counts;  // `counts` as int32 in device memory
  Segments segments;    // position and sentence of each row, for dropout; without offsets
  MemoryRows memory;    // the rows of another batch, such as the source, that belong to each sorted sentence

  std::vector<std::int32_t> order, offsets;  // the sorted sentences, and Segments::offsets, in host memory

  // The row of the batch that row j of step t belongs to.
  std::int64_t batch_row(std::int64_t t, std::int64_t j) const { return offsets[order[j]] + t; }
  std::int64_t steps() const { return static_cast<std::int64_t>(counts.size()); }
  // Position and sentence of the rows of step t.
  Segments segments_of(std::int64_t t) const;
  // The memory rows of the first `count` sorted sentences.
  MemoryRows first_memory(std::int64_t count) const;
};

// Allocates from the backend's arena. `memory` is another batch of the same sentences, such as the source of
// `segments`, or `segments` itself. Waits for a copy from the device if the segments have no host_offsets.
TimeRows time_rows(Backend& on, const Segments& segments, const Segments& memory);

// Segments::offsets in host memory. Waits for a copy from the device if the segments have no host_offsets.
std::vector<std::int32_t> host_offsets(Backend& on, const Segments& segments);

}  // namespace dragoman::data
