#include "dragoman/cli/signals.h"

#include <csignal>

namespace dragoman::cli {
namespace {

volatile std::sig_atomic_t received_signal = 0;

extern "C" void record_signal(int signal) {
  received_signal = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

StopRequest::StopRequest() {
  received_signal = 0;
  std::signal(SIGINT, record_signal);
  std::signal(SIGTERM, record_signal);
}

StopRequest::~StopRequest() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int StopRequest::signal() const { return received_signal; }

}  // namespace dragoman::cli
