#include "dragoman/train/run_report.h"

#include <fmt/format.h>

#include <optional>
#include <ranges>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/files/info.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/run_state.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

// The settings of the newest checkpoint whose state can be read. The checksums of its weights do not matter here.
std::optional<TrainingSettings> stored_settings(const fs::path& directory) {
  const std::vector<Checkpoint> checkpoints = list_checkpoints(directory);
  for (const Checkpoint& checkpoint : checkpoints | std::views::reverse) {
    try {
      return run_state_from_json(read_unchecked_state(checkpoint), checkpoint.path.string()).settings;
    } catch (const Error&) {  // damaged, of another version, or just removed by the run
    }
  }
  return std::nullopt;
}

std::string title_of(const std::string& source, const std::string& target) {
  return source.empty() || target.empty() ? "training run" : source + " to " + target;
}

// " Did you mean 'demo'?" if this is a part of a run, such as a file of it or one of its checkpoints; else empty.
std::string run_hint(const fs::path& part) {
  constexpr int kDepth = 2;  // demo/checkpoints/step-400
  fs::path parent = part.has_filename() ? part.parent_path() : part.parent_path().parent_path();
  for (int above = 0; above < kDepth && !parent.empty(); ++above, parent = parent.parent_path()) {
    if (fs::exists(status_of(parent / "metrics.jsonl"))) return join(" Did you mean '", parent.string(), "'?");
  }
  return "";
}

}  // namespace

ReportFacts facts_of(const TrainingSettings& settings, const model::ModelConfig& config) {
  ReportFacts facts{.title = title_of(settings.text.source_language, settings.text.target_language),
                    .model = config.describe(),
                    .parameters = model::parameter_count(config)};
  const bool on_cpu = settings.run.device == DeviceChoice::kCpu;
  facts.machine = fmt::format("{}, {}", on_cpu ? "CPU" : "GPU",
                              settings.run.precision == TrainingPrecision::kBf16 ||
                                      (settings.run.precision == TrainingPrecision::kAuto && !on_cpu)
                                  ? "bfloat16"
                                  : "float32");
  const Json json = to_json(settings);
  for (const auto& [key, value] : json.items()) facts.settings.emplace_back(key, setting_text(value, key));
  return facts;
}

ReportedRun read_run(const fs::path& directory, const std::string& name) {
  const fs::path records = directory / "metrics.jsonl";
  const fs::file_status status = status_of(directory);
  require<Error>(fs::exists(status), "there is no directory '", directory.string(),
                 "'; name one that 'dragoman train' or 'dragoman demo' made.");
  require<Error>(fs::is_directory(status), "'", directory.string(), "' is not a directory, but a training run is one.",
                 run_hint(directory));
  require<Error>(fs::is_regular_file(status_of(records)), "'", directory.string(),
                 "' is not the directory of a training run: it has no metrics.jsonl.", run_hint(directory));
  ReportedRun run{.name = name, .metrics = read_metrics(records), .facts = {.title = "training run"}};
  std::optional<model::ModelInfo> info;
  try {
    info = model::read_info(directory);
    run.facts.title = title_of(info->source_language, info->target_language);
    run.facts.model = info->config.describe();
    run.facts.parameters = model::parameter_count(info->config);
  } catch (const Error&) {  // the model is written with the first checkpoint
  }
  if (const std::optional<TrainingSettings> settings = stored_settings(directory)) {
    run.facts = facts_of(*settings, info ? info->config : settings->model);
  }
  return run;
}

}  // namespace dragoman::train
