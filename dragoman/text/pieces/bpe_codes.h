// Byte-pair encoding with the codes of subword-nmt or fastBPE: a list of merges of two neighbouring symbols, which
// begins with those that were learned first. Models of fairseq use it. A piece that ends in "@@" is continued by the
// next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::text {

class BpeCodes {
 public:
  // Reads a file of codes: lines "a b" after a line "#version: 0.2" (subword-nmt), or "a b count" (fastBPE). Without a
  // version or counts, the file is of subword-nmt's version 0.1. Throws an Error that begins with `where` if a line has
  // another form.
  BpeCodes(std::string_view text, std::string_view where);

  // In each step each possible merge is left out with probability `amount` (BPE-dropout: Provilkova et al., 2020).
  struct Dropout {
    double amount = 0;
    RandomStream& random;
  };
  // The pieces of a word: every piece but the last ends in "@@".
  std::vector<std::string> split_word(std::string_view word, const Dropout* dropout = nullptr) const;
  // The pieces of all words of a text, which are separated by spaces.
  std::vector<std::string> split(std::string_view text, const Dropout* dropout = nullptr) const;

  static bool is_continued(std::string_view piece);
  // The piece without "@@" at its end.
  static std::string_view without_mark(std::string_view piece);
  // The text of pieces: pieces that are continued are joined to the next.
  static std::string join_pieces(const std::vector<std::string>& pieces);

 private:
  static std::string pair_key(std::string_view left, std::string_view right);
  std::vector<std::string> symbols_of(std::string_view word) const;

  // The end of a word is marked as part of its last character, or, in version 0.1, as a symbol of its own.
  bool end_is_a_symbol_ = false;
  std::unordered_map<std::string, std::int32_t> ranks_;  // the key of a pair -> its place in the list
};

}  // namespace dragoman::text
