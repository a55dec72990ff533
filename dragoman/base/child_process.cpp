#include "dragoman/base/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "dragoman/base/ending_signals.h"
#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman {
namespace {

struct Opened {
  explicit Opened(int number_) : number(number_) {}
  ~Opened() { ::close(number); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int number;
};

int open_for_output(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  require<Error>(file >= 0, "cannot write '", path.string(), "' ", system_reason(), ".");
  return file;
}

// The handlers of this program do not outlive execv(), but signals that it ignores stay ignored: the new program gets
// their defaults, as from a shell.
void restore_signals(const sigset_t& held) {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  handle_ending_signals(SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &held, nullptr);
}

// Runs in the new process, which may call only functions that are safe in signal handlers.
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent, int in, int out, int err,
                         const sigset_t& held) {
  restore_signals(held);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before the line above
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execv(program, arguments);
  ::_exit(127);
}

// A program that was started to ignore SIGCHLD gets no status of its processes: the system forgets them as they end.
void keep_statuses() {
  struct sigaction found {};
  if (::sigaction(SIGCHLD, nullptr, &found) == 0 && found.sa_handler == SIG_IGN) std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace

ChildProcess::ChildProcess(const ChildCommand& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<char*> raw;
  for (std::string& argument : arguments) raw.push_back(argument.data());
  raw.push_back(nullptr);
  const Opened in(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Opened out(open_for_output(command.output)), err(open_for_output(command.messages));
  const pid_t parent = ::getpid();
  keep_statuses();
  const SignalsHeld signals;  // until the new process has no handlers of this one
  id_ = ::fork();
  if (id_ == 0)
    become(command.program.c_str(), raw.data(), parent, in.number, out.number, err.number, signals.before());
  require<Error>(id_ > 0, "cannot start a process ", system_reason(), ".");
}

ChildProcess::~ChildProcess() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, 0)), status_(other.status_), asked_(other.asked_) {}

std::optional<int> ChildProcess::status() {
  if (id_ == 0) return status_;
  int raw = 0;
  const pid_t ended = ::waitpid(id_, &raw, WNOHANG);
  if (ended == 0) return std::nullopt;
  // Otherwise it has ended: if not even the system knows it any more, somebody else has taken its status.
  status_ = ended != id_ ? kLostStatus : WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  id_ = 0;
  return status_;
}

void ChildProcess::ask_to_end() {
  if (id_ > 0 && !asked_) ::kill(id_, SIGTERM);
  asked_ = true;
}

}  // namespace dragoman
