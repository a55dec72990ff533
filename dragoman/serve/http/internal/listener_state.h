// What the connections of one listener share: its options, its memory budget, and the count of connections. Safe to use
// from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/shares.h"
#include "dragoman/serve/http/client_address.h"
#include "dragoman/serve/http/internal/budget.h"
#include "dragoman/serve/http/listener.h"

namespace dragoman::serve {

class ListenerState {
 public:
  ListenerState(ListenerOptions given, Handler handle)
      : options(std::move(given)),
        handler(std::move(handle)),
        proxies(options.trusted_proxies),
        budget(std::make_shared<Budget>(options.held_bytes)),
        places_(options.max_connections) {}

  const ListenerOptions options;
  const Handler handler;
  const TrustedProxies proxies;
  const std::shared_ptr<Budget> budget;  // shared, because exchanges may outlive the listener
  std::atomic<bool> draining = false;
  std::atomic<bool> reads_on = true;  // whether requests that are not complete may become so; false late in a drain

  // Joins the parts to a message for the operator.
  template <class... Parts>
  void report(const Parts&... parts) const noexcept {
    try {
      if (options.report) options.report(join(parts...));
    } catch (...) {  // there is no other place to report to
    }
  }
  void refused(const RequestRecord& request) const noexcept {
    try {
      if (options.refused) options.refused(request);
    } catch (...) {
    }
  }

  // What happens to a new connection: it is served, answered with status 503, or closed without an answer.
  enum class Admission { kServe, kTurnAway, kDrop };

  // Decides what to do with a new connection. `holder` is the peer's address or network, as holder_of() gives it; each
  // holder has a share of the connections. A trusted proxy, whose connections belong to many clients, may use all that
  // are free. A connection above the limit gets an answer that says so (kTurnAway). While 256 such connections are
  // open, further ones are dropped without an answer (kDrop).
  Admission enter(const std::string& holder, bool proxy) {
    constexpr std::int64_t kTurnedAwayAtOnce = 256;
    const std::lock_guard lock(mutex_);
    ++counts_.accepted;
    const bool fits = proxy ? places_.total() < places_.limit() : places_.has_room(holder, 1);
    if (!fits) ++counts_.refused;
    if (!fits && turned_away_ >= kTurnedAwayAtOnce) return Admission::kDrop;
    if (fits) places_.take_unchecked(holder, 1);
    if (!fits) ++turned_away_;
    ++counts_.connections;
    return fits ? Admission::kServe : Admission::kTurnAway;
  }
  // To be called when a connection that was not dropped has been closed.
  void leave(const std::string& holder, Admission admission) {
    const std::lock_guard lock(mutex_);
    --counts_.connections;
    if (admission == Admission::kServe) places_.give_back(holder, 1);
    if (admission == Admission::kTurnAway) --turned_away_;
    empty_.notify_all();
  }

  // To be called when no more connections will be accepted.
  void shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    empty_.notify_all();
  }
  // To be called when a connection begins to answer a request, and when it has done so.
  void count_answers(int more) {
    const std::lock_guard lock(mutex_);
    answers_ += more;
    empty_.notify_all();
  }

  // Waits, but not longer than until `end`, until shut() has been called and no request is being answered, or until all
  // connections are closed.
  template <class Time>
  void wait_until_answered(const Time& end) {
    std::unique_lock lock(mutex_);
    empty_.wait_until(lock, end, [&] { return shut_ && answers_ == 0; });
  }
  template <class Time>
  void wait_until_empty(const Time& end) {
    std::unique_lock lock(mutex_);
    empty_.wait_until(lock, end, [&] { return shut_ && counts_.connections == 0; });
  }

  ListenerCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable empty_;
  ListenerCounts counts_;
  std::int64_t answers_ = 0;  // requests that are being answered
  bool shut_ = false;
  Shares places_;                 // connections by holder
  std::int64_t turned_away_ = 0;  // connections with kTurnAway that are open
};

}  // namespace dragoman::serve
