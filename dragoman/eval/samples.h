// Scores of resampled corpora, and what NumPy and Python make of them: sums in their order, rounded where they round.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

class Samples {
 public:
  void add(const ResampledScore& sample);

  // Whether the scores make an array of single precision: if each of them is.
  bool is_single() const { return is_single_; }
  template <class Real>
  std::vector<Real> as() const {
    return {scores_.begin(), scores_.end()};
  }

  double exact_mean() const;  // Python's statistics.mean
  double numpy_mean() const;  // of the scores in ascending order
  double half_width() const;  // of the middle 95 %

 private:
  std::vector<double> sorted() const;

  std::vector<double> scores_;
  bool is_single_ = true;
};

// NumPy's sum of an array: by eight partial sums for up to 128 numbers, and by halves for more.
template <class Real>
Real numpy_sum(std::span<const Real> numbers);

template <class Real>
Real numpy_mean(std::span<const Real> numbers) {
  const auto count = static_cast<double>(numbers.size());
  return static_cast<Real>(static_cast<double>(numpy_sum(numbers)) / count);
}

}  // namespace dragoman::eval
