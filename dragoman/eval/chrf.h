// chrF (Popović, 2015) and chrF++ (Popović, 2017): the F-score of character n-grams, and for chrF++ also of word
// n-grams. The scores are exactly those of sacreBLEU 2.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

struct ChrfSettings {
  int character_order = 6;
  int word_order = 0;  // 2 makes chrF++
  int beta = 2;        // recall counts beta times as much as precision
  bool lowercase = false;
  bool whitespace = false;  // whether spaces count as characters
};

// The statistics have three numbers for each order, characters before words: the n-grams of the hypothesis, those of
// the reference, and the matches. If the reference is too short for an order, the n-grams of the hypothesis count as 0.
// With several references the one with the best score counts, and at a tie the first.
//
// With P and R the means of precision and recall over the orders that both sides are long enough for,
//   chrF = 100 (1 + beta^2) P R / (beta^2 P + R).
class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfSettings& settings = {}) : settings_(settings) {}

  std::string key() const override { return "chrf"; }
  std::string name() const override;  // "chrF2", "chrF2++"
  std::string settings() const override;
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double score(std::span<const double> sums) const override;
  ResampledScore resampled_score(std::span<const float> sums) const override;

 private:
  ChrfSettings settings_;
};

}  // namespace dragoman::eval
