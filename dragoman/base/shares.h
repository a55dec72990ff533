// Divides a limited amount (queue places, bytes) among holders that come and go, so that one holder cannot take
// everything while others ask. A holder may take more only if it then has at most `limit`, and at most `kFactor` times
// the amount that is still free. A single holder can therefore take all of `limit`. The capacity is somewhat larger,
// and that reserve is for newcomers. The more holders there are, the less each may take, and something is always left
// for the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace dragoman {

// Not thread-safe.
class Shares {
 public:
  static constexpr std::int64_t kFactor = 8;

  explicit Shares(std::int64_t limit) : limit_(limit), capacity_(capacity_for(limit)) {}

  // The capacity that is needed so that a single holder can take `limit`.
  static std::int64_t capacity_for(std::int64_t limit) { return limit + (limit + kFactor - 1) / kFactor; }

  // Whether the holder may take this amount now.
  bool has_room(const std::string& holder, std::int64_t amount) const {
    const std::int64_t held = held_by(holder) + amount, free = capacity_ - total_ - amount;
    return held <= limit_ && held <= kFactor * free;
  }
  // Takes the amount if has_room(), and returns whether it did.
  bool take(const std::string& holder, std::int64_t amount) {
    if (!has_room(holder, amount)) return false;
    take_unchecked(holder, amount);
    return true;
  }
  // Takes the amount even if there is no room. What a holder has beyond `limit` does not reduce what others may take.
  void take_unchecked(const std::string& holder, std::int64_t amount) {
    if (amount != 0) change(held_.try_emplace(holder, 0).first->second, amount);
  }
  void give_back(const std::string& holder, std::int64_t amount) {
    const auto found = held_.find(holder);
    if (found == held_.end()) return;
    change(found->second, -amount);
    if (found->second == 0) held_.erase(found);
  }

  std::int64_t limit() const { return limit_; }
  std::int64_t capacity() const { return capacity_; }
  // The sum over all holders, with at most `limit` counted for each.
  std::int64_t total() const { return total_; }
  std::int64_t held_by(const std::string& holder) const {
    const auto found = held_.find(holder);
    return found == held_.end() ? 0 : found->second;
  }

 private:
  void change(std::int64_t& held, std::int64_t by) {
    total_ -= std::min(held, limit_);
    held += by;
    total_ += std::min(held, limit_);
  }

  std::int64_t limit_, capacity_, total_ = 0;
  std::map<std::string, std::int64_t> held_;
};

}  // namespace dragoman
