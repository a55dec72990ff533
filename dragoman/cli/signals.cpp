#include "dragoman/cli/signals.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

namespace dragoman::cli {
namespace {

volatile std::sig_atomic_t received_signal = 0;

extern "C" void record_signal(int signal) {
  received_signal = signal;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

std::array<char, 4096> file_to_remove{};

extern "C" void remove_file_and_end(int signal) {
  ::unlink(file_to_remove.data());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

// A signal that is ignored, as SIGHUP is under nohup, stays ignored. A path that is too long is left alone.
RemovedBySignal::RemovedBySignal(const std::filesystem::path& file) {
  const std::string path = std::filesystem::absolute(file).string();
  if (path.size() >= file_to_remove.size()) return;
  std::ranges::copy(path, file_to_remove.begin());
  file_to_remove[path.size()] = '\0';
  for (const int signal : kEndingSignals) {
    if (std::signal(signal, remove_file_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

RemovedBySignal::~RemovedBySignal() {
  for (const int signal : kEndingSignals) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

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
