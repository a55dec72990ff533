// A program that runs beside a test, and what it says.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/program.h"

namespace dragoman {

// Ends with this object at the latest, by SIGKILL, with everything that it started; the test's own end is SIGTERM to
// it.
class Process {
 public:
  explicit Process(std::vector<std::string> command) : log_(scratch("_process" + std::to_string(made_++) + ".log")) {
    std::vector<char*> raw;
    for (std::string& argument : command) raw.push_back(argument.data());
    raw.push_back(nullptr);
    const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    id_ = ::fork();
    if (id_ == 0) {
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::dup2(log, STDOUT_FILENO);
      ::dup2(log, STDERR_FILENO);
      ::execvp(raw[0], raw.data());
      ::_exit(127);
    }
    ::setpgid(id_, id_);  // whoever comes first
    ::close(log);
  }
  ~Process() {
    if (id_ > 0) {
      ::kill(-id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
    std::filesystem::remove(log_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const {
    if (id_ > 0) ::kill(id_, number);
  }
  std::string said() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }
  // The number that it says after `words`, once the line is whole; nothing if it ends first, or says none for a minute.
  std::optional<int> number_after(const std::string& words) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    do {
      const std::string text = said();
      const std::size_t at = text.find(words);
      const std::size_t end_of_line = at == std::string::npos ? at : text.find('\n', at);
      if (end_of_line != std::string::npos) return std::stoi("0" + text.substr(at + words.size()));
      if (::waitpid(id_, nullptr, WNOHANG) == id_) id_ = 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (id_ > 0 && std::chrono::steady_clock::now() < end);
    return {};
  }
  // Waits for the end; its exit status.
  int status() {
    int status = 0;
    ::waitpid(std::exchange(id_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 protected:
  pid_t id() const { return id_; }

 private:
  inline static int made_ = 0;
  std::string log_;
  pid_t id_ = 0;
};

}  // namespace dragoman
