// The BLEU of the textbook Dive into Deep Learning, for teaching. It scores one sentence between 0 and 1 and splits
// words at white space only. Longer n-grams weigh less (the exponent of p_1 is 1/2, that of p_2 is 1/4), and an order
// without a match makes the score 0. It is not comparable to BLEU.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

// exp(min(0, 1 - reference length / hypothesis length)) * product over n of p_n ^ (1 / 2^n), where n runs from 1 to
// `longest`, or to the length of the hypothesis if that is smaller. 0 for an empty hypothesis.
double bleu_d2l(std::string_view hypothesis, std::string_view reference, std::size_t longest);

// The mean score over sentences. With several references the best score counts. The statistics are the sum of the
// scores and the number of sentences.
class BleuD2l : public Metric {
 public:
  explicit BleuD2l(std::size_t longest = 2) : longest_(longest) {}

  std::string key() const override { return "bleu_d2l"; }
  std::string name() const override { return "BLEU-d2l"; }
  std::string settings() const override;
  int digits() const override { return 4; }
  Statistics statistics(std::string_view hypothesis, std::span<const std::string> references) const override;
  double score(std::span<const double> sums) const override;
  ResampledScore resampled_score(std::span<const float> sums) const override;

 private:
  std::size_t longest_;
};

}  // namespace dragoman::eval
