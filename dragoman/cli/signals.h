// Ctrl-C, SIGTERM and SIGHUP as a request that long tasks can check, so that they can save their state. Other tasks
// have nothing to save: the signals end them at once, see base/ending_signals.h.
#pragma once

namespace dragoman::cli {

// From the first call of was_made() on, the first SIGINT, SIGTERM or SIGHUP is only recorded; the second ends the
// program at once. Before that call, a task prepares its work and has nothing to save. At most one object may exist at
// a time.
class StopRequest {
 public:
  StopRequest() = default;
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool was_made();
  // The signal that was received, or 0.
  int signal() const;

 private:
  bool records_ = false;
};

// Thrown when a task ended early because of a signal. The exit status of the program is then 128 plus the signal, as
// shells expect.
struct Stopped {
  int signal = 0;
};

}  // namespace dragoman::cli
