// How the rows of a ragged batch fall into sentences. A batch is one matrix, the sentences' rows stacked; there is no
// padding, and a sentence cannot see its batch mates.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"

namespace dragoman {

struct Segments {
  std::int64_t B = 0;        // sentences
  std::int64_t R = 0;        // rows of all of them together
  std::int64_t longest = 0;  // rows of the longest one
  Array offsets;             // int32 [B + 1]: sentence b owns rows offsets[b] up to offsets[b + 1]
  Array position;            // int32 [R]: a row's place in its sentence, from 0
  Array sentence;            // int32 [R]: its sentence's number within the whole update, which keys its dropout
};

// Which keys of its sentence a query may see, by position: query i sees key j iff
//   kAll:     |i - j| <= floor(r / 2)     (every j if r is 0)
//   kCausal:  i - r < j <= i              (every j <= i if r is 0)
struct Mask {
  enum class Kind : std::uint8_t { kAll, kCausal };
  Kind kind = Kind::kAll;
  std::int64_t r = 0;  // the neighbourhood of restricted self-attention (Section 4 of the paper); 0: unrestricted

  // Query i sees the keys first_key(i) up to, but not including, last_key(i, n_k); none if they meet.
  constexpr std::int64_t first_key(std::int64_t i) const {
    if (r == 0) return 0;
    const std::int64_t first = kind == Kind::kCausal ? i - r + 1 : i - r / 2;
    return first > 0 ? first : 0;
  }
  constexpr std::int64_t last_key(std::int64_t i, std::int64_t n_k) const {
    if (kind == Kind::kAll && r == 0) return n_k;
    const std::int64_t last = kind == Kind::kCausal ? i + 1 : i + r / 2 + 1;
    return last < n_k ? last : n_k;
  }
};

// Whose keys the queries of a ragged batch may see: sentence b of the queries looks at sentence b of the keys.
struct Reach {
  Segments queries, keys;
  Mask mask;
};

}  // namespace dragoman
