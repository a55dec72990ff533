// What Ctrl-C and SIGTERM do: they become a request that long tasks can check, so that they can save their state, or
// they remove an unfinished file.
#pragma once

#include <filesystem>

namespace dragoman::cli {

// While an object of this class exists, the first SIGINT or SIGTERM is only recorded; the second ends the program at
// once.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal that was received, or 0.
  int signal() const;
};

// While an object of this class exists, SIGINT, SIGTERM and SIGHUP remove the file before they end the program. At most
// one object may exist at a time, and no StopRequest beside it.
class RemovedBySignal {
 public:
  explicit RemovedBySignal(const std::filesystem::path& file);
  ~RemovedBySignal();
  RemovedBySignal(const RemovedBySignal&) = delete;
  RemovedBySignal& operator=(const RemovedBySignal&) = delete;
};

// Thrown when a task ended early because of a signal. The exit status of the program is then 128 plus the signal, as
// shells expect.
struct Stopped {
  int signal = 0;
};

}  // namespace dragoman::cli
