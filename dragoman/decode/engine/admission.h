// The queue in front of an engine: holds the sentences that wait and decides which of them enter at a step. Both
// engines use it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dragoman/decode/engine/engine_capacity.h"
#include "dragoman/decode/engine/request.h"

namespace dragoman::decode {

class Admission {
 public:
  // `most` is what one client may have under way. At one step sentences enter until their source tokens reach
  // `entering_tokens`.
  Admission(const EngineLimits& limits, const SentenceNeeds& most,
            std::int64_t entering_tokens = std::numeric_limits<std::int64_t>::max());

  // Puts the sentence into the queue. It must not need more than `most`.
  void add(TranslationRequest request, const SentenceNeeds& needs);
  // Removes the sentence from the queue, if it is there.
  void cancel(std::uint64_t number);
  std::int64_t waiting() const { return std::ssize(waiting_); }
  std::int64_t waiting(const std::string& client) const;

  // Allocates the engine's memory for a sentence. Returns false if it cannot: enough may be free, but not in one piece.
  using TakeMemory = std::function<bool(const TranslationRequest& request)>;
  // Removes the sentences that enter at this step from the queue and returns them, in order. `take_memory` has returned
  // true for each of them, in this order.
  std::vector<TranslationRequest> admit(const TakeMemory& take_memory);
  // To be called when a sentence that entered has left the engine.
  void leave(const TranslationRequest& request, const SentenceNeeds& needs);

  std::int64_t under_way() const { return under_way_; }
  const EngineCapacity& capacity() const { return capacity_; }

 private:
  struct Waiting {
    TranslationRequest request;
    SentenceNeeds needs;
    std::int64_t passed = 0;  // steps at which it had its turn but did not fit, so that others could pass

    const std::string& client() const { return request.options.client; }
  };

  bool is_new(const Waiting& waiting) const { return capacity_.under_way(waiting.client()) == 0; }
  // Whether enough of the engine's places are free to let any waiting sentence enter. While the queue is closed, none
  // enters; with limits.fair, those of clients with little under way may enter every few steps (see admit()).
  bool is_open() const;
  bool has_room(const Waiting& waiting, const SentenceNeeds& kept) const;
  std::vector<TranslationRequest> choose(bool open, const TakeMemory& take_memory);

  EngineLimits limits_;
  std::int64_t entering_tokens_;
  EngineCapacity capacity_;
  std::deque<Waiting> waiting_;
  std::int64_t under_way_ = 0;
  std::int64_t closed_steps_ = 0;  // steps since sentences could last enter, during which the queue was closed
};

}  // namespace dragoman::decode
