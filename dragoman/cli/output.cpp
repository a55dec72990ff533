#include "dragoman/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "dragoman/base/error.h"

namespace dragoman::cli {
namespace {

void require_written(bool written) {
  if (written) return;
  const int reason = errno;
  if (reason == EPIPE) throw OutputClosed{};
  throw Error(join("cannot write to standard output (", std::generic_category().message(reason), ")."));
}

}  // namespace

void print(std::string_view text) { require_written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); }

void flush_output() { require_written(std::fflush(stdout) == 0); }

}  // namespace dragoman::cli
