// Finds the image of a word: the part of the translation that the word became, according to word alignments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::text {

// A range of bytes of a text, or of indices of its atoms.
struct Range {
  std::size_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

// Bytes of a text and the bytes of its translation that they became: words, pieces of a vocabulary or whole sentences.
struct TextLink {
  Range source, target;
  bool operator==(const TextLink&) const = default;
};

// The words of a text, as separated by white space.
std::vector<Range> words_of(std::string_view text);
// Links from a word alignment: pairs of word numbers, counted from 0. Pairs with a number that no word has are skipped.
std::vector<TextLink> link_words(std::string_view source, std::string_view target,
                                 std::span<const std::pair<std::int64_t, std::int64_t>> alignment);

// The smallest part of a text that tags can enclose: a word, an ideograph or a punctuation mark. White space is between
// atoms and belongs to none.
struct Atom {
  Range bytes;
  bool is_word = false;  // a word or an ideograph; otherwise a punctuation mark
};
using Atoms = std::vector<Atom>;

// The text's atoms. They are also cut at the bytes `cuts`, which are sorted.
Atoms atoms_of(std::string_view text, std::span<const std::size_t> cuts);

// Which target atoms each source atom became.
class WordImages {
 public:
  // Refers to the atoms, which must outlive this. Inside a link, words are matched with words and marks with marks.
  WordImages(const Atoms& source, const Atoms& target, std::span<const TextLink> links);

  // The run of target atoms that contains most of the images of these source atoms and little else. Words without an
  // image get the place between the images of their neighbours; marks without an image, and an empty target, give
  // nullopt.
  std::optional<Range> image(const Range& atoms) const;

  // The target position, between atoms, of something that stands before source atom `before`. It belongs to that atom
  // or, with belongs_left, to the one before it.
  std::size_t place(std::size_t before, bool belongs_left) const;

 private:
  void connect(const Range& from, const Range& to);
  void count_costs();
  void find_neighbours();
  bool has_words(const Range& atoms) const;
  std::optional<Range> between(const Range& atoms) const;
  Range best_run(const std::vector<std::size_t>& targets) const;

  const Atoms &source_, &target_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // linked source and target atoms, sorted
  // costs_[i]: the sum of the costs of the target atoms before i. An atom costs something if it is in a run of atoms
  // but not an image of the source atoms that the run is for.
  std::vector<std::int64_t> costs_;
  // left_[i]: the end of the image of the nearest linked source atom before i. right_[i]: the start of the image of the
  // nearest linked one from i on.
  std::vector<std::size_t> left_, right_;
};

}  // namespace dragoman::text
