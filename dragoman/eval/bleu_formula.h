// Computes BLEU from its counts. `Real` is the type of the counts: double, or float for the resampled corpora of the
// bootstrap, because sacreBLEU sums their counts in single precision and the results must agree with its results.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "dragoman/eval/bleu.h"

namespace dragoman::eval {

template <class Real>
using PerOrder = std::array<Real, kBleuOrder>;

inline double smoothing_value(const BleuSettings& settings) {
  return settings.smoothing_value.value_or(settings.smoothing == BleuSmoothing::kFloor ? 0.1 : 1);
}

// BP = min(1, exp(1 - r / c)); 0 for an empty hypothesis with a reference that is not empty.
inline double brevity_penalty(std::int64_t hypothesis_length, std::int64_t reference_length) {
  const auto c = static_cast<double>(hypothesis_length), r = static_cast<double>(reference_length);
  if (c >= r) return 1;
  return c > 0 ? std::exp(1 - r / c) : 0;
}

template <class Real>
struct Precisions {
  PerOrder<Real> percent{};
  // How many orders the hypotheses are long enough for (with kAddK: all of them); 0 if there is no match at all.
  std::size_t orders = 0;

  // The geometric mean. If one precision is 0, its logarithm is -infinity and the mean is 0.
  double mean(const BleuSettings& settings) const {
    if (orders == 0) return 0;
    const std::size_t averaged = settings.effective_order ? orders : kBleuOrder;
    double sum = 0;
    for (std::size_t i = 0; i < averaged; ++i) sum += std::log(static_cast<double>(percent[i]));
    return std::exp(sum / static_cast<double>(averaged));
  }
};

template <class Real>
Precisions<Real> bleu_precisions(const PerOrder<Real>& correct, const PerOrder<Real>& total,
                                 const BleuSettings& settings) {
  Precisions<Real> result;
  if (std::ranges::all_of(correct, [](Real count) { return count == 0; })) return result;
  const double value = smoothing_value(settings);
  Real divisor = 1;  // of kExp: doubled for each order without a match
  // result.orders is the loop variable, so that it counts the orders before the break.
  for (std::size_t& i = result.orders; i < kBleuOrder; ++i) {
    const Real added = settings.smoothing == BleuSmoothing::kAddK && i > 0 ? static_cast<Real>(value) : 0;
    const Real matches = correct[i] + added, ngrams = total[i] + added;
    if (ngrams == 0) break;
    if (matches > 0) {
      result.percent[i] = 100 * matches / ngrams;
    } else if (settings.smoothing == BleuSmoothing::kExp) {
      divisor *= 2;
      result.percent[i] = 100 / (divisor * ngrams);
    } else if (settings.smoothing == BleuSmoothing::kFloor) {
      result.percent[i] = static_cast<Real>(100 * value) / ngrams;
    }
  }
  return result;
}

}  // namespace dragoman::eval
