// The capacity of an engine (sentences, source tokens, cells, rows) and how much of it each client uses. A cell holds
// the decoder state of one target token (see model/state/state_arrays.h); a row is one hypothesis.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "dragoman/base/shares.h"

namespace dragoman::decode {

inline std::int64_t next_power_of_two(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
}

struct EngineLimits {
  std::int64_t sentences = 64;        // most sentences under way at once
  std::int64_t source_tokens = 4096;  // most source tokens of these sentences together; a longer sentence is refused
  bool fair = false;                  // divide the capacity among clients, see EngineCapacity
};

// What a sentence occupies while it is under way.
struct SentenceNeeds {
  std::int64_t tokens = 0;  // source tokens
  std::int64_t cells = 0;   // cells of the decoder state, for the tokens of all hypotheses up to their limit
  std::int64_t rows = 0;    // hypotheses at once
};

class EngineCapacity {
 public:
  // If limits.fair, `most` and limits.sentences are what one client may occupy. The capacity is then somewhat larger,
  // so that a client that comes when another one has taken its maximum still finds a place (see Shares). Otherwise they
  // are what all clients together may occupy.
  EngineCapacity(const EngineLimits& limits, const SentenceNeeds& most)
      : fair_(limits.fair),
        shares_{Shares(limits.sentences), Shares(most.tokens), Shares(most.cells), Shares(most.rows)} {}

  // The capacity for all clients together; at least what one client may occupy.
  std::int64_t sentences() const { return capacity(kPlaces); }
  std::int64_t tokens() const { return capacity(kTokens); }
  std::int64_t cells() const { return capacity(kCells); }

  // Whether a client's sentence may enter now while `kept` is left free for another sentence. If limits.fair, only a
  // client that has nothing under way may take whatever is free; others may take up to their share.
  bool has_room(const std::string& client, const SentenceNeeds& needs, const SentenceNeeds& kept = {}) const {
    // An empty `kept` keeps nothing free, not even a place.
    const Amounts amounts = amounts_of(needs), kept_free = kept.cells > 0 ? amounts_of(kept) : Amounts{};
    const bool may_take_all = !fair_ || under_way(client) == 0;
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (shares_[i].total() + amounts[i] + kept_free[i] > capacity(i)) return false;
      if (!may_take_all && !shares_[i].has_room(client, amounts[i])) return false;
    }
    return true;
  }
  void enter(const std::string& client, const SentenceNeeds& needs) {
    const Amounts amounts = amounts_of(needs);
    for (std::size_t i = 0; i < kKinds; ++i) shares_[i].take_unchecked(client, amounts[i]);
  }
  void leave(const std::string& client, const SentenceNeeds& needs) {
    const Amounts amounts = amounts_of(needs);
    for (std::size_t i = 0; i < kKinds; ++i) shares_[i].give_back(client, amounts[i]);
  }

  // The number of the client's sentences under way.
  std::int64_t under_way(const std::string& client) const { return shares_[kPlaces].held_by(client); }

 private:
  enum Kind : std::size_t { kPlaces, kTokens, kCells, kRows, kKinds };
  using Amounts = std::array<std::int64_t, kKinds>;

  std::int64_t capacity(std::size_t kind) const { return fair_ ? shares_[kind].capacity() : shares_[kind].limit(); }
  // The rows are capped, so that a sentence that needs more rows than the limit can enter alone.
  Amounts amounts_of(const SentenceNeeds& needs) const {
    return {1, needs.tokens, needs.cells, std::min(needs.rows, shares_[kRows].limit())};
  }

  bool fair_;
  std::array<Shares, kKinds> shares_;
};

}  // namespace dragoman::decode
