// What all attention kernels share: the description of the problem, the rows of a sentence, which keys a query sees,
// and dropout of the weights.
#pragma once

#include <algorithm>

#include "dragoman/backend/attention.h"
#include "dragoman/backend/cuda/attention/sight.h"
#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr float kLog2e = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

__device__ int lane() { return threadIdx.x % kWarp; }

struct Problem {
  const std::int32_t *queries = nullptr, *keys = nullptr;  // offsets [B + 1]: the first row of each sentence
  int h = 1, d_k = 0, d_v = 0;
  float scale = 1;
  Sight sight;
  DropoutMask dropout;
};

// Kernels count the positions of a sentence, and the weights of a query (head * n_k + key), in 32 bits.
void require_countable(const Reach& reach, const Heads& heads) {
  const std::int64_t longest = std::max(reach.queries.longest, reach.keys.longest);
  require<ShapeError>(longest < kFar / heads.h, "attention on a CUDA device: a sentence of ", longest,
                      " tokens is too long; with ", heads.h, heads.h == 1 ? " head" : " heads", " it may have ",
                      kFar / heads.h - 1, ".");
}

Problem problem_of(const Array& Q, const Array& V, const Reach& reach, const Heads& heads) {
  require_countable(reach, heads);
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
