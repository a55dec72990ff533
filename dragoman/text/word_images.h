// What became of the words of a text in its translation, and where in the translation that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::text {

// Bytes of a text, or a run of its atoms.
struct Range {
  std::size_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

// Bytes of a text that became these bytes of its translation: words, pieces of a vocabulary or whole sentences.
struct Link {
  Range source, target;
  bool operator==(const Link&) const = default;
};

// The words of a text: what white space separates.
std::vector<Range> words_of(std::string_view text);
// Links between words, counted from 0, as word alignments have them. Numbers that are no word's are left out.
std::vector<Link> link_words(std::string_view source, std::string_view target,
                             std::span<const std::pair<std::int64_t, std::int64_t>> alignment);

// The smallest part of a text that tags go around: a word, an ideograph or a punctuation mark. White space is between
// atoms.
struct Atom {
  Range bytes;
  bool word = false;
};
using Atoms = std::vector<Atom>;

// The text's atoms, cut further at some bytes, which are in order.
Atoms atoms_of(std::string_view text, std::span<const std::size_t> cuts);

// Which target atoms each source atom became.
class WordImages {
 public:
  // Refers to the atoms, which must outlive this. Inside a link words belong to words and marks to marks.
  WordImages(const Atoms& source, const Atoms& target, std::span<const Link> links);

  // The run of target atoms that has most of what these source atoms became and little else. Words of which nothing
  // became have the place between their neighbours; nothing is returned where marks did not, or there is no target.
  std::optional<Range> image(const Range& atoms) const;

  // Where between target atoms something goes that stands before a source atom, and belongs to it or to the one before.
  std::size_t place(std::size_t before, bool belongs_left) const;

 private:
  void connect(const Range& from, const Range& to);
  void count_costs();
  void find_neighbours();
  bool has_words(const Range& atoms) const;
  std::optional<Range> between(const Range& atoms) const;
  Range best_run(const std::vector<std::size_t>& targets) const;

  const Atoms &source_, &target_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // source and target atom, in order
  std::vector<std::int64_t> costs_;                         // of all target atoms before one
  // Behind what the nearest source atom before this one became, and before what the nearest from this one on became.
  std::vector<std::size_t> left_, right_;
};

}  // namespace dragoman::text
