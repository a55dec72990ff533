#include "dragoman/nn/score_saturation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::nn {
namespace {

void add_query(const std::vector<double>& scores, Saturation& to) {
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - most);
  to.largest += 1 / sum;
  for (const double score : scores) {
    const double weight = std::exp(score - most) / sum;
    if (weight > 0) to.entropy -= weight * std::log(weight);
    to.gradient += weight * (1 - weight);
  }
}

}  // namespace

Saturation saturation(const RandomScores& scores, std::uint64_t seed) {
  RandomStream random(seed);
  const double scale = scores.variance / (scores.scaled ? std::sqrt(static_cast<double>(scores.d_k)) : 1);
  Saturation mean;
  std::vector<double> query(static_cast<std::size_t>(scores.d_k)), products(static_cast<std::size_t>(scores.keys));
  for (int i = 0; i < scores.queries; ++i) {
    for (double& number : query) number = random.normal();
    for (double& product : products) {
      product = 0;
      for (const double number : query) product += number * random.normal();
      product *= scale;
    }
    add_query(products, mean);
  }
  for (double* number : {&mean.entropy, &mean.largest, &mean.gradient}) *number /= scores.queries;
  return mean;
}

}  // namespace dragoman::nn
