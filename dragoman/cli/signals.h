// Ctrl-C and SIGTERM as a wish that long tasks ask about, so that nothing is lost.
#pragma once

namespace dragoman::cli {

// While one of these lives, the first SIGINT or SIGTERM is only noted; the second one ends the program at once.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal that came, or 0.
  int signal() const;
};

// A task that ended early because it was asked to: the program's status is 128 and the signal, as a shell expects.
struct Stopped {
  int signal = 0;
};

}  // namespace dragoman::cli
