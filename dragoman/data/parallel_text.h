// Reads a parallel corpus: two files with one sentence per line, or one file of tab-separated pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dragoman/text/lines.h"

namespace dragoman::data {

struct ParallelFiles {
  std::string source;
  std::string target;  // if empty, each line of `source` is a source sentence, a tab and a target sentence
  double weight = 1;   // average number of copies of each pair in an epoch

  // Throws a UsageError for a weight outside 0.001 to 1000.
  void validate() const;
};

// Reads the pairs in order. Files may be packed (see text::LineReader).
class ParallelReader {
 public:
  // Throws an Error if a file cannot be opened.
  explicit ParallelReader(const ParallelFiles& files);

  // Reads the next pair; returns false at the end. Throws the errors of a LineReader, and a UsageError if a line of
  // pairs does not have exactly one tab, or if one file has more lines than the other.
  bool next(std::string& source, std::string& target);

  std::int64_t line() const { return source_.line(); }  // of the pair read last, counted from 1

 private:
  void split(std::string& source, std::string& target) const;
  [[noreturn]] void throw_line_count_mismatch();

  text::LineReader source_;
  std::optional<text::LineReader> target_;
};

}  // namespace dragoman::data
