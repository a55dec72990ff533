#include "dragoman/data/time_rows.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "dragoman/base/error.h"
#include "dragoman/data/row_index.h"

namespace dragoman::data {

namespace {

using Ids = std::vector<std::int32_t>;

Ids by_falling_length(const Ids& offsets) {
  Ids order(offsets.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::int32_t b) { return offsets[b + 1] - offsets[b]; });
  return order;
}

}  // namespace

std::vector<std::int32_t> host_offsets(Backend& on, const Segments& segments) {
  std::vector<std::int32_t> offsets(static_cast<std::size_t>(segments.B) + 1);
  if (segments.host_offsets != nullptr) {
    std::copy_n(segments.host_offsets, offsets.size(), offsets.begin());
  } else {
    on.copy_out(segments.offsets, offsets.data());
  }
  return offsets;
}

TimeRows time_rows(Backend& on, const Segments& segments, const Segments& memory) {
  require<ShapeError>(segments.B == memory.B, "time_rows: ", segments.B, " sentences, but ", memory.B,
                      " in the memory");
  const Ids offsets = host_offsets(on, segments), order = by_falling_length(offsets);
  require<ShapeError>(offsets.back() == segments.R, "time_rows: the offsets end at ", offsets.back(),
                      ", but the batch has ", segments.R, " rows");
  const auto length = [&](std::int32_t b) { return offsets[b + 1] - offsets[b]; };
  const auto B = static_cast<std::int32_t>(segments.B);
  TimeRows rows;
  rows.B = segments.B;
  rows.R = segments.R;

  rows.order = order;
  rows.offsets = offsets;

  // 1. Step by step: which rows it has, and where they come from.
  Ids forwards, backwards, before, position, sentence, sentence_row, last(order.size());
  for (std::int32_t t = 0, running = B; static_cast<std::int64_t>(forwards.size()) < rows.R; ++t) {
    while (length(order[running - 1]) <= t) --running;
    const auto start = static_cast<std::int32_t>(forwards.size());
    const auto start_before = t == 0 ? 0 : B + static_cast<std::int32_t>(rows.starts.back());
    rows.starts.push_back(start);
    rows.counts.push_back(running);
    for (std::int32_t j = 0; j < running; ++j) {
      const std::int32_t b = order[j], n = length(b);
      forwards.push_back(offsets[b] + t);
      backwards.push_back(offsets[b] + n - 1 - t);
      before.push_back(start_before + j);
      position.push_back(t);
      sentence_row.push_back(b);
      sentence.push_back(segments.first_sentence + b);
      if (t == n - 1) last[b] = start + j;
    }
  }
  // 2. The memory of the sorted sentences.
  const Ids of_memory = host_offsets(on, memory);
  Ids first, count;
  for (const std::int32_t b : order) {
    first.push_back(of_memory[b]);
    count.push_back(of_memory[b + 1] - of_memory[b]);
  }
  rows.memory.longest = memory.longest;
  rows.segments.B = segments.B;
  rows.segments.R = segments.R;
  rows.segments.longest = segments.longest;

  // 3. Everything in one transfer.
  const HostRowIndex indices[] = {host_row_index(forwards, rows.R), host_row_index(backwards, rows.R),
                                  host_row_index(order, rows.B),    host_row_index(sentence_row, rows.B),
                                  host_row_index(last, rows.R),     host_row_index(before, rows.B + rows.R)};
  Upload upload;
  for (const HostRowIndex& index : indices) add(index, upload);
  Ids counts(rows.counts.begin(), rows.counts.end());
  for (const Ids* list : {&position, &sentence, &first, &count, &counts}) upload.add(*list);
  upload.send(on);
  std::size_t next = 0;
  for (RowIndex* index : {&rows.forwards, &rows.backwards, &rows.sorted, &rows.sentence, &rows.last, &rows.before})
    *index = received(indices[next++], upload);
  for (Array* list :
       {&rows.segments.position, &rows.segments.sentence, &rows.memory.first, &rows.memory.count, &rows.device_counts})
    *list = upload.next();
  return rows;
}

Segments TimeRows::segments_of(std::int64_t t) const {
  const auto at = static_cast<std::size_t>(t);
  Segments part = segments;
  part.R = counts[at];
  part.position = segments.position.columns(starts[at], counts[at]);
  part.sentence = segments.sentence.columns(starts[at], counts[at]);
  return part;
}

MemoryRows TimeRows::first_memory(std::int64_t count) const {
  return {memory.first.columns(0, count), memory.count.columns(0, count), memory.longest};
}

}  // namespace dragoman::data
