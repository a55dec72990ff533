#include "dragoman/base/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

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

// Runs in the new process, which may call only functions that are safe in signal handlers.
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent, int in, int out, int err) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before the line above
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execv(program, arguments);
  ::_exit(127);
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
  id_ = ::fork();
  if (id_ == 0) become(command.program.c_str(), raw.data(), parent, in.number, out.number, err.number);
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
  if (::waitpid(id_, &raw, WNOHANG) != id_) return std::nullopt;
  id_ = 0;
  status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return status_;
}

void ChildProcess::ask_to_end() {
  if (id_ > 0 && !asked_) ::kill(id_, SIGTERM);
  asked_ = true;
}

}  // namespace dragoman
