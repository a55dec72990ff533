// Token ids as models and kernels read them: those that are the same in every vocabulary, and those of a ragged batch.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"

namespace dragoman {

// Id 0 is reserved: no sentence holds it and it is never generated. (A decoder that starts from a zero vector reads it
// first, because it looks up zero.)
inline constexpr std::int32_t kPad = 0, kBos = 1, kEos = 2, kUnk = 3;
// A row without a target: it adds nothing to the loss.
inline constexpr std::int32_t kNoTarget = -1;

// The rows of a batch by token: token tokens[u] stands in rows[starts[u]] up to rows[starts[u + 1]], in rising order.
// With it the gradient of an embedding is summed in an order that depends on the batch alone.
struct TokenRows {
  Array tokens;  // int32 [U], rising
  Array starts;  // int32 [U + 1]
  Array rows;    // int32 [R]
};

struct Tokens {
  Array ids;  // int32 [R]
  Segments segments;
  TokenRows index;  // absent arrays unless gradients were asked for
};

}  // namespace dragoman
