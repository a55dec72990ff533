// Sentences that wait for an engine, and the decision which of them enter at a step. Both engines use it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dragoman/decode/engine/request.h"
#include "dragoman/decode/engine/room.h"

namespace dragoman::decode {

class Admission {
 public:
  // `most`: what one client may have under way. At one step sentences enter until they have `entering_tokens` source
  // tokens.
  Admission(const EngineLimits& limits, const RoomNeeds& most,
            std::int64_t entering_tokens = std::numeric_limits<std::int64_t>::max());

  // The sentence waits from now on. It must not need more than `most`.
  void add(Request request, const RoomNeeds& needs);
  // A sentence that waits is forgotten.
  void cancel(std::uint64_t number);
  std::int64_t waiting() const { return std::ssize(waiting_); }
  std::int64_t waiting(const std::string& client) const;

  // Takes the engine's memory for a sentence. Returns false if it cannot: there may be enough, but not in one piece.
  using TakeMemory = std::function<bool(const Request& request)>;
  // The sentences that enter at this step, in order. `take_memory` was called for each of them, in this order.
  std::vector<Request> admit(const TakeMemory& take_memory);
  // A sentence that entered has left.
  void leave(const Request& request, const RoomNeeds& needs);

  std::int64_t under_way() const { return under_way_; }
  const Room& room() const { return room_; }

 private:
  struct Waiting {
    Request request;
    RoomNeeds needs;
    std::int64_t passed = 0;  // how often others may have gone first

    const std::string& client() const { return request.options.client; }
  };

  bool is_new(const Waiting& waiting) const { return room_.under_way(waiting.client()) == 0; }
  bool is_open() const;
  bool has_room(const Waiting& waiting, const RoomNeeds& kept) const;
  std::vector<Request> choose(bool open, const TakeMemory& take_memory);

  EngineLimits limits_;
  std::int64_t entering_tokens_;
  Room room_;
  std::deque<Waiting> waiting_;
  std::int64_t under_way_ = 0;
  std::int64_t closed_steps_ = 0;  // since sentences last entered, while few places were free
};

}  // namespace dragoman::decode
