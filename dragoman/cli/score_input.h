// The input of `dragoman score`: the translations of one or more systems and their references, read line by line
// together.
#pragma once

#include <string>
#include <vector>

#include "dragoman/text/lines.h"

namespace dragoman::cli {

class ScoreInput {
 public:
  // Names of files, "-" for standard input.
  ScoreInput(const std::vector<std::string>& systems, const std::vector<std::string>& references);

  // Reads the next line of every file, without white space at its end; false at the end of the files. Throws a
  // UsageError if one file ends before another, or if there is no line at all.
  bool next();

  const std::vector<std::string>& hypotheses() const { return hypotheses_; }  // one per system
  const std::vector<std::string>& references() const { return references_; }

 private:
  bool read(text::LineReader& file, std::string& line);
  void require_as_long(const text::LineReader& file, bool has_line) const;

  std::vector<text::LineReader> systems_, reference_files_;
  std::vector<std::string> hypotheses_, references_;
  bool more_ = true;  // whether the first system had a line left
};

}  // namespace dragoman::cli
