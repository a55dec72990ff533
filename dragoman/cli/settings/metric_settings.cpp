#include "dragoman/cli/settings/metric_settings.h"

#include "dragoman/base/error.h"
#include "dragoman/eval/bleu_d2l.h"

namespace dragoman::cli {
namespace {

eval::BleuSettings bleu_settings(const MetricSettings& chosen, ScoreLevel level) {
  eval::BleuSettings settings = chosen.bleu;
  settings.lowercase = chosen.lowercase;
  settings.effective_order = level == ScoreLevel::kSentence;
  if (chosen.smoothing_value > 0) settings.smoothing_value = chosen.smoothing_value;
  if (chosen.compound_split) {
    settings.split_compounds = true;
    settings.tokenizer = eval::Tokenization::kNone;
    settings.smoothing = eval::BleuSmoothing::kNone;
  }
  return settings;
}

}  // namespace

void MetricSettings::validate() const {
  const bool takes_value =
      bleu.smoothing == eval::BleuSmoothing::kFloor || bleu.smoothing == eval::BleuSmoothing::kAddK;
  require<UsageError>(smoothing_value >= 0, "smoothing-value is ", smoothing_value, "; it must not be below 0.");
  require<UsageError>(smoothing_value == 0 || takes_value,
                      "--smoothing-value is for --smoothing floor and --smoothing add-k.");
  // 13a is the default, so it counts as no choice; --compound-split replaces it by none.
  const bool chooses_tokenizer =
      bleu.tokenizer != eval::Tokenization::k13a && bleu.tokenizer != eval::Tokenization::kNone;
  require<UsageError>(!compound_split || (!chooses_tokenizer && !takes_value),
                      "--compound-split is for text that is already tokenised, and uses no smoothing: leave out "
                      "--tokenizer and --smoothing.");
  require<UsageError>(chrf.word_order >= 0 && chrf.word_order <= 20, "chrf-word-order is ", chrf.word_order,
                      "; it must be from 0 to 20.");
  const bool has_ter_flag = ter.case_sensitive || ter.normalized || ter.no_punctuation || ter.asian_support;
  require<UsageError>(with_ter || !has_ter_flag, "the flags of TER need --ter.");
}

ChosenMetrics MetricSettings::metrics(ScoreLevel level) const {
  eval::ChrfSettings for_chrf = chrf;
  for_chrf.lowercase = lowercase;
  ChosenMetrics all;
  all.push_back(std::make_unique<eval::BleuMetric>(bleu_settings(*this, level)));
  all.push_back(std::make_unique<eval::Chrf>(for_chrf));
  if (with_ter) all.push_back(std::make_unique<eval::Ter>(ter));
  if (bleu_d2l > 0) all.push_back(std::make_unique<eval::BleuD2l>(static_cast<std::size_t>(bleu_d2l.value)));
  return all;
}

}  // namespace dragoman::cli
