#include "dragoman/eval/edit_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace dragoman::eval {
namespace {

constexpr std::ptrdiff_t kBeam = 25;  // columns on either side of the diagonal that are computed, as in Tercom

}  // namespace

EditTable::EditTable(const Symbols& hypothesis, const Symbols& reference)
    : reference_(reference), held_(hypothesis), beam_(kBeam) {
  if (!hypothesis.empty()) ratio_ = static_cast<double>(reference.size()) / static_cast<double>(hypothesis.size());
  // If the reference is so much longer that the beams of neighbouring rows would not overlap, the beam is wider.
  if (ratio_ / 2 > kBeam) beam_ = static_cast<std::ptrdiff_t>(std::ceil(ratio_ / 2 + kBeam));
  for (std::uint32_t j = 0; j <= reference.size(); ++j) row_zero_.emplace_back(j, Edit::kInsert);
  const auto width = static_cast<std::size_t>(2 * beam_);
  cells_.assign(hypothesis.size() * width, Cell(kUnreachable, Edit::kKeep));
  above_.assign(width, Cell(kUnreachable, Edit::kKeep));
  row_ = above_;
  for (std::size_t i = 1; i <= held_.size(); ++i) compute(i, held_[i - 1], row(i - 1), cells_of(i));
}

void EditTable::hold(const Symbols& hypothesis) {
  assert(hypothesis.size() == held_.size());
  const auto [differs, held] = std::mismatch(hypothesis.begin(), hypothesis.end(), held_.begin());
  const auto same = static_cast<std::size_t>(differs - hypothesis.begin());
  held_ = hypothesis;
  for (std::size_t i = same + 1; i <= held_.size(); ++i) compute(i, held_[i - 1], row(i - 1), cells_of(i));
}

// The first column of row i inside the beam: its column on the diagonal, minus the beam.
std::size_t EditTable::first_of(std::size_t i) const {
  const auto diagonal = static_cast<std::ptrdiff_t>(std::floor(static_cast<double>(i) * ratio_));
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, diagonal - beam_));
}

std::size_t EditTable::end_of(std::size_t i) const {
  const std::size_t end = reference_.size() + 1;
  if (i == held_.size()) return end;  // the last row has the distance in its last cell
  const auto diagonal = static_cast<std::ptrdiff_t>(std::floor(static_cast<double>(i) * ratio_));
  return std::min(end, static_cast<std::size_t>(diagonal + beam_));
}

std::span<EditTable::Cell> EditTable::cells_of(std::size_t i) {
  const auto width = static_cast<std::size_t>(2 * beam_);
  return std::span(cells_).subspan((i - 1) * width, width);
}

EditTable::Row EditTable::row(std::size_t i) const {
  if (i == 0) return {0, row_zero_};
  const auto width = static_cast<std::size_t>(2 * beam_);
  const std::size_t first = first_of(i);
  return {first, std::span(cells_).subspan((i - 1) * width, end_of(i) - first)};
}

// Among edits of equal cost Tercom prefers to keep or replace a word, then to delete one, then to insert one.
EditTable::Row EditTable::compute(std::size_t i, std::uint32_t word, const Row& above, std::span<Cell> into) const {
  const std::size_t first = first_of(i), end = end_of(i);
  assert(end - first <= into.size());
  Cell left(kUnreachable, Edit::kKeep);
  for (std::size_t j = first; j < end; ++j) {
    Cell best(kUnreachable, Edit::kKeep);
    const auto consider = [&best](std::uint32_t cost, Edit edit) {
      if (cost < best.cost()) best = Cell(cost, edit);
    };
    if (j > 0) {
      const bool equal = word == reference_[j - 1];
      consider(above.at(j - 1).cost() + (equal ? 0 : 1), equal ? Edit::kKeep : Edit::kReplace);
    }
    consider(above.at(j).cost() + 1, Edit::kDelete);
    if (j > 0) consider(left.cost() + 1, Edit::kInsert);
    into[j - first] = left = best;
  }
  return {first, into.first(end - first)};
}

std::optional<std::int64_t> EditTable::Row::constant_difference(const Row& other) const {
  std::optional<std::int64_t> common;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t cost = cells[i].cost(), other_cost = other.cells[i].cost();
    if (cost == kUnreachable && other_cost == kUnreachable) continue;
    if (cost == kUnreachable || other_cost == kUnreachable) return std::nullopt;
    const std::int64_t difference = std::int64_t{cost} - std::int64_t{other_cost};
    if (common.value_or(difference) != difference) return std::nullopt;
    common = difference;
  }
  return common;
}

std::int64_t EditTable::distance_of(const Symbols& hypothesis) {
  assert(hypothesis.size() == held_.size());
  const auto differs = std::mismatch(hypothesis.begin(), hypothesis.end(), held_.begin()).first;
  if (differs == hypothesis.end()) return distance();
  const auto differs_last = std::mismatch(hypothesis.rbegin(), hypothesis.rend(), held_.rbegin()).first;
  const auto same_from = static_cast<std::size_t>(hypothesis.rend() - differs_last);
  auto i = static_cast<std::size_t>(differs - hypothesis.begin()) + 1;
  Row computed = compute(i, hypothesis[i - 1], row(i - 1), row_);
  while (i < hypothesis.size()) {
    // If all words from here on are equal, and all costs of this row differ from the held row by the same number, then
    // all later rows differ by that number too.
    if (i >= same_from) {
      if (const std::optional<std::int64_t> more = computed.constant_difference(row(i))) return distance() + *more;
    }
    std::swap(above_, row_);  // `computed` now refers to the cells in above_
    ++i;
    computed = compute(i, hypothesis[i - 1], computed, row_);
  }
  return computed.last_cost();
}

EditAlignment EditTable::alignment() const {
  EditAlignment alignment{.hypothesis_errors = std::vector<bool>(held_.size()),
                          .reference_errors = std::vector<bool>(reference_.size()),
                          .place = std::vector<std::ptrdiff_t>(reference_.size())};
  for (std::size_t i = held_.size(), j = reference_.size(); i > 0 || j > 0;) {
    const Edit edit = row(i).at(j).last();
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
