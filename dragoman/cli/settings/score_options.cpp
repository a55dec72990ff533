#include "dragoman/cli/settings/score_options.h"

#include <algorithm>

#include "dragoman/base/error.h"

namespace dragoman::cli {
namespace {

using eval::Resampling;

void validate_files(const ScoreOptions& options) {
  std::vector<std::string> files = options.reference;
  files.insert(files.end(), options.system.begin(), options.system.end());
  files.push_back(options.hypothesis);
  require<UsageError>(std::ranges::count(files, "-") <= 1,
                      "only one file can be standard input (-), which is also the default of --hypothesis.");
}

void validate_tests(const ScoreOptions& options) {
  const bool is_paired = options.paired != Resampling::kNone;
  require<UsageError>(!is_paired || !options.system.empty(),
                      "a paired test needs another system to compare with; name it with --system.");
  require<UsageError>(!is_paired || !options.confidence,
                      "--confidence cannot be combined with --paired; --paired bootstrap gives its own intervals.");
  require<UsageError>(!options.sentence_level || (!is_paired && !options.confidence && options.system.empty()),
                      "--sentence-level takes neither --system nor --paired nor --confidence.");
  require<UsageError>(options.trials >= 0 && options.trials <= 10'000'000, "trials is ", options.trials,
                      "; it must be from 0 to 10000000.");
}

}  // namespace

void ScoreOptions::validate() const {
  validate_files(*this);
  validate_tests(*this);
  metric.validate();
}

eval::Trials ScoreOptions::resampling_trials() const {
  const int usual = resampling() == Resampling::kRandomisation ? 10'000 : 1000;
  return {.number = trials > 0 ? trials : usual, .seed = seed};
}

}  // namespace dragoman::cli
