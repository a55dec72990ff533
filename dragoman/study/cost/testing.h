// Records of runs, for the tests of costs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dragoman/train/report/comparison.h"

namespace dragoman::study::cost {

// A run of 40 steps on a machine of 1e9 FLOP/s: a second for every 10 steps, records after 10, 20 and 40, and BLEU 5,
// 19, 18, 20 after 10, 20, 30 and 40.
inline train::ReportedRun small_run(const std::string& name, const std::string& seed = "1") {
  train::ReportedRun run{.name = name,
                         .metrics = {},
                         .facts = {.title = "en to de",
                                   .model = "2 + 2 layers",
                                   .parameters = 1000,
                                   .machine = "CPU, float32",
                                   .settings = {{"layers", "2"}, {"seed", seed}, {"threads", seed}}}};
  for (const int step : {10, 20, 40}) {
    run.metrics.progress.push_back({.step = step,
                                    .seconds = step / 10.0,
                                    .target_tokens = 100 * step,
                                    .flops = 2e7 * step,
                                    .nominal_flops = 1e8 * step});
  }
  for (const auto& [step, bleu] : std::vector<std::pair<int, double>>{{10, 5}, {20, 19}, {30, 18}, {40, 20}}) {
    run.metrics.validations.push_back({.step = step, .scores = {{"nll", 2.0}, {"bleu", bleu}}});
  }
  return run;
}

}  // namespace dragoman::study::cost
