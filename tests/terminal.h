// A pseudo-terminal in which a test runs the program, types, and reads what is shown.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/program.h"

namespace dragoman {

// The destructor kills the program.
class Terminal {
 public:
  // Runs a line of shell; the terminal is its standard input, output and error. It is 80 columns wide.
  explicit Terminal(const std::string& line) : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (::grantpt(master_) != 0 || ::unlockpt(master_) != 0) ADD_FAILURE() << "there are no pseudo-terminals";
    const std::string name = ::ptsname(master_);
    const winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(master_, TIOCSWINSZ, &size);
    id_ = ::fork();
    if (id_ != 0) return;
    ::setsid();
    const int terminal = ::open(name.c_str(), O_RDWR);  // becomes the terminal of the new session
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, stream);
    ::setenv("TERM", "xterm", 1);
    ::setenv("NO_COLOR", "1", 1);
    ::execl("/bin/sh", "sh", "-c", ("exec " + line).c_str(), nullptr);
    ::_exit(127);
  }
  ~Terminal() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  static constexpr const char* kEndOfInput = "\x04";  // Ctrl-D
  static constexpr const char* kInterrupt = "\x03";   // Ctrl-C

  void type(const std::string& text) const {
    EXPECT_EQ(::write(master_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // Waits until the text is shown, after what earlier calls waited for. Returns false if the program ends before that,
  // or a minute passes.
  bool shows(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (shown_.find(text, seen_) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end || !read_more()) return false;
    }
    seen_ = shown_.find(text, seen_) + text.size();
    return true;
  }
  // Waits until the program ends; returns its exit status.
  int status() {
    while (read_more()) continue;
    int status = 0;
    ::waitpid(std::exchange(id_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // Everything so far, with the echo of what was typed. Lines end in CR LF.
  const std::string& shown() const { return shown_; }

 private:
  // Returns false if the program has closed the terminal.
  bool read_more() {
    std::array<char, 4096> block{};
    pollfd ready{.fd = master_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 1000) == 0) return true;
    const ssize_t got = ::read(master_, block.data(), block.size());
    if (got > 0) shown_.append(block.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  int master_;
  pid_t id_ = 0;
  std::string shown_;
  std::size_t seen_ = 0;
};

}  // namespace dragoman
