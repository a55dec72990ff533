// Memory that the requests of all clients may hold together: what has come of them, what their work takes, and answers
// that are not sent yet. Each client has its share.
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

  bool take(const std::string& holder, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    return shares_.take(holder, bytes);
  }
  // Counts bytes that are there already. False if they are too many.
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
