// Divides a bounded amount (places, bytes) among holders who come and go, so that one of them cannot have it all while
// others ask. A holder may have more only while it has at most `kFactor` times what is left free. One that is alone can
// have all of `most`; somewhat more exists, and is what newcomers find. The more holders there are, the less each may
// have, and something is always left for the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace dragoman {

// Not safe to use from several threads at once.
class Shares {
 public:
  static constexpr std::int64_t kFactor = 8;

  explicit Shares(std::int64_t most) : most_(most), capacity_(room_for(most)) {}

  // What there must be so that a lone holder can have `most`.
  static std::int64_t room_for(std::int64_t most) { return most + (most + kFactor - 1) / kFactor; }

  // Whether the holder may have so much more now.
  bool has_room(const std::string& holder, std::int64_t amount) const {
    const std::int64_t held = held_by(holder) + amount, free = capacity_ - total_ - amount;
    return held <= most_ && held <= kFactor * free;
  }
  // Takes it if the holder may have it.
  bool take(const std::string& holder, std::int64_t amount) {
    if (!has_room(holder, amount)) return false;
    force(holder, amount);
    return true;
  }
  // Takes it whether there is room or not. What a holder has beyond `most` is not taken from the others.
  void force(const std::string& holder, std::int64_t amount) {
    if (amount != 0) change(held_.try_emplace(holder, 0).first->second, amount);
  }
  void give_back(const std::string& holder, std::int64_t amount) {
    const auto found = held_.find(holder);
    if (found == held_.end()) return;
    change(found->second, -amount);
    if (found->second == 0) held_.erase(found);
  }

  std::int64_t most() const { return most_; }
  std::int64_t capacity() const { return capacity_; }
  // What all have, each counted up to `most`.
  std::int64_t total() const { return total_; }
  std::int64_t held_by(const std::string& holder) const {
    const auto found = held_.find(holder);
    return found == held_.end() ? 0 : found->second;
  }

 private:
  void change(std::int64_t& held, std::int64_t by) {
    total_ -= std::min(held, most_);
    held += by;
    total_ += std::min(held, most_);
  }

  std::int64_t most_, capacity_, total_ = 0;
  std::map<std::string, std::int64_t> held_;
};

}  // namespace dragoman
