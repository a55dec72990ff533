#include "dragoman/cli/show/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman::cli {
namespace {

void require_written(bool written) {
  if (written) return;
  if (errno == EPIPE) throw OutputClosed{};
  throw Error(join("cannot write to standard output ", system_reason(), "."));
}

}  // namespace

void print(std::string_view text) { require_written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); }

void note(std::string_view line) {
  try {
    const std::string whole = std::string(line) + "\n";
    std::fwrite(whole.data(), 1, whole.size(), stderr);
  } catch (const std::bad_alloc&) {  // the line is dropped
  }
}

void announce_typing(const std::string& file, std::string_view command, std::string_view what) {
  if (file != "-" || ::isatty(STDIN_FILENO) != 1) return;
  note(join(command, ": reading ", what, " from the terminal; Ctrl-D ends."));
}

bool is_open_as(const std::string& name, int descriptor) {
  struct stat named {};
  struct stat opened {};
  return ::stat(name.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

void require_not_standard_input(const std::string& name, std::string_view flag) {
  struct stat input {};
  const bool is_regular = ::fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
  require<UsageError>(!is_regular || !is_open_as(name, STDIN_FILENO), "'", name,
                      "' is the text to translate; name another file with ", flag, ".");
}

// Each placeholder is opened in the wrong direction, so that its use is an error (EBADF), as for a closed stream.
bool hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    const int held = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held != stream) return false;  // open() returns the lowest free number, which is that of the stream
  }
  return true;
}

void flush_output() { require_written(std::fflush(stdout) == 0); }

}  // namespace dragoman::cli
