// Makes Table 3: learns one vocabulary, trains and evaluates every row with every seed, and writes the table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/study/ablate/jobs.h"
#include "dragoman/study/ablate/rows.h"
#include "dragoman/study/ablate/table.h"
#include "dragoman/train/settings.h"

namespace dragoman::study::ablate {

// The settings as all runs have them: as in the paper, the weights are the last ones and not a mean, so there is no
// validation during training that could choose others.
train::TrainingSettings comparable(train::TrainingSettings settings);

struct StudyRequest {
  std::filesystem::path directory;   // new, or that of this table
  train::TrainingSettings settings;  // of base; with a validation text
  ChosenRows chosen;                 // formed from comparable(settings)
  int seeds = 3;                     // the seeds count from that of the settings
  int jobs = 1;                      // runs at a time; they share the threads and the memory
  std::string program;               // as in JobOptions
};

struct StudyResult {
  Table table;
  bool is_stopped = false;
};

// Goes on with the table in the directory if there is one. The table there is written again whenever a run has
// finished. Throws a UsageError if the directory holds something else, or a table with other settings or texts. Rows,
// seeds and jobs may differ: runs that exist are used.
StudyResult run_study(const StudyRequest& request, Watcher& watcher);

}  // namespace dragoman::study::ablate
