// Word alignments: which words of a sentence and of its translation belong together, and how far two alignments differ.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dragoman::eval {

// Words are counted from 0.
struct WordLink {
  std::int64_t source = 0, target = 0;
  auto operator<=>(const WordLink&) const = default;
};

// A reference alignment. Sure links must be found; possible links may be found and do no harm.
struct GoldLinks {
  std::vector<WordLink> sure, possible;
};

// Reads a line of the Pharaoh format, "0-0 1-2 2-1": source and target word of each link. A link written with p, such as
// 1p2, is only possible. Throws a UsageError that starts with `where` for anything else.
GoldLinks read_gold_links(std::string_view line, std::string_view where);

// Counts for the alignment error rate of a whole text:
// AER = 1 - (|A and S| + |A and P|) / (|A| + |S|), with the links A that were found, the sure links S, and P, the possible
// links together with the sure ones.
struct AlignmentErrors {
  std::int64_t found = 0, sure = 0, found_sure = 0, found_possible = 0;

  // Adds a sentence.
  void add(std::span<const WordLink> links, const GoldLinks& gold);
  // From 0, no error, to 1; 0 if there are no links at all.
  double rate() const;
};

}  // namespace dragoman::eval
