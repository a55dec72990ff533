// Which rows of a ragged batch belong to which sentence, and which keys a query may see. A batch is one matrix with the
// rows of all sentences below one another. There is no padding, and a sentence does not see the others in its batch.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dragoman/array/array.h"

namespace dragoman {

struct Segments {
  std::int64_t B = 0;        // number of sentences
  std::int64_t R = 0;        // number of rows of all sentences together
  std::int64_t longest = 0;  // number of rows of the longest sentence
  Array offsets;             // int32 [B + 1]: sentence b has the rows offsets[b] to offsets[b + 1] - 1
  Array position;            // int32 [R]: the position of each row in its sentence, from 0
  Array sentence;            // int32 [R]: the number of its sentence in the whole update; dropout masks depend on it
  // Copies in host memory, for models that plan their work by the lengths of the sentences.
  const std::int32_t* host_offsets = nullptr;  // as `offsets`; optional. It lives as long as the arrays
  std::int32_t first_sentence = 0;             // sentence b has the number first_sentence + b in the update
};

// Which keys of its sentence a query may see, by position. Query i sees key j iff
//             sliding window                        window of blocks
//   kAll:     |i - j| <= floor(r / 2)               floor(i / r) = floor(j / r)
//   kCausal:  i - r < j <= i                        floor(i / r) = floor(j / r) and j <= i
// Without a window (r = 0) it sees every j, or every j <= i if the mask is causal.
struct Mask {
  enum class Kind : std::uint8_t { kAll, kCausal };
  // A sliding window moves with the query. With blocks, a sentence is divided into blocks of r positions, and a query
  // sees its own block.
  enum class Window : std::uint8_t { kSliding, kBlock };
  Kind kind = Kind::kAll;
  std::int64_t r = 0;  // size of the window (restricted self-attention, Section 4 of the paper); 0 if unlimited
  Window window = Window::kSliding;

  // Query i sees the keys from first_key(i) up to, but not including, end_key(i, n_k): none if first_key() is not
  // below end_key().
  constexpr std::int64_t first_key(std::int64_t i) const {
    if (r == 0) return 0;
    if (window == Window::kBlock) return i / r * r;
    const std::int64_t first = kind == Kind::kCausal ? i - r + 1 : i - r / 2;
    return first > 0 ? first : 0;
  }
  constexpr std::int64_t end_key(std::int64_t i, std::int64_t n_k) const {
    if (kind == Kind::kAll && r == 0) return n_k;
    const std::int64_t end = kind == Kind::kCausal ? i + 1 : window == Window::kBlock ? (i / r + 1) * r : i + r / 2 + 1;
    return end < n_k ? end : n_k;
  }
};

constexpr std::array<std::string_view, 2> names(Mask::Window) { return {"sliding", "block"}; }

// Which keys the queries of a ragged batch may see: the queries of sentence b see the keys of sentence b, as the mask
// allows.
struct Reach {
  Segments queries, keys;
  Mask mask;
};

}  // namespace dragoman
