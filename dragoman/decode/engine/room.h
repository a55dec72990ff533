// How much an engine may have under way at once, and who has how much of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "dragoman/base/shares.h"

namespace dragoman::decode {

struct EngineLimits {
  std::int64_t sentences = 64;        // under way at once
  std::int64_t source_tokens = 4096;  // of the sentences under way together; a single longer one is refused
  bool fair = false;                  // one client does not get all the room: see Room
};

// What a sentence takes while it is under way.
struct RoomNeeds {
  std::int64_t tokens = 0;  // of the source
  std::int64_t cells = 0;   // for the tokens of all hypotheses, up to their limit
  std::int64_t rows = 0;    // hypotheses
};

class Room {
 public:
  // `most`: what one client may have, besides limits.sentences. If limits.fair, there is somewhat more, so that a
  // client that comes when another has it all finds a place (see Shares).
  Room(const EngineLimits& limits, const RoomNeeds& most)
      : fair_(limits.fair),
        shares_{Shares(limits.sentences), Shares(most.tokens), Shares(most.cells), Shares(most.rows)} {}

  // What there is: never less than what was asked for.
  std::int64_t sentences() const { return capacity(kPlaces); }
  std::int64_t tokens() const { return capacity(kTokens); }
  std::int64_t cells() const { return capacity(kCells); }

  // Whether a client's sentence may enter now, and if so much is kept for another. The first sentence of a client may
  // have whatever is free, others only the client's share.
  bool has_room(const std::string& client, const RoomNeeds& needs, const RoomNeeds& kept = {}) const {
    const Amounts amounts = amounts_of(needs), others = amounts_of(kept);
    const bool first = !fair_ || under_way(client) == 0;
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (shares_[i].total() + amounts[i] + (kept.cells > 0 ? others[i] : 0) > capacity(i)) return false;
      if (!first && !shares_[i].has_room(client, amounts[i])) return false;
    }
    return true;
  }
  void enter(const std::string& client, const RoomNeeds& needs) {
    const Amounts amounts = amounts_of(needs);
    for (std::size_t i = 0; i < kKinds; ++i) shares_[i].take_unchecked(client, amounts[i]);
  }
  void leave(const std::string& client, const RoomNeeds& needs) {
    const Amounts amounts = amounts_of(needs);
    for (std::size_t i = 0; i < kKinds; ++i) shares_[i].give_back(client, amounts[i]);
  }

  // Sentences.
  std::int64_t under_way(const std::string& client) const { return shares_[kPlaces].held_by(client); }

 private:
  enum Kind : std::size_t { kPlaces, kTokens, kCells, kRows, kKinds };
  using Amounts = std::array<std::int64_t, kKinds>;

  std::int64_t capacity(std::size_t kind) const { return fair_ ? shares_[kind].capacity() : shares_[kind].most(); }
  // A sentence that needs more rows than there are may enter alone.
  Amounts amounts_of(const RoomNeeds& needs) const {
    return {1, needs.tokens, needs.cells, std::min(needs.rows, shares_[kRows].most())};
  }

  bool fair_;
  std::array<Shares, kKinds> shares_;
};

}  // namespace dragoman::decode
