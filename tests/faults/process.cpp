#include "tests/faults/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace dragoman::faults {
namespace {

// A run takes a tenth of a second; the limit allows for a busy machine.
constexpr std::chrono::seconds kLimit(60);

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::string Exit::text() const {
  if (timed_out) return "did not end within " + std::to_string(kLimit.count()) + " s";
  if (signal != 0) return "ended by signal " + std::to_string(signal);
  return "status " + std::to_string(status);
}

Exit run_process(const Launch& launch) {
  std::vector<std::string> arguments = launch.arguments, environment = launch.environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  const auto started = std::chrono::steady_clock::now();
  // Other threads of this process may hold locks, so the child makes nothing but system calls.
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const int input = ::open(launch.input.c_str(), O_RDONLY);
    const int output = ::open(launch.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int errors = ::open(launch.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(errors, 2) < 0) ::_exit(126);
    for (const int file : {input, output, errors}) {
      if (file > 2) ::close(file);
    }
    if (::chdir(launch.directory.c_str()) != 0) ::_exit(126);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  Exit exit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (!exit.timed_out && std::chrono::steady_clock::now() - started > kLimit) {
      exit.timed_out = true;
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (WIFEXITED(status)) exit.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  return exit;
}

}  // namespace dragoman::faults
