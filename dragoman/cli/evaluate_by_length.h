// The part of `dragoman evaluate` that scores by length: the systems to compare with, the scores, and what is written.
#pragma once

#include <string>
#include <vector>

#include "dragoman/cli/settings/evaluate_options.h"
#include "dragoman/cli/show/evaluation_report.h"
#include "dragoman/eval/length_report.h"

namespace dragoman::cli {

// Reads the files of --compare, each with the name of its file as that of the system. Throws a UsageError for a file
// that --length-scores did not write, or that was scored in another way than `metrics` will score this system, so that
// it cannot be compared.
std::vector<eval::LengthReport> compared_systems(const LengthOptions& options, const MetricSettings& metrics);

// The scores of this system. Its name is that of the file of --length-scores, or those of the directories of its
// models. Requires that BLEU and chrF are the first two metrics.
eval::LengthReport length_report(const LengthOptions& options, const std::vector<std::string>& models,
                                 const TestSet& set, const Evaluation& evaluation);

// This system before the others. If another has the same name, its name says that it is this run.
std::vector<eval::LengthReport> with_compared(eval::LengthReport own, std::vector<eval::LengthReport> compared);

// Write the files of --length-scores and --chart, if they are named. This system is the first.
void write_length_scores(const LengthOptions& options, const std::vector<eval::LengthReport>& systems);
void write_length_chart(const LengthOptions& options, const std::vector<eval::LengthReport>& systems);

}  // namespace dragoman::cli
