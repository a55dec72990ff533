// TER, the translation edit rate (Snover et al., 2006), number for number as sacreBLEU 2 computes it: the edits that
// turn the hypothesis into the reference, where moving a stretch of words is one edit, for 100 words of the reference.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

struct TerSettings {
  bool case_sensitive = false;
  bool normalized = false;      // cut off punctuation and undo entities
  bool no_punctuation = false;  // leave it out
  bool asian_support = false;   // of these two: know Chinese and Japanese characters and punctuation
};

// The words with one space between them, as the program Tercom cuts them.
std::string tokenize_tercom(std::string_view text, const TerSettings& settings);

// Statistics: edits against the reference that needs the fewest, and the mean length of the references.
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
