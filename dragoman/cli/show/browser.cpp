#include "dragoman/cli/show/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::cli {
namespace {

constexpr const char* kOpener = "xdg-open";

// A process of its own group, so that Ctrl-C for this program does not end the browser. It has no streams of ours, and
// no signals that this program blocks or ignores.
int start(const std::string& url, pid_t& id) {
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none, ignored;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::sigemptyset(&ignored);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&ignored, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &ignored);
  std::string program = kOpener, page = url;
  char* arguments[] = {program.data(), page.data(), nullptr};
  const int error = ::posix_spawnp(&id, kOpener, &streams, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&streams);
  return error;
}

}  // namespace

std::string open_in_browser(const std::string& url) {
  pid_t id = 0;
  if (const int error = start(url, id)) {
    return error == ENOENT
               ? join("there is no program ", kOpener)
               : join(kOpener, " cannot be started (", lower_first(std::generic_category().message(error)), ")");
  }
  constexpr std::chrono::milliseconds kStep(20), kPatience(2000);
  for (std::chrono::milliseconds waited{}; waited < kPatience; waited += kStep) {
    int status = 0;
    const pid_t ended = ::waitpid(id, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return "";  // SIGCHLD is ignored, so how it ended is not known
    if (ended == id) {
      const bool is_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      return is_well ? "" : join(kOpener, " found none that it could start");
    }
    std::this_thread::sleep_for(kStep);
  }
  return "";
}

}  // namespace dragoman::cli
