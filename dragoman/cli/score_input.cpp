#include "dragoman/cli/score_input.h"

#include "dragoman/base/error.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::cli {

ScoreInput::ScoreInput(const std::vector<std::string>& systems, const std::vector<std::string>& references)
    : systems_(systems.begin(), systems.end()),
      reference_files_(references.begin(), references.end()),
      hypotheses_(systems.size()),
      references_(references.size()) {}

bool ScoreInput::next() {
  more_ = read(systems_[0], hypotheses_[0]);
  for (std::size_t i = 1; i < systems_.size(); ++i) require_as_long(systems_[i], read(systems_[i], hypotheses_[i]));
  for (std::size_t i = 0; i < references_.size(); ++i) {
    require_as_long(reference_files_[i], read(reference_files_[i], references_[i]));
  }
  require<UsageError>(more_ || systems_[0].line() > 0, systems_[0].name(), " is empty: there is nothing to score.");
  return more_;
}

bool ScoreInput::read(text::LineReader& file, std::string& line) {
  const bool has_line = file.next(line);
  line.resize(eval::trimmed_right(line).size());
  return has_line;
}

void ScoreInput::require_as_long(const text::LineReader& file, bool has_line) const {
  if (has_line == more_) return;
  has_line ? text::throw_line_count_mismatch(systems_[0], file) : text::throw_line_count_mismatch(file, systems_[0]);
}

}  // namespace dragoman::cli
