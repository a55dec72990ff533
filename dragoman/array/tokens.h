// Token ids as models and kernels use them: the special ids that every vocabulary has, and the ids of a ragged batch.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"

namespace dragoman {

// Id 0 is reserved: no sentence contains it and it is never generated. Its embedding is the zero vector, so a decoder
// that starts from a zero vector instead of BOS gets this id as its first token.
inline constexpr std::int32_t kPad = 0, kBos = 1, kEos = 2, kUnk = 3;
// The target of a row that has none: the row adds nothing to the loss.
inline constexpr std::int32_t kNoTarget = -1;

// The rows of a batch grouped by token: tokens[u] occurs in the rows rows[starts[u]] to rows[starts[u + 1] - 1], in
// ascending order. With this index the gradient of an embedding is summed in an order that depends only on the batch.
struct TokenRows {
  Array tokens;  // int32 [U], ascending, without repeats
  Array starts;  // int32 [U + 1]
  Array rows;    // int32 [R]
};

struct Tokens {
  Array ids;  // int32 [R]
  Segments segments;
  TokenRows index;  // its arrays are absent unless gradients are needed
};

}  // namespace dragoman
