// The edit distance between a hypothesis and a reference, computed near the diagonal of the table, and their alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dragoman/eval/ngrams.h"

namespace dragoman::eval {

// The alignment by the cheapest edits. A word is an error if it is not kept. place[j] is the index of the hypothesis
// word that reference word j is aligned with; for an inserted word, of the last hypothesis word before it (-1 if none).
struct EditAlignment {
  std::vector<bool> hypothesis_errors, reference_errors;
  std::vector<std::ptrdiff_t> place;
};

// Distances of hypotheses of the same length from one reference. Row i of the table belongs to the first i words of the
// hypothesis, column j to the first j words of the reference. Only the cells near the diagonal (the beam) are computed,
// so memory is proportional to the length. The object holds the table of one hypothesis; for another one it computes
// only the rows that differ.
class EditTable {
 public:
  EditTable(const Symbols& hypothesis, const Symbols& reference);

  // Replaces the held hypothesis, and computes the rows of the table that change.
  void hold(const Symbols& hypothesis);
  // The distance and the alignment of the held hypothesis.
  std::int64_t distance() const { return row(held_.size()).last_cost(); }
  EditAlignment alignment() const;

  // The distance of another hypothesis of the same length. The held one stays.
  std::int64_t distance_of(const Symbols& hypothesis);

 private:
  enum class Edit : std::uint8_t { kKeep, kReplace, kInsert, kDelete };

  // The cost to reach a cell and the last edit on the way, in four bytes.
  class Cell {
   public:
    constexpr Cell(std::uint32_t cost, Edit last) : both_(cost << 2 | static_cast<std::uint32_t>(last)) {}
    std::uint32_t cost() const { return both_ >> 2; }
    Edit last() const { return static_cast<Edit>(both_ & 3); }

   private:
    std::uint32_t both_;
  };
  static constexpr std::uint32_t kUnreachable = 1U << 29;  // the cost of a cell outside the beam

  // The cells of a row inside the beam, from column `first` on. All other cells have the cost kUnreachable.
  struct Row {
    std::size_t first;
    std::span<const Cell> cells;

    Cell at(std::size_t j) const {
      return j - first < cells.size() ? cells[j - first] : Cell(kUnreachable, Edit::kKeep);
    }
    std::int64_t last_cost() const { return cells.back().cost(); }
    // The costs of this row minus those of another with the same columns, if the difference is the same everywhere.
    std::optional<std::int64_t> constant_difference(const Row& other) const;
  };

  Row row(std::size_t i) const;
  std::size_t first_of(std::size_t i) const;
  std::size_t end_of(std::size_t i) const;
  std::span<Cell> cells_of(std::size_t i);
  Row compute(std::size_t i, std::uint32_t word, const Row& above, std::span<Cell> into) const;

  const Symbols& reference_;
  Symbols held_;
  double ratio_ = 1;         // the slope of the diagonal: reference words per hypothesis word
  std::ptrdiff_t beam_ = 0;  // columns on each side of the diagonal
  std::vector<Cell> row_zero_;
  std::vector<Cell> cells_;        // the rows after row zero, 2 * beam_ cells for each
  std::vector<Cell> above_, row_;  // two rows for distance_of()
};

}  // namespace dragoman::eval
