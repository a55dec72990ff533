// The directory of a table: what it was made with, and the runs of its rows. A finished run keeps only its result and
// its translations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/train/settings.h"

namespace dragoman::study::ablate {

// The directory of one run: of a row and a seed.
struct RunFiles {
  std::filesystem::path folder;

  std::filesystem::path result() const { return folder / "result.json"; }
  std::filesystem::path hypotheses() const { return folder / "hypotheses.txt"; }
  // The files below are removed when the run has finished.
  std::filesystem::path model() const { return folder / "model"; }
  std::filesystem::path settings() const { return folder / "train.yaml"; }
  std::filesystem::path evaluation() const { return folder / "evaluation.json"; }
  std::filesystem::path messages() const { return folder / "messages.txt"; }
};

struct TableFiles {
  std::filesystem::path folder;

  std::filesystem::path record() const { return folder / "study.json"; }
  std::filesystem::path text_hashes() const { return folder / "texts"; }
  std::filesystem::path vocabulary() const { return folder / "vocabulary"; }  // a directory
  std::filesystem::path source() const { return folder / "valid.source"; }
  std::filesystem::path references() const { return folder / "valid.target"; }
  std::filesystem::path markdown() const { return folder / "table.md"; }
  std::filesystem::path json() const { return folder / "table.json"; }
  std::filesystem::path page() const { return folder / "table.html"; }
  RunFiles run(const std::string& row, std::uint64_t seed) const {
    return {folder / "runs" / row / ("seed-" + std::to_string(seed))};
  }
};

// What a finished run leaves besides its translations.
struct RunResult {
  std::int64_t steps = 0;
  double nll = 0;  // of the references, in nats per subword
  double training_seconds = 0, evaluation_seconds = 0;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("steps", steps, "updates that were made");
    field("nll", nll, "negative log-likelihood of a subword of the references");
    field("training-seconds", training_seconds, "time spent training, over all sessions");
    field("evaluation-seconds", evaluation_seconds, "time spent translating and scoring");
  }
};

// The result of a finished run; nothing if it has not finished. Throws an Error for a damaged file.
std::optional<RunResult> read_result(const RunFiles& files);
// Marks the run as finished, and removes its model and its other files. Its hypotheses must be there.
void finish_run(const RunFiles& files, const RunResult& result);
// Removes what finish_run() has left if it was killed.
void remove_leftovers(const RunFiles& files);

std::vector<std::string> read_lines(const std::filesystem::path& file);

// Writes all settings to a file for `dragoman train --config`.
void write_config_file(const std::filesystem::path& file, const train::TrainingSettings& settings);

}  // namespace dragoman::study::ablate
