#include "dragoman/cli/score_options.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/eval/bleu_d2l.h"

namespace dragoman::cli {
namespace {

using eval::Resampling;

void validate_files(const ScoreOptions& options) {
  require<UsageError>(!options.reference.empty(), "name the right translations with --reference.");
  std::vector<std::string> files = options.reference;
  files.insert(files.end(), options.system.begin(), options.system.end());
  files.push_back(options.hypothesis);
  require<UsageError>(std::ranges::count(files, "-") <= 1,
                      "only one file can be standard input (-); --hypothesis is unless it is given.");
}

void validate_tests(const ScoreOptions& options) {
  const bool is_paired = options.paired != Resampling::kNone;
  require<UsageError>(!is_paired || !options.system.empty(),
                      "a paired test needs another system to compare with; name it with --system.");
  require<UsageError>(!is_paired || !options.confidence,
                      "--confidence is for scores by themselves; --paired bootstrap gives its own intervals.");
  require<UsageError>(!options.sentence_level || (!is_paired && !options.confidence && options.system.empty()),
                      "--sentence-level takes neither --system nor --paired nor --confidence.");
  require<UsageError>(options.trials >= 0 && options.trials <= 10'000'000, "trials is ", options.trials,
                      "; it must be from 0 to 10000000.");
}

void validate_metrics(const ScoreOptions& options) {
  const eval::BleuSettings& bleu = options.bleu;
  const bool takes_value = bleu.smoothing == eval::Smoothing::kFloor || bleu.smoothing == eval::Smoothing::kAddK;
  require<UsageError>(options.smoothing_value >= 0, "smoothing-value is ", options.smoothing_value,
                      "; it must not be below 0.");
  require<UsageError>(options.smoothing_value == 0 || takes_value,
                      "--smoothing-value is for --smoothing floor and --smoothing add-k.");
  const bool is_tokenized = bleu.tokenizer == eval::Tokenization::k13a || bleu.tokenizer == eval::Tokenization::kNone;
  require<UsageError>(!options.compound_split || (is_tokenized && !takes_value),
                      "--compound-split is of text that is tokenised already, and not smoothed: leave out --tokenizer "
                      "and --smoothing.");
  require<UsageError>(options.chrf.word_order >= 0 && options.chrf.word_order <= 20, "chrf-word-order is ",
                      options.chrf.word_order, "; it must be from 0 to 20.");
  const eval::TerSettings& ter = options.ter;
  const bool has_ter_flag = ter.case_sensitive || ter.normalized || ter.no_punctuation || ter.asian_support;
  require<UsageError>(options.with_ter || !has_ter_flag, "the flags of TER need --ter.");
}

}  // namespace

void ScoreOptions::validate() const {
  validate_files(*this);
  validate_tests(*this);
  validate_metrics(*this);
}

eval::Trials ScoreOptions::resampling_trials() const {
  const int usual = resampling() == Resampling::kRandomisation ? 10'000 : 1000;
  return {.number = trials > 0 ? trials : usual, .seed = seed};
}

std::vector<std::unique_ptr<eval::Metric>> ScoreOptions::metrics() const {
  eval::BleuSettings for_bleu = bleu;
  for_bleu.lowercase = lowercase;
  for_bleu.effective_order = sentence_level;
  if (smoothing_value > 0) for_bleu.smoothing_value = smoothing_value;
  if (compound_split) {
    for_bleu.split_compounds = true;
    for_bleu.tokenizer = eval::Tokenization::kNone;
    for_bleu.smoothing = eval::Smoothing::kNone;
  }
  eval::ChrfSettings for_chrf = chrf;
  for_chrf.lowercase = lowercase;
  std::vector<std::unique_ptr<eval::Metric>> all;
  all.push_back(std::make_unique<eval::BleuMetric>(for_bleu));
  all.push_back(std::make_unique<eval::Chrf>(for_chrf));
  if (with_ter) all.push_back(std::make_unique<eval::Ter>(ter));
  if (bleu_d2l > 0) all.push_back(std::make_unique<eval::BleuD2l>(static_cast<std::size_t>(bleu_d2l.value)));
  return all;
}

}  // namespace dragoman::cli
