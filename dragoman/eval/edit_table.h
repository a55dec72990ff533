// The edit distance between a hypothesis and a reference, near the diagonal, and how the two align.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dragoman/eval/ngrams.h"

namespace dragoman::eval {

// What the cheapest edits make of the words: those of the hypothesis and of the reference that are not left as they
// are, and for each word of the reference the last word of the hypothesis at or before its place, -1 if there is none.
struct EditAlignment {
  std::vector<bool> hypothesis_errors, reference_errors;
  std::vector<std::ptrdiff_t> place;
};

// Distances of hypotheses of one length from one reference. It holds the whole table of one of them; that of another is
// computed from where the two differ.
class EditTable {
 public:
  EditTable(const Symbols& hypothesis, const Symbols& reference);

  // Makes `hypothesis` the one that the table is of.
  void hold(const Symbols& hypothesis);
  std::int64_t distance() const { return rows_.back().back().cost; }
  EditAlignment alignment() const;

  std::int64_t distance_of(const Symbols& hypothesis);

 private:
  enum class Edit : std::uint8_t { kKeep, kReplace, kInsert, kDelete };
  struct Cell {
    std::int64_t cost;
    Edit last;
  };
  using Row = std::vector<Cell>;

  void compute(std::size_t i, std::uint32_t word, const Row& above, Row& row) const;

  const Symbols& reference_;
  Symbols held_;
  double ratio_ = 1;  // words of the reference for one of the hypothesis
  std::ptrdiff_t beam_ = 0;
  std::vector<Row> rows_;
  Row above_, row_;  // of another hypothesis
};

}  // namespace dragoman::eval
