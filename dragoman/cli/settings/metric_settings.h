// The settings of the commands that score translations, and the metrics that they select.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dragoman/base/fields.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/eval/chrf.h"
#include "dragoman/eval/metric.h"
#include "dragoman/eval/ter.h"

namespace dragoman::cli {

using ChosenMetrics = std::vector<std::unique_ptr<eval::Metric>>;

// Whether scores are for a whole text or for single sentences. For a sentence, BLEU leaves out n-gram orders that are
// longer than the sentence.
enum class ScoreLevel : std::uint8_t { kCorpus, kSentence };

struct MetricSettings {
  eval::BleuSettings bleu;
  double smoothing_value = 0;
  bool compound_split = false;
  bool lowercase = false;
  eval::ChrfSettings chrf;
  bool with_ter = false;
  eval::TerSettings ter;
  OptionalSize bleu_d2l;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("tokenizer", bleu.tokenizer, "how BLEU splits text into words");
    field("smoothing", bleu.smoothing, "how BLEU counts n-gram orders without a match");
    field("smoothing-value", smoothing_value, "value for floor (0 means 0.1) or add-k (0 means 1)");
    field("compound-split", compound_split,
          "BLEU as in the paper: on tokenised text, split at hyphens, without smoothing");
    field("lowercase", lowercase, "ignore case in BLEU and chrF");
    field("chrf-word-order", chrf.word_order, "longest word n-grams of chrF; 2 for chrF++");
    field("chrf-whitespace", chrf.whitespace, "let chrF count spaces as characters");
    field("ter", with_ter, "also compute TER");
    field("ter-case-sensitive", ter.case_sensitive, "distinguish case in TER");
    field("ter-normalized", ter.normalized, "separate punctuation from words for TER");
    field("ter-no-punctuation", ter.no_punctuation, "remove punctuation for TER");
    field("ter-asian", ter.asian_support,
          "support Chinese and Japanese characters in ter-normalized and ter-no-punctuation");
    field("bleu-d2l", bleu_d2l,
          "also compute BLEU as the textbook Dive into Deep Learning does, with n-grams of up to N words");
  }

  // Throws a UsageError for settings that contradict each other.
  void validate() const;

  // BLEU and chrF, and if selected TER and BleuD2l.
  ChosenMetrics metrics(ScoreLevel level) const;
};

}  // namespace dragoman::cli
