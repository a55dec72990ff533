// TER, the translation edit rate (Snover et al., 2006): the number of edits that turn the hypothesis into the
// reference, per 100 words of the reference. Moving a stretch of words is one edit. The scores are exactly those of
// sacreBLEU 2.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

struct TerSettings {
  bool case_sensitive = false;
  bool normalized = false;      // makes punctuation marks words of their own and decodes entities
  bool no_punctuation = false;  // removes punctuation
  bool asian_support = false;   // makes the two above apply to Chinese and Japanese characters and punctuation too
};

// The words with one space between them, split as in the program Tercom.
std::string tokenize_tercom(std::string_view text, const TerSettings& settings);

// The statistics are the edits for the reference that needs the fewest, and the mean length of the references.
class Ter : public Metric {
 public:
  explicit Ter(const TerSettings& settings = {}) : settings_(settings) {}

  std::string key() const override { return "ter"; }
  std::string name() const override { return "TER"; }
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double score(std::span<const double> sums) const override;
  ResampledScore resampled_score(std::span<const float> sums) const override;
  Json record(std::span<const double> sums) const override;

 private:
  TerSettings settings_;
};

}  // namespace dragoman::eval
