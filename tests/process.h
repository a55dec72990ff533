// A process that runs beside a test, and its output.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/program.h"

namespace dragoman {

// The streams and limits that a process starts with.
struct ProcessOptions {
  static constexpr int kLog = -2;     // the file that output() returns
  static constexpr int kClosed = -1;  // a closed stream

  int out = kLog, err = kLog;                // file descriptors, kLog or kClosed
  rlim_t max_address_bytes = RLIM_INFINITY;  // like `ulimit -v`
};

// The destructor kills the process and everything that it started. If the test process itself ends, the process gets
// SIGTERM.
class Process {
 public:
  explicit Process(std::vector<std::string> command, const ProcessOptions& with = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  std::string output() const;
  // The number that it prints after `words`, once the line is complete; nullopt if it ends first or a minute passes.
  std::optional<int> number_after(const std::string& words);
  // The TCP port on which it listens, according to the system; 0 if it ends first or a minute passes.
  int listening_port();
  // Waits until it ends; returns its exit status.
  int status();

 protected:
  pid_t id() const { return id_; }

 private:
  // The port of its listening socket; 0 if it has none.
  int port_of_sockets() const;

  inline static int made_ = 0;
  std::string log_;
  pid_t id_ = 0;
};

}  // namespace dragoman
