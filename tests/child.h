// Runs the program as a child process that a test can watch, stop and kill.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "tests/program.h"

namespace dragoman {

class Child {
 public:
  explicit Child(const std::string& arguments) {
    const std::string line = "exec " + kProgram + " " + arguments + " >/dev/null 2>'" + err_path_ + "'";
    id_ = ::fork();
    if (id_ != 0) return;
    ::setpriority(PRIO_PROCESS, 0, 10);  // gives the watching test precedence
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  ~Child() {
    kill();
    std::filesystem::remove(err_path_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool running() {
    if (!ended_ && ::wait4(id_, &status_, WNOHANG, &usage_) == id_) ended_ = true;
    return !ended_;
  }
  void signal(int number) {
    if (running()) ::kill(id_, number);
  }
  // Waits until `seen` is true; returns false if the process ended before that.
  bool wait_until(const std::function<bool()>& seen) {
    while (running()) {
      if (seen()) return true;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return false;
  }
  // Stops the process when `seen` is true, and checks that it is still true after the process has stopped.
  bool freeze_when(const std::function<bool()>& seen) {
    while (running()) {
      if (!seen()) continue;
      ::kill(id_, SIGSTOP);
      int status = 0;
      ::waitpid(id_, &status, WUNTRACED);
      if (!WIFSTOPPED(status)) {
        ended_ = true;
        status_ = status;
        return false;
      }
      if (seen()) return true;
      ::kill(id_, SIGCONT);
    }
    return false;
  }
  void kill() {
    signal(SIGKILL);
    wait();
  }
  Ending wait() {
    if (!ended_) ::wait4(id_, &status_, 0, &usage_);
    ended_ = true;
    std::ostringstream err;
    err << std::ifstream(err_path_, std::ios::binary).rdbuf();
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), "", err.str()};
  }
  // The most memory that the process used. Call it after the process has ended.
  long peak_mebibytes() const { return usage_.ru_maxrss / 1024; }

 private:
  inline static int made_ = 0;
  std::string err_path_ = scratch("_child" + std::to_string(made_++) + ".err");
  pid_t id_ = -1;
  int status_ = 0;
  bool ended_ = false;
  rusage usage_{};
};

}  // namespace dragoman
