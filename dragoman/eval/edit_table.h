// The edit distance between a hypothesis and a reference, near the diagonal, and how the two align.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dragoman/eval/ngrams.h"

namespace dragoman::eval {

// What the cheapest edits make of the words: those of the hypothesis and of the reference that are not left as they
// are, and for each word of the reference the last word of the hypothesis at or before its place, -1 if there is none.
struct EditAlignment {
  std::vector<bool> hypothesis_errors, reference_errors;
  std::vector<std::ptrdiff_t> place;
};

// Distances of hypotheses of one length from one reference. It holds the table of one of them near the diagonal, which
// takes memory in proportion to their lengths; that of another is computed where it differs.
class EditTable {
 public:
  EditTable(const Symbols& hypothesis, const Symbols& reference);

  // Makes `hypothesis` the one that the table is of.
  void hold(const Symbols& hypothesis);
  std::int64_t distance() const { return row(held_.size()).last_cost(); }
  EditAlignment alignment() const;

  std::int64_t distance_of(const Symbols& hypothesis);

 private:
  enum class Edit : std::uint8_t { kKeep, kReplace, kInsert, kDelete };

  // A cost and the edit that it ends with, in four bytes.
  class Cell {
   public:
    constexpr Cell(std::uint32_t cost, Edit last) : both_(cost << 2 | static_cast<std::uint32_t>(last)) {}
    std::uint32_t cost() const { return both_ >> 2; }
    Edit last() const { return static_cast<Edit>(both_ & 3); }

   private:
    std::uint32_t both_;
  };
  static constexpr std::uint32_t kNever = 1U << 29;  // the cost of what lies outside the beam

  // The cells of a row from `first` on; all others are never reached.
  struct Row {
    std::size_t first;
    std::span<const Cell> cells;

    Cell at(std::size_t j) const { return j - first < cells.size() ? cells[j - first] : Cell(kNever, Edit::kKeep); }
    std::int64_t last_cost() const { return cells.back().cost(); }
    // What the costs of this row are above those of another of the same place, if that is the same for all of them.
    std::optional<std::int64_t> above(const Row& other) const;
  };

  Row row(std::size_t i) const;
  std::size_t first_of(std::size_t i) const;
  std::size_t end_of(std::size_t i) const;
  std::span<Cell> cells_of(std::size_t i);
  Row compute(std::size_t i, std::uint32_t word, const Row& above, std::span<Cell> into) const;

  const Symbols& reference_;
  Symbols held_;
  double ratio_ = 1;  // words of the reference for one of the hypothesis
  std::ptrdiff_t beam_ = 0;
  std::vector<Cell> row_zero_;
  std::vector<Cell> cells_;        // of the rows after it, 2 * beam_ for each
  std::vector<Cell> above_, row_;  // of another hypothesis
};

}  // namespace dragoman::eval
