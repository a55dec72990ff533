// Records of runs, for the tests of reports.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

inline int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// A typical run: it learns quickly at first, with some noise, and is validated ten times.
inline TrainingRecords run_of(std::int64_t steps) {
  TrainingRecords metrics;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    const double noise = 0.1 * std::sin(static_cast<double>(step * step % 1000));
    const double nll = 1.4 + 7.5 * std::exp(-7 * share) + noise;
    metrics.progress.push_back({.step = step,
                                .epoch = 1 + step * 4 / steps,
                                .losses = {{"loss", nll + 0.8}, {"nll", nll}},
                                .rate = 7e-4 * std::min(share / 0.1, std::sqrt(0.1 / share)),
                                .gradient_norm = 1 + noise,
                                .tokens_per_second = 11'000 + 3'000 * noise,
                                .seconds = 0.35 * static_cast<double>(step),
                                .target_tokens = 4'000 * step,
                                .flops = 1.5e12 * static_cast<double>(step),
                                .nominal_flops = 5e12 * static_cast<double>(step)});
    if (step * 10 % steps < 10) {
      metrics.validations.push_back({.step = step,
                                     .scores = {{"nll", nll + 0.2}, {"bleu", 28 * (1 - std::exp(-4 * share))}},
                                     .samples = {{.source = "Das Haus ist klein.",
                                                  .reference = "The house is small.",
                                                  .translation = share < 0.5 ? "The the" : "The house is little."}},
                                     .best = true});
    }
  }
  return metrics;
}

}  // namespace dragoman::train
