#include "dragoman/cli/show/trace_output.h"

#include <unistd.h>

#include "dragoman/cli/show/output.h"

namespace dragoman::cli {

TraceOutput::TraceOutput(const std::string& name) {
  require_not_standard_input(name, "--attention");
  if (!is_open_as(name, STDOUT_FILENO)) file_.emplace(name);
}

void TraceOutput::write(std::string_view line) {
  if (file_) return file_->add(line);
  print(line);
  flush_output();
}

void TraceOutput::finish() {
  if (file_) file_->finish();
}

}  // namespace dragoman::cli
