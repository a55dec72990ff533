#include "dragoman/cli/signals.h"

#include <csignal>

#include "dragoman/base/ending_signals.h"

namespace dragoman::cli {
namespace {

volatile std::sig_atomic_t received_signal = 0;

extern "C" void record_signal(int signal) {
  received_signal = signal;
  end_by_signals();
}

}  // namespace

StopRequest::~StopRequest() {
  if (records_) end_by_signals();
}

bool StopRequest::was_made() {
  if (!records_) {
    received_signal = 0;
    handle_ending_signals(record_signal);
    records_ = true;
  }
  return signal() != 0;
}

int StopRequest::signal() const { return records_ ? received_signal : 0; }

}  // namespace dragoman::cli
