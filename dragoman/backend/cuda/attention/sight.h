// Which keys a query sees, in the form that the attention kernels use, and how many rows a tile therefore needs in
// shared memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dragoman/array/segments.h"

namespace dragoman::cuda {

// A Mask as a range of distances: query i sees key j if and only if -below <= j - i < above and, if there are blocks,
// both positions are in the same block.
struct Sight {
  int below = 0, above = 0;
  int block = 0;  // positions of a block; 0 if there are no blocks

  constexpr int block_start(int position) const { return position / block * block; }

  // Query i sees the keys [first_key(i), end_key(i, n_k)); key j is seen by the queries [first_query(j),
  // end_query(j, n_q)).
  constexpr int first_key(int i) const { return block > 0 ? block_start(i) : std::max(0, i - below); }
  constexpr int end_key(int i, int n_k) const {
    return std::min(n_k, block > 0 ? std::min(block_start(i) + block, i + above) : i + above);
  }
  constexpr int first_query(int j) const {
    return block > 0 ? std::max(block_start(j), j - above + 1) : std::max(0, j - above + 1);
  }
  constexpr int end_query(int j, int n_q) const {
    return std::min(n_q, block > 0 ? block_start(j) + block : j + below + 1);
  }

  constexpr bool sees(int i, int j) const {
    return static_cast<unsigned>(j - i + below) < static_cast<unsigned>(below + above) &&
           (block == 0 || block_start(i) == block_start(j));
  }
  // Whether each of the queries [i, i + queries) sees all of the keys [j, j + keys). sees_none: whether each of them
  // sees none of the keys.
  constexpr bool sees_all(int i, int queries, int j, int keys) const {
    return j + keys - 1 - i < above && j - (i + queries - 1) >= -below &&
           (block == 0 || block_start(std::min(i, j)) == block_start(std::max(i + queries, j + keys) - 1));
  }
  constexpr bool sees_none(int i, int queries, int j, int keys) const {
    return j - (i + queries - 1) >= above || j + keys - 1 - i < -below ||
           (block > 0 && (block_start(i + queries - 1) + block <= j || block_start(j + keys - 1) + block <= i));
  }

  // A sentence of at most n_q queries and n_k keys is divided into tiles of `rows` queries: the most keys that a tile
  // sees, counted from a multiple of `step`. most_queries: the same for tiles of keys and the queries that see them.
  constexpr int most_keys(int n_q, int n_k, int rows, int step) const {
    int most = 0;
    for (int i = 0; i < n_q; i += rows) {
      most = std::max(most, end_key(std::min(i + rows, n_q) - 1, n_k) - first_key(i) / step * step);
    }
    return most;
  }
  constexpr int most_queries(int n_k, int n_q, int rows) const {
    int most = 0;
    for (int j = 0; j < n_k; j += rows) {
      most = std::max(most, end_query(std::min(j + rows, n_k) - 1, n_q) - first_query(j));
    }
    return most;
  }
};

// Longer than any sentence that the kernels accept; adding it to a position does not overflow.
inline constexpr int kFar = 1 << 29;

constexpr Sight sight_of(const Mask& mask) {
  const auto near = [](std::int64_t distance) { return static_cast<int>(std::min<std::int64_t>(distance, kFar)); };
  const bool causal = mask.kind == Mask::Kind::kCausal;
  if (mask.r == 0) return {.below = kFar, .above = causal ? 1 : kFar};
  if (mask.window == Mask::Window::kBlock) {
    return {.below = near(mask.r - 1), .above = near(causal ? 1 : mask.r), .block = near(mask.r)};
  }
  return {.below = near(causal ? mask.r - 1 : mask.r / 2), .above = near(causal ? 1 : mask.r / 2 + 1)};
}

}  // namespace dragoman::cuda
