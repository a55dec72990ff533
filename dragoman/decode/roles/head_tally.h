// Counts over many sentences what an attention head does: how spread its weights are, how far it looks, and which words
// get its weight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dragoman/decode/inside/alignment.h"
#include "dragoman/decode/roles/word_units.h"
#include "dragoman/eval/word_links.h"
#include "dragoman/nn/sites.h"

namespace dragoman::decode {

// Means over the words of many sentences. Weights are those between words (WordUnits); </s> is a key but never counts
// as a query. A share is the part of a word's weight that goes to one place, averaged over the words that have this
// place. It is empty if there is no such place at this site.
struct HeadNumbers {
  double entropy = 0;                          // in bits; 0 if each word looks at one word
  double distance = 0;                         // in words from the query's own position (see below) to what it looks at
  double peak = 0;                             // the largest weight of a word
  std::optional<double> previous, same, next;  // only if queries and keys are the same sentence
  std::optional<double> first;                 // the first word, or the start token that the decoder reads
  std::optional<double> end;                   // </s> and the punctuation marks directly before it
  // Only if the translation attends to the source. A word is aligned to the one that gets its largest weight.
  // How far the alignment agrees with the clear links (see cooccurrence.h), from 0 to 1: 2 f / (l + c), where c is the
  // number of clear links, l of these target words are linked to any source word, and f to the right one.
  std::optional<double> agreement;
  std::optional<double> forward;   // the share of steps from word to word that do not go back in the source
  std::optional<double> distinct;  // the number of source words that are aligned, as a share of the target words
  std::int64_t words = 0;          // queries that were counted
  std::int64_t evidence = 0;       // clear links
};

// The words that one sentence has at an attention site. The decoder is said to be at the word that it writes: there
// `previous` is the word that it read last, which is also its own position for `distance`; it has no `same` or `next`.
// If queries and keys are two sentences, the own position is the key as far into its sentence as the query is into its.
struct SiteWords {
  SiteWords(const nn::AttentionSite& site, const WordUnits& source, const WordUnits& target);

  bool is_self = false, is_causal = false, is_cross = false;
  std::vector<std::int64_t> query_units, key_units;  // by token
  std::vector<bool> query_marks, key_marks;          // by word; without the query </s>
  std::int64_t end = 0;                              // the first key of `end`; the number of keys if there is none
};

class HeadTally {
 public:
  // `weights` are between tokens. `clear` has links between units; it is used only for cross-attention.
  void add(const AttentionMap& weights, const SiteWords& words, const std::vector<eval::WordLink>& clear);
  HeadNumbers numbers() const;

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    void add(double value) { sum += value, ++count; }
    std::optional<double> value() const {
      return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
    }
  };

  void add_row(const AttentionMap& weights, std::int64_t row, const SiteWords& words);
  void add_alignment(const AttentionMap& weights, const SiteWords& words, const std::vector<eval::WordLink>& clear);

  Mean entropy_, distance_, peak_, previous_, same_, next_, first_, end_, forward_, distinct_;
  std::int64_t clear_ = 0, linked_ = 0, found_ = 0;
};

// The links of a head between words as the Pharaoh format counts them: each target word that is not a mark, with the
// source word that gets its largest weight. There is none if that is a mark or </s>.
std::vector<eval::WordLink> head_links(const AttentionMap& weights, const WordUnits& source, const WordUnits& target);

}  // namespace dragoman::decode
