#include <fmt/format.h>

#include <cmath>

#include "dragoman/base/fields_json.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/eval/bleu_formula.h"

namespace dragoman::eval {
namespace {

// The index of each number in the statistics.
constexpr std::size_t kHypothesisLength = 0, kReferenceLength = 1, kCorrect = 2, kTotal = kCorrect + kBleuOrder,
                      kWidth = kTotal + kBleuOrder;

// The method with its value if it has one, such as "floor[0.10]".
std::string smoothing_text(const BleuSettings& settings) {
  const std::string name(to_string(settings.smoothing));
  const bool has_value = settings.smoothing == BleuSmoothing::kFloor || settings.smoothing == BleuSmoothing::kAddK;
  return has_value ? fmt::format("{}[{:.2f}]", name, smoothing_value(settings)) : name;
}

}  // namespace

BleuStatistics BleuMetric::counts_in(std::span<const double> sums) {
  BleuStatistics statistics;
  if (sums.empty()) return statistics;  // there was no sentence
  const auto count = [sums](std::size_t at) { return static_cast<std::int64_t>(sums[at]); };
  statistics.hypothesis_length = count(kHypothesisLength);
  statistics.reference_length = count(kReferenceLength);
  for (std::size_t i = 0; i < kBleuOrder; ++i) {
    statistics.correct[i] = count(kCorrect + i);
    statistics.total[i] = count(kTotal + i);
  }
  return statistics;
}

std::string BleuMetric::settings() const {
  return fmt::format("case:{}|eff:{}|tok:{}|smooth:{}{}", settings_.lowercase ? "lc" : "mixed",
                     settings_.effective_order ? "yes" : "no", to_string(settings_.tokenizer),
                     smoothing_text(settings_), settings_.split_compounds ? "|compounds:split" : "");
}

Statistics BleuMetric::statistics(std::string_view hypothesis, std::span<const std::string> references) const {
  const BleuStatistics counted = bleu_statistics(hypothesis, references, settings_);
  Statistics row(kWidth);
  row[kHypothesisLength] = static_cast<double>(counted.hypothesis_length);
  row[kReferenceLength] = static_cast<double>(counted.reference_length);
  for (std::size_t i = 0; i < kBleuOrder; ++i) {
    row[kCorrect + i] = static_cast<double>(counted.correct[i]);
    row[kTotal + i] = static_cast<double>(counted.total[i]);
  }
  return row;
}

double BleuMetric::score(std::span<const double> sums) const { return bleu(counts_in(sums), settings_).score; }

ResampledScore BleuMetric::resampled_score(std::span<const float> sums) const {
  PerOrder<float> correct, total;
  for (std::size_t i = 0; i < kBleuOrder; ++i) {
    correct[i] = sums[kCorrect + i];
    total[i] = sums[kTotal + i];
  }
  const double penalty = brevity_penalty(static_cast<std::int64_t>(sums[kHypothesisLength]),
                                         static_cast<std::int64_t>(sums[kReferenceLength]));
  return {.score = penalty * bleu_precisions(correct, total, settings_).mean(settings_), .is_single = false};
}

// In a randomisation test sacreBLEU adds the k of add-k to integer counts, which drops its fraction.
double BleuMetric::shuffled_score(std::span<const double> sums) const {
  BleuSettings whole = settings_;
  if (whole.smoothing == BleuSmoothing::kAddK) whole.smoothing_value = std::floor(smoothing_value(settings_));
  return bleu(counts_in(sums), whole).score;
}

std::string BleuMetric::details(std::span<const double> sums) const {
  const Bleu result = bleu(counts_in(sums), settings_);
  const auto& [c, r] = std::pair(result.statistics.hypothesis_length, result.statistics.reference_length);
  const double ratio = r > 0 ? static_cast<double>(c) / static_cast<double>(r) : 0;
  return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", fmt::join(result.precisions, "/"),
                     result.brevity_penalty, ratio, c, r);
}

Json BleuMetric::record(std::span<const double> sums) const {
  const Bleu result = bleu(counts_in(sums), settings_);
  return {{"precisions", result.precisions},
          {"brevity_penalty", result.brevity_penalty},
          {"correct", result.statistics.correct},
          {"total", result.statistics.total},
          {"hypothesis_length", result.statistics.hypothesis_length},
          {"reference_length", result.statistics.reference_length}};
}

}  // namespace dragoman::eval
