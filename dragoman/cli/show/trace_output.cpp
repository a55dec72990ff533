#include "dragoman/cli/show/trace_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include "dragoman/cli/show/output.h"

namespace dragoman::cli {
namespace {

// Whether the file is the one that is open as `descriptor`. With `only_regular`, false for devices and pipes.
bool is_open_as(const std::string& name, int descriptor, bool only_regular) {
  struct stat named {};
  struct stat opened {};
  return ::stat(name.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino && (!only_regular || S_ISREG(named.st_mode));
}

}  // namespace

TraceOutput::TraceOutput(const std::string& name) {
  // A terminal may be both standard input and standard output, so only regular files are refused.
  require<UsageError>(!is_open_as(name, STDIN_FILENO, true), "'", name,
                      "' is the text to translate; name another file with --attention.");
  if (!is_open_as(name, STDOUT_FILENO, false)) file_.emplace(name);
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
