// What the connections of one listener share, and their number.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/serve/listener.h"

namespace dragoman::serve {

class ListenerState {
 public:
  ListenerState(ListenerOptions given, Handler handle) : options(std::move(given)), handler(std::move(handle)) {}

  const ListenerOptions options;
  const Handler handler;
  std::atomic<bool> draining = false;

  // The parts are joined to a sentence.
  template <class... Parts>
  void report(const Parts&... parts) const noexcept {
    try {
      if (options.report) options.report(join(parts...));
    } catch (...) {  // there is nobody left to tell
    }
  }
  void refused(const RequestRecord& request) const noexcept {
    try {
      if (options.refused) options.refused(request);
    } catch (...) {
    }
  }

  enum class Welcome { kServe, kTurnAway, kDrop };

  // A client has connected. Some of those that are too many are told so; when they are too many themselves, or wait
  // to be gone, the others are not.
  Welcome enter() {
    constexpr std::int64_t kTurnedAwayAtOnce = 256;
    const std::lock_guard lock(mutex_);
    ++counts_.accepted;
    const std::int64_t over = counts_.connections - options.most_connections;
    if (over >= 0) ++counts_.refused;
    if (over >= kTurnedAwayAtOnce) return Welcome::kDrop;
    ++counts_.connections;
    return over >= 0 ? Welcome::kTurnAway : Welcome::kServe;
  }
  // A connection, of those that were not dropped, is closed.
  void leave() {
    const std::lock_guard lock(mutex_);
    --counts_.connections;
    empty_.notify_all();
  }

  // A connection holds so many more bytes of requests, or fewer. False if those of all are too many.
  bool hold(std::int64_t more) { return (held_ += more) <= options.held_bytes; }

  // Nobody enters any more.
  void shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    empty_.notify_all();
  }
  // Waits until nobody enters and all have left, or for so many seconds.
  void wait_until_empty(double seconds) {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return shut_ && counts_.connections == 0; });
  }

  ListenerCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable empty_;
  ListenerCounts counts_;
  bool shut_ = false;
  std::atomic<std::int64_t> held_ = 0;
};

}  // namespace dragoman::serve
