// What SIGINT, SIGTERM and SIGHUP do: they remove unfinished files and directories, and then end the program.
#pragma once

#include <array>
#include <csignal>
#include <filesystem>
#include <utility>

namespace dragoman {

inline constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

// From now on each of these signals removes what RemovedBySignal objects name, and ends the program as it does by
// default. A signal that the program was started to ignore, as SIGHUP is under nohup, stays ignored. May be called in a
// signal handler.
void end_by_signals();
// The same with another handler for these signals.
void handle_ending_signals(void (*handler)(int signal));
// Ends the program as one of these signals does, even if it is blocked or ignored.
[[noreturn]] void end_by_signal(int signal);

// From now on a signal that ends the program first removes this file, or this directory with everything in it; until
// keep_by_signal() is called. What is written aside (files.h, new_directory.h) is treated so. A path that is too long
// is left alone, and so are more than 32 at a time.
void remove_by_signal(const std::filesystem::path& path);
// If a signal is removing it at this moment, this function does not return.
void keep_by_signal(const std::filesystem::path& path);

class RemovedBySignal {
 public:
  explicit RemovedBySignal(std::filesystem::path path) : path_(std::move(path)) { remove_by_signal(path_); }
  ~RemovedBySignal() { keep_by_signal(path_); }
  RemovedBySignal(const RemovedBySignal&) = delete;
  RemovedBySignal& operator=(const RemovedBySignal&) = delete;

 private:
  std::filesystem::path path_;
};

// While an object of this class exists, the thread that created it receives no signals; they wait.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  // The signals that were held back before.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

}  // namespace dragoman
