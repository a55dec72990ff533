#include "dragoman/eval/edit_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace dragoman::eval {
namespace {

constexpr std::int64_t kNever = std::int64_t{1} << 40;  // the cost of what lies outside the beam
constexpr std::ptrdiff_t kBeam = 25;

}  // namespace

EditTable::EditTable(const Symbols& hypothesis, const Symbols& reference)
    : reference_(reference), beam_(kBeam), rows_(hypothesis.size() + 1), above_(reference.size() + 1), row_(above_) {
  if (!hypothesis.empty()) ratio_ = static_cast<double>(reference.size()) / static_cast<double>(hypothesis.size());
  // Where one side is so much longer that the beams of neighbouring rows would not meet.
  if (ratio_ / 2 > kBeam) beam_ = static_cast<std::ptrdiff_t>(std::ceil(ratio_ / 2 + kBeam));
  for (std::size_t j = 0; j <= reference.size(); ++j) {
    rows_[0].push_back({static_cast<std::int64_t>(j), Edit::kInsert});
  }
  std::fill(rows_.begin() + 1, rows_.end(), rows_[0]);
  hold(hypothesis);
}

void EditTable::hold(const Symbols& hypothesis) {
  assert(hypothesis.size() + 1 == rows_.size());
  held_ = hypothesis;
  for (std::size_t i = 1; i < rows_.size(); ++i) compute(i, held_[i - 1], rows_[i - 1], rows_[i]);
}

// Of edits that cost the same Tercom prefers to keep or replace a word, then to delete, then to insert one.
void EditTable::compute(std::size_t i, std::uint32_t word, const Row& above, Row& row) const {
  const auto end = static_cast<std::ptrdiff_t>(row.size());
  const auto diagonal = static_cast<std::ptrdiff_t>(std::floor(static_cast<double>(i) * ratio_));
  const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, diagonal - beam_);
  const std::ptrdiff_t last = i + 1 == rows_.size() ? end : std::min(end, diagonal + beam_);
  std::fill(row.begin(), row.end(), Cell{kNever, Edit::kKeep});
  for (std::ptrdiff_t at = first; at < last; ++at) {
    const auto j = static_cast<std::size_t>(at);
    Cell best{kNever, Edit::kKeep};
    const auto consider = [&best](std::int64_t cost, Edit edit) {
      if (cost < best.cost) best = {cost, edit};
    };
    if (j > 0) {
      const bool equal = word == reference_[j - 1];
      consider(above[j - 1].cost + (equal ? 0 : 1), equal ? Edit::kKeep : Edit::kReplace);
    }
    consider(above[j].cost + 1, Edit::kDelete);
    if (j > 0) consider(row[j - 1].cost + 1, Edit::kInsert);
    row[j] = best;
  }
}

std::int64_t EditTable::distance_of(const Symbols& hypothesis) {
  assert(hypothesis.size() == held_.size());
  const auto [differs, held] = std::mismatch(hypothesis.begin(), hypothesis.end(), held_.begin());
  auto i = static_cast<std::size_t>(differs - hypothesis.begin());
  if (i == hypothesis.size()) return distance();
  compute(i + 1, hypothesis[i], rows_[i], row_);
  for (++i; i < hypothesis.size(); ++i) {
    std::swap(above_, row_);
    compute(i + 1, hypothesis[i], above_, row_);
  }
  return row_.back().cost;
}

EditAlignment EditTable::alignment() const {
  EditAlignment alignment{.hypothesis_errors = std::vector<bool>(held_.size()),
                          .reference_errors = std::vector<bool>(reference_.size()),
                          .place = std::vector<std::ptrdiff_t>(reference_.size())};
  for (std::size_t i = held_.size(), j = reference_.size(); i > 0 || j > 0;) {
    const Edit edit = rows_[i][j].last;
    const bool uses_hypothesis = edit != Edit::kInsert, uses_reference = edit != Edit::kDelete;
    if (uses_reference) {
      alignment.place[j - 1] = static_cast<std::ptrdiff_t>(i) - 1;
      alignment.reference_errors[j - 1] = edit != Edit::kKeep;
    }
    if (uses_hypothesis) alignment.hypothesis_errors[i - 1] = edit != Edit::kKeep;
    i -= uses_hypothesis ? 1 : 0;
    j -= uses_reference ? 1 : 0;
  }
  return alignment;
}

}  // namespace dragoman::eval
