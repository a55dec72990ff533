// What `dragoman score` reads: translations of one or more systems and their references, line by line in step.
#pragma once

#include <string>
#include <vector>

#include "dragoman/text/lines.h"

namespace dragoman::cli {

class ScoreInput {
 public:
  // Names of files, "-" for standard input.
  ScoreInput(const std::vector<std::string>& systems, const std::vector<std::string>& references);

  // Reads the next line of every file; false at their end. White space at the end of a line is left out. Throws a
  // UsageError if one of them ends before another, or if there is no line at all.
  bool next();

  const std::vector<std::string>& hypotheses() const { return hypotheses_; }  // one of each system
  const std::vector<std::string>& references() const { return references_; }

 private:
  bool read(text::LineReader& file, std::string& line);
  void require_as_long(const text::LineReader& file, bool has_line) const;

  std::vector<text::LineReader> systems_, reference_files_;
  std::vector<std::string> hypotheses_, references_;
  bool more_ = true;  // of the first system
};

}  // namespace dragoman::cli
