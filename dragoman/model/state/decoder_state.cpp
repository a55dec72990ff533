#include "dragoman/model/state/decoder_state.h"

#include <algorithm>
#include <utility>

#include "dragoman/data/tokens.h"

namespace dragoman::model {

NumberRanges::NumberRanges(std::int64_t limit) {
  if (limit > 0) gaps_.push_back({0, limit});
}

std::int64_t NumberRanges::take(std::int64_t count) {
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->end - gap->first < count) continue;
    const std::int64_t first = gap->first;
    gap->first += count;
    if (gap->first == gap->end) gaps_.erase(gap);
    return first;
  }
  return -1;
}

void NumberRanges::give_back(std::int64_t first, std::int64_t count) {
  const auto after = std::ranges::lower_bound(gaps_, first, {}, &Gap::first);
  const bool joins_after = after != gaps_.end() && after->first == first + count;
  const bool joins_before = after != gaps_.begin() && std::prev(after)->end == first;
  if (joins_before && joins_after) {
    std::prev(after)->end = after->end;
    gaps_.erase(after);
  } else if (joins_before) {
    std::prev(after)->end += count;
  } else if (joins_after) {
    after->first = first;
  } else {
    gaps_.insert(after, {first, first + count});
  }
}

DecoderState::DecoderState(StateArrays arrays, const DecoderCapacity& capacity)
    : arrays_(std::move(arrays)), free_memory_(capacity.source_rows), free_cells_(capacity.cells) {}

std::int64_t DecoderState::longest() const {
  std::int64_t longest = 0;
  for (const Row& row : rows_) longest = std::max<std::int64_t>(longest, row.length);
  return longest;
}

// A model without arrays keeps nothing between steps, so neither memory nor cells are allocated for it.
std::int32_t DecoderState::enter(std::int64_t source_tokens) {
  const std::int64_t first = arrays_.empty() ? 0 : free_memory_.take(source_tokens);
  if (first < 0) return -1;
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<std::int32_t>(sentences_.size()));
    sentences_.emplace_back();
  }
  const std::int32_t number = free_numbers_.back();
  free_numbers_.pop_back();
  Sentence& sentence = sentences_[number];
  sentence.first = first;
  sentence.source_tokens = source_tokens;
  sentence.rows = 1;
  rows_.push_back({number, 0});
  ancestors_.resize(rows_.size() * stride_);
  return number;
}

std::vector<std::int32_t> DecoderState::memory_rows(std::span<const std::int32_t> sentences) const {
  std::vector<std::int32_t> rows;
  for (const std::int32_t number : sentences) {
    const Sentence& sentence = sentences_[number];
    for (std::int64_t i = 0; i < sentence.source_tokens; ++i) {
      rows.push_back(static_cast<std::int32_t>(sentence.first + i));
    }
  }
  return rows;
}

void DecoderState::leave(std::int32_t number) {
  Sentence& sentence = sentences_[number];
  if (!arrays_.empty()) free_memory_.give_back(sentence.first, sentence.source_tokens);
  for (const std::int32_t cell : sentence.cells) free_cells_.give_back(cell, 1);
  sentence.cells.clear();
  free_numbers_.push_back(number);
}

void DecoderState::reorder(std::span<const std::int32_t> parents) {
  for (const std::int32_t parent : parents) {
    require<Error>(parent >= 0 && parent < rows(), "reorder: row ", parent, " of a state with ", rows(), " rows");
  }
  rows_.swap(former_rows_);
  ancestors_.swap(former_ancestors_);
  rows_.clear();
  ancestors_.resize(parents.size() * stride_);
  for (std::size_t r = 0; r < parents.size(); ++r) {
    const Row& row = former_rows_[parents[r]];
    rows_.push_back(row);
    ++sentences_[row.sentence].rows;
    const std::int64_t kept = std::min<std::int64_t>(row.length, stride_);
    std::copy_n(former_ancestors_.begin() + parents[r] * stride_, kept, ancestors_.begin() + r * stride_);
  }
  for (const Row& row : former_rows_) {
    if (--sentences_[row.sentence].rows == 0) leave(row.sentence);
  }
}

StepRows DecoderState::begin_step(Backend& on, std::span<const std::int32_t> ids) {
  StepRows step;
  const std::int64_t steps = step.positions = longest() + 1;
  // 1. If the lists of ancestors are full, make them twice as long as needed now, so that this is rare.
  if (steps > stride_) {
    const std::int64_t wider = 2 * steps;
    std::vector<std::int32_t> moved(rows_.size() * wider);
    for (std::int64_t r = 0; r < rows(); ++r) {
      std::copy_n(ancestors_.begin() + r * stride_, rows_[r].length, moved.begin() + r * wider);
    }
    ancestors_ = std::move(moved);
    stride_ = wider;
  }
  // 2. For each row: allocate a cell for the new token, and list the cells of all its tokens and its part of the
  // memory.
  std::vector<std::int32_t> cells, lengths, first, count;
  for (std::int64_t r = 0; r < rows(); ++r) {
    const Row& row = rows_[r];
    Sentence& sentence = sentences_[row.sentence];
    const std::int64_t cell = arrays_.empty() ? 0 : free_cells_.take(1);
    require<Error>(cell >= 0, "step: all cells are in use; there is no memory for another token");
    if (!arrays_.empty()) sentence.cells.push_back(static_cast<std::int32_t>(cell));
    ancestors_[r * stride_ + row.length] = static_cast<std::int32_t>(cell);
    cells.insert(cells.end(), ancestors_.begin() + r * stride_, ancestors_.begin() + r * stride_ + steps);
    lengths.push_back(row.length);
    first.push_back(static_cast<std::int32_t>(sentence.first));
    count.push_back(static_cast<std::int32_t>(sentence.source_tokens));
    step.memory.longest = std::max(step.memory.longest, sentence.source_tokens);
  }
  // 3. Copy all lists to the device at once.
  data::Upload upload;
  upload.add(ids);
  for (const auto* list : {&cells, &lengths, &first, &count}) upload.add(*list);
  upload.send(on);
  for (Array* array : {&step.ids, &step.cells, &step.lengths, &step.memory.first, &step.memory.count}) {
    *array = upload.next();
  }
  step.cells = step.cells.reshaped({rows(), steps});
  return step;
}

void DecoderState::end_step() {
  for (Row& row : rows_) ++row.length;
}

}  // namespace dragoman::model
