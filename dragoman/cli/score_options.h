// The flags of `dragoman score`, and the metrics that they ask for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/fields.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/eval/chrf.h"
#include "dragoman/eval/metric.h"
#include "dragoman/eval/significance.h"
#include "dragoman/eval/ter.h"

namespace dragoman::cli {

struct ScoreOptions {
  std::vector<std::string> reference;
  std::string hypothesis = "-";
  std::vector<std::string> system;
  eval::BleuSettings bleu;
  double smoothing_value = 0;
  bool compound_split = false;
  bool lowercase = false;
  eval::ChrfSettings chrf;
  bool with_ter = false;
  eval::TerSettings ter;
  OptionalSize bleu_d2l;
  bool sentence_level = false;
  bool confidence = false;
  eval::Resampling paired = eval::Resampling::kNone;
  int trials = 0;
  std::uint64_t seed = 12345;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("reference", file_name(reference), "files of right translations, a line for each hypothesis");
    field("hypothesis", file_name(hypothesis), "file of translations to score; - is standard input");
    field("system", file_name(system), "files of other systems' translations, to compare with the first");
    field("tokenizer", bleu.tokenizer, "how BLEU cuts words");
    field("smoothing", bleu.smoothing, "what n-grams without a match count for in BLEU");
    field("smoothing-value", smoothing_value, "the number of floor (0.1 if 0) or add-k (1 if 0)");
    field("compound-split", compound_split, "BLEU as in the paper: of tokenised text, cut at hyphens, not smoothed");
    field("lowercase", lowercase, "BLEU and chrF without regard to case");
    field("chrf-word-order", chrf.word_order, "longest word n-grams of chrF; 2 for chrF++");
    field("chrf-whitespace", chrf.whitespace, "let chrF count spaces as characters");
    field("ter", with_ter, "TER too");
    field("ter-case-sensitive", ter.case_sensitive, "TER with regard to case");
    field("ter-normalized", ter.normalized, "TER with punctuation cut off");
    field("ter-no-punctuation", ter.no_punctuation, "TER without punctuation");
    field("ter-asian", ter.asian_support, "know Chinese and Japanese characters in these two");
    field("bleu-d2l", bleu_d2l, "the score of a textbook too, with n-grams of up to N words; for teaching");
    field("sentence-level", sentence_level, "scores of each sentence instead of the whole");
    field("confidence", confidence, "95 % confidence intervals by bootstrap");
    field("paired", paired, "test of each system's difference from the hypotheses");
    field("trials", trials, "resampled corpora; 0 for 1000, or 10000 with randomisation");
    field("seed", seed, "of the random numbers, which are NumPy's");
    field("json", json, "print JSON");
  }

  void validate() const;

  // How corpora are resampled, for confidence intervals or for a test.
  eval::Resampling resampling() const { return confidence ? eval::Resampling::kBootstrap : paired; }
  eval::Trials resampling_trials() const;

  std::vector<std::unique_ptr<eval::Metric>> metrics() const;
};

}  // namespace dragoman::cli
