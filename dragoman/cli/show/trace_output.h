// Where translate --attention writes to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dragoman/base/files.h"

namespace dragoman::cli {

// A file keeps what it held until the first trace is there. If it is standard output, as /dev/stdout, traces and
// translations take turns in it.
class TraceOutput {
 public:
  // Throws a UsageError if standard input comes from this file, and an Error if it cannot be written.
  explicit TraceOutput(const std::string& name);

  void write(std::string_view line);
  void finish();

 private:
  std::optional<LineFile> file_;  // nothing for standard output
};

}  // namespace dragoman::cli
