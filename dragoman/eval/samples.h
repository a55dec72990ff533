// The scores of resampled corpora, with means and intervals that equal those of NumPy and Python bit for bit: same
// order of sums, same rounding.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dragoman/eval/metric.h"

namespace dragoman::eval {

// The limits of an interval.
struct Bounds {
  double lower = 0, upper = 0;
};

class Samples {
 public:
  void add(const ResampledScore& sample);

  // Whether NumPy would store the scores in single precision: true if each score is single.
  bool is_single() const { return is_single_; }
  template <class Real>
  std::vector<Real> as() const {
    return {scores_.begin(), scores_.end()};
  }

  double exact_mean() const;  // Python's statistics.mean
  double numpy_mean() const;  // NumPy's mean of the scores in ascending order
  Bounds bounds() const;      // of the interval of the middle 95 % of the scores
  double half_width() const;  // half the width of that interval

 private:
  std::vector<double> sorted() const;

  std::vector<double> scores_;
  bool is_single_ = true;
};

// NumPy's sum of an array: eight partial sums for up to 128 numbers; longer arrays are divided in halves.
template <class Real>
Real numpy_sum(std::span<const Real> numbers);

template <class Real>
Real numpy_mean(std::span<const Real> numbers) {
  const auto count = static_cast<double>(numbers.size());
  return static_cast<Real>(static_cast<double>(numpy_sum(numbers)) / count);
}

}  // namespace dragoman::eval
