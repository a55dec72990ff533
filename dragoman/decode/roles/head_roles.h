// Names what a head does, if many sentences make it clear.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dragoman/decode/roles/head_tally.h"

namespace dragoman::decode {

enum class HeadRole : std::uint8_t { kMixed, kPreviousWord, kSameWord, kNextWord, kFirstWord, kEnd, kAlignment };
constexpr std::array<std::string_view, 7> names(HeadRole) {
  return {"mixed", "previous word", "same word", "next word", "first word", "end of sentence", "alignment"};
}

// A head has a role if at least half of its weight goes to the role's place; of several places, the one with the most
// weight. It has the role "alignment" if its agreement with the clear links is at least one half, and nearly that of
// the best head of the model. Numbers from fewer than kMinCounted words or links prove nothing.
inline constexpr double kMinShare = 0.5;
inline constexpr double kNearBest = 0.9;  // of the best head's agreement
inline constexpr std::int64_t kMinCounted = 100;

// `best_agreement` is the largest agreement of any head of the model.
HeadRole role_of(const HeadNumbers& numbers, double best_agreement);

}  // namespace dragoman::decode
