// The output of translate --attention.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/files.h"

namespace dragoman::cli {

// A file keeps its old content until the first trace is written. If the file is standard output (as /dev/stdout),
// traces and translations alternate in it.
class TraceOutput {
 public:
  // Throws a UsageError if standard input comes from this file, and an Error if it cannot be written.
  explicit TraceOutput(const std::string& name);

  void write(std::string_view line);
  void finish();

 private:
  std::optional<LineFile> file_;  // empty for standard output
};

}  // namespace dragoman::cli
