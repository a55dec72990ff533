// What a training run cost and reached, from its records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/model/architecture.h"
#include "dragoman/train/report/comparison.h"

namespace dragoman::study::cost {

// The share of the final BLEU that the second time of a run is measured to.
inline constexpr double kShareOfBleu = 0.95;

// Numbers that the records do not have are nothing.
struct RunCost {
  std::string name = {}, model = {}, machine = {};                 // empty if unknown
  std::vector<std::pair<std::string, std::string>> settings = {};  // by key; empty if unknown
  std::optional<double> parameters = {}, steps = {}, target_tokens = {};
  std::optional<double> seconds = {};        // of training; validation and checkpoints take no part in it
  std::optional<double> model_flops = {};    // 6 for each multiply-add of the model, for the sentences of the run
  std::optional<double> machine_flops = {};  // as in Table 2: the seconds times the rate of the machine
  std::optional<double> bleu = {};           // of the last validation that has it
  // Seconds of training until a validation first reached that BLEU, and kShareOfBleu of it.
  std::optional<double> seconds_to_bleu = {}, seconds_to_share = {};

  // Floating-point operations per second that the machine sustains in large products.
  std::optional<double> rate() const;
  // The part of them that the products of the model used.
  std::optional<double> utilisation() const;
};

// `rate` replaces the machine's rate of the records. Throws an Error if the run has no progress yet.
RunCost cost_of(const train::ReportedRun& run, std::optional<double> rate);

// A run that does not exist yet: all steps of the preset, in sentences of so many tokens.
RunCost plan_of(const model::Preset& preset, std::int64_t sentence);

// Seconds of training at the end of the step. Between two records the time grows evenly; after the last it is that of
// the last.
double seconds_at(std::span<const train::ProgressRecord> records, std::int64_t step);

// Whether the runs differ in nothing but their seeds and in settings that do not change the results. Runs without
// settings are never alike.
bool differ_by_seed(const RunCost& a, const RunCost& b);

}  // namespace dragoman::study::cost
