// The memory budget of a listener: a limit on the bytes that the requests of all clients may hold together. It counts
// the bytes of requests that have been received, the memory that the work on them takes, and answers that have not been
// sent yet. Each client has a share of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "dragoman/base/shares.h"

namespace dragoman::serve {

// Safe to use from any thread.
class Budget {
 public:
  explicit Budget(std::int64_t bytes) : shares_(bytes) {}

  // Counts bytes before they are used. Returns false, and counts nothing, if they exceed the share of the holder.
  bool take(const std::string& holder, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    return shares_.take(holder, bytes);
  }
  // Counts bytes that are in memory already. Returns false if they exceed the share of the holder; they are counted
  // even then.
  bool count(const std::string& holder, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    const bool fits = shares_.has_room(holder, bytes);
    shares_.take_unchecked(holder, bytes);
    return fits;
  }
  void give_back(const std::string& holder, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    shares_.give_back(holder, bytes);
  }
  std::int64_t held() const {
    const std::lock_guard lock(mutex_);
    return shares_.total();
  }

 private:
  mutable std::mutex mutex_;
  Shares shares_;
};

}  // namespace dragoman::serve
