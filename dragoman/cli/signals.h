// Turns Ctrl-C and SIGTERM into a request that long tasks can check, so that they can save their state.
#pragma once

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

// Thrown when a task ended early because of a signal. The exit status of the program is then 128 plus the signal, as
// shells expect.
struct Stopped {
  int signal = 0;
};

}  // namespace dragoman::cli
