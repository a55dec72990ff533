#include "dragoman/study/cost/run_cost.h"

#include <cmath>
#include <set>

#include "dragoman/base/error.h"
#include "dragoman/model/model_config.h"
#include "dragoman/study/cost/paper.h"
#include "dragoman/train/report/parts.h"
#include "dragoman/train/settings.h"

namespace dragoman::study::cost {
namespace {

// Records write what is not finite as null, and what is unknown as 0.
std::optional<double> known(double number) {
  return std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

// Seconds of training until a validation first had this BLEU.
std::optional<double> seconds_to(double bleu, const train::TrainingRecords& records) {
  for (const train::Validation& validation : records.validations) {
    if (train::bleu_of(validation) >= bleu) return known(seconds_at(records.progress, validation.step));
  }
  return std::nullopt;
}

void add_bleu(RunCost& cost, const train::TrainingRecords& records) {
  for (const train::Validation& validation : records.validations) {
    if (std::isfinite(train::bleu_of(validation))) cost.bleu = train::bleu_of(validation);
  }
  if (!cost.bleu) return;
  cost.seconds_to_bleu = seconds_to(*cost.bleu, records);
  cost.seconds_to_share = seconds_to(kShareOfBleu * *cost.bleu, records);
}

// The settings that make a run what it is, without its seed.
std::vector<std::pair<std::string, std::string>> essential(const RunCost& cost) {
  std::set<std::string_view> others{"seed"};
  train::MachineSettings machine;
  machine.fields([&](std::string_view key, auto&&, std::string_view) { others.insert(key); });
  others.erase("minutes");
  std::vector<std::pair<std::string, std::string>> left;
  for (const auto& setting : cost.settings) {
    if (!others.contains(setting.first)) left.push_back(setting);
  }
  return left;
}

}  // namespace

std::optional<double> RunCost::rate() const {
  return machine_flops && seconds ? std::optional(*machine_flops / *seconds) : std::nullopt;
}

std::optional<double> RunCost::utilisation() const {
  return model_flops && machine_flops ? std::optional(*model_flops / *machine_flops) : std::nullopt;
}

double seconds_at(std::span<const train::ProgressRecord> records, std::int64_t step) {
  double before_step = 0, before_seconds = 0;
  for (const train::ProgressRecord& record : records) {
    if (record.step >= step) {
      const double share = (static_cast<double>(step) - before_step) / (static_cast<double>(record.step) - before_step);
      return before_seconds + share * (record.seconds - before_seconds);
    }
    before_step = static_cast<double>(record.step);
    before_seconds = record.seconds;
  }
  return before_seconds;
}

RunCost cost_of(const train::ReportedRun& run, std::optional<double> rate) {
  require<Error>(!run.metrics.progress.empty(), "the run '", run.name,
                 "' has no records of its progress yet; train it first, or leave it out.");
  const train::ProgressRecord& last = run.metrics.progress.back();
  RunCost cost{.name = run.name,
               .model = run.facts.model,
               .machine = run.facts.machine,
               .settings = run.facts.settings,
               .parameters = known(static_cast<double>(run.facts.parameters)),
               .steps = known(static_cast<double>(last.step)),
               .target_tokens = known(static_cast<double>(last.target_tokens)),
               .seconds = known(last.seconds),
               .model_flops = known(last.flops),
               .machine_flops = known(rate ? last.seconds * *rate : last.nominal_flops)};
  add_bleu(cost, run.metrics);
  return cost;
}

RunCost plan_of(const model::Preset& preset, std::int64_t sentence) {
  const auto steps = static_cast<double>(preset.training.steps);
  return {.name = preset.name,
          .model = preset.model.describe(),
          .parameters = known(static_cast<double>(model::parameter_count(preset.model))),
          .steps = steps,
          .target_tokens = steps * preset.training.batch_tokens * preset.training.accumulate,
          .model_flops = planned_flops(preset, sentence)};
}

bool differ_by_seed(const RunCost& a, const RunCost& b) { return !a.settings.empty() && essential(a) == essential(b); }

}  // namespace dragoman::study::cost
