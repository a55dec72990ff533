// The report of a training run from what its directory holds.
#pragma once

#include <filesystem>
#include <string>

#include "dragoman/train/report/comparison.h"
#include "dragoman/train/settings.h"

namespace dragoman::train {

// What a report says of a run with these settings. `config` has the actual sizes of the vocabularies.
ReportFacts facts_of(const TrainingSettings& settings, const model::ModelConfig& config);

// A run for a report: its records, and the settings of its newest checkpoint. A run that has no checkpoint yet, or one
// of another version, is shown without settings. Throws an Error if the directory has no records.
ReportedRun read_run(const std::filesystem::path& directory, const std::string& name);

}  // namespace dragoman::train
