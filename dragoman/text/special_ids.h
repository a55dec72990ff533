// Token ids that are the same in every vocabulary.
#pragma once

#include <cstdint>

namespace dragoman::text {

// Id 0 is reserved: no sentence holds it and it is never generated. (A decoder that starts from a zero vector reads it
// first, because it looks up zero.)
inline constexpr std::int32_t kPad = 0, kBos = 1, kEos = 2, kUnk = 3;

}  // namespace dragoman::text
