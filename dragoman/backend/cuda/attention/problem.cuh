// What all attention kernels share: the description of the problem, the rows of a sentence, which keys a query sees,
// and dropout of the weights.
#pragma once

#include <algorithm>

#include "dragoman/backend/attention.h"
#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr float kLog2e = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

__device__ int lane() { return threadIdx.x % kWarp; }

// A Mask as a range of distances: query i sees key j if and only if -below <= j - i < above and, if there are blocks,
// both positions are in the same block.
struct Sight {
  int below = 0, above = 0;
  int block = 0;  // positions of a block; 0 if there are no blocks

  __device__ int block_start(int position) const { return position / block * block; }

  // Query i sees the keys [first_key(i), end_key(i, n_k)); key j is seen by the queries [first_query(j),
  // end_query(j, n_q)).
  __device__ int first_key(int i) const { return block > 0 ? block_start(i) : max(0, i - below); }
  __device__ int end_key(int i, int n_k) const {
    return min(n_k, block > 0 ? min(block_start(i) + block, i + above) : i + above);
  }
  __device__ int first_query(int j) const {
    return block > 0 ? max(block_start(j), j - above + 1) : max(0, j - above + 1);
  }
  __device__ int end_query(int j, int n_q) const {
    return min(n_q, block > 0 ? block_start(j) + block : j + below + 1);
  }

  __device__ bool sees(int i, int j) const {
    return static_cast<unsigned>(j - i + below) < static_cast<unsigned>(below + above) &&
           (block == 0 || block_start(i) == block_start(j));
  }
  // Whether each of the queries [i, i + queries) sees all of the keys [j, j + keys). sees_none: whether each of them
  // sees none of the keys.
  __device__ bool sees_all(int i, int queries, int j, int keys) const {
    return j + keys - 1 - i < above && j - (i + queries - 1) >= -below &&
           (block == 0 || block_start(min(i, j)) == block_start(max(i + queries, j + keys) - 1));
  }
  __device__ bool sees_none(int i, int queries, int j, int keys) const {
    return j - (i + queries - 1) >= above || j + keys - 1 - i < -below ||
           (block > 0 && (block_start(i + queries - 1) + block <= j || block_start(j + keys - 1) + block <= i));
  }
};

Sight sight_of(const Mask& mask) {
  constexpr std::int64_t kFar = 1 << 29;  // longer than any sentence, and adding it to a position does not overflow
  const auto near = [&](std::int64_t distance) { return static_cast<int>(std::min(distance, kFar)); };
  const bool causal = mask.kind == Mask::Kind::kCausal;
  if (mask.r == 0) return {.below = near(kFar), .above = near(causal ? 1 : kFar)};
  if (mask.window == Mask::Window::kBlock) {
    return {.below = near(mask.r - 1), .above = near(causal ? 1 : mask.r), .block = near(mask.r)};
  }
  return {.below = near(causal ? mask.r - 1 : mask.r / 2), .above = near(causal ? 1 : mask.r / 2 + 1)};
}

struct Problem {
  const std::int32_t *queries = nullptr, *keys = nullptr;  // offsets [B + 1]: the first row of each sentence
  int h = 1, d_k = 0, d_v = 0;
  float scale = 1;
  Sight sight;
  DropoutMask dropout;
};

Problem problem_of(const Array& Q, const Array& V, const Reach& reach, const Heads& heads) {
  return {.queries = elements<const std::int32_t>(reach.queries.offsets),
          .keys = elements<const std::int32_t>(reach.keys.offsets),
          .h = static_cast<int>(heads.h),
          .d_k = static_cast<int>(Q.cols() / heads.h),
          .d_v = static_cast<int>(V.cols() / heads.h),
          .scale = static_cast<float>(heads.scale),
          .sight = sight_of(reach.mask),
          .dropout = dropout_mask(heads.dropout, reach.queries)};
}

// The arrays as the kernels take them. deltas [R_q, h] is, for each query and head, the sum of dO O over the columns.
template <class T>
struct Forward {
  Matrix<const T> Q, K, V;
  Matrix<T> O;
  Matrix<float> log_sums;
};
template <class T>
struct Backward {
  Matrix<const T> dO, Q, K, V, O;
  Matrix<const float> log_sums;
  Matrix<float> deltas;
  SinkRows<T> dQ, dK, dV;
};

// One sentence: its n_q rows of the queries start at first_query, its n_k rows of the keys at first_key.
struct Sentence {
  int first_query, n_q, first_key, n_k;

  __device__ Sentence(const Problem& problem, int b)
      : first_query(problem.queries[b]),
        n_q(problem.queries[b + 1] - first_query),
        first_key(problem.keys[b]),
        n_k(problem.keys[b + 1] - first_key) {}
};

// Which of the channels [8 group, 8 group + 8) of a row dropout keeps: bit i is set if channel 8 group + i is kept.
__device__ unsigned kept_channels(const DropoutMask& dropout, std::int64_t row, unsigned group) {
  const Philox4 words = dropout.words(row, group);
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) bits |= dropout.factor(words, i) > 0 ? 1u << i : 0u;
  return bits;
}

// The dropout factor of one weight: 0 or the scale, or 1 without dropout. `row` is the query's row, and the channel of
// a weight is head * n_k + key.
__device__ float weight_factor(const DropoutMask& dropout, std::int64_t row, unsigned channel) {
  if (!dropout.on()) return 1;
  return kept_channels(dropout, row, channel / 8) >> channel % 8 & 1 ? dropout.scale : 0.0f;
}

}  // namespace

}  // namespace dragoman::cuda
