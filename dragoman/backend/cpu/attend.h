// Equation (1) for one block of queries and one head, with the keys taken block by block. Attention over whole
// sentences and attention in decoding steps share this code, so a step computes exactly the same bits.
//
// For each block of at most kQueries queries, `attend` runs over the blocks of at most kKeys keys:
//   1. compute_scores: scratch.scores [queries, kKeys] = Q K^T. The block of keys is copied to scratch.keys, transposed
//      to [d_k, kKeys]; for few queries it is read in place instead;
//   2. for each query: update the running maximum, correct the sums so far, replace scores by exponentials;
//   3. O += exponentials * V.
// At the end each row of O is divided by its sum of exponentials.
//
// With a window, blocks of queries are small, and their blocks of keys begin with the first key that some of their
// queries see. So a query computes at most kBandQueries - 1 keys more than its sliding window has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "dragoman/backend/attention.h"
#include "dragoman/backend/cpu/heads.h"
#include "dragoman/backend/cpu/products/micro_gemm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

inline constexpr std::int64_t kQueries = 64, kKeys = 64;  // of a block; kKeys must be a multiple of a vector
inline constexpr std::int64_t kBandQueries = 16;          // queries of a block if there is a window
inline constexpr std::int64_t kFewQueries = 4;            // so few that their keys are read in place

// Scratch memory of one piece of work: `scores` and their gradients `d_scores` are [kQueries, kKeys]; `keys` and
// `values` are a block of keys, [d_k, kKeys], and of values, [d_v, kKeys], transposed. Only the backward pass has
// `d_scores` and `values`.
template <class T>
struct Scratch {
  T *scores, *d_scores, *keys, *values;
};

// Calls body(columns) with memory for kKeys columns of a head. It is on the stack of the thread; only heads wider than
// kWidest use the heap.
template <class T, class Body>
void with_columns(std::int64_t d, const Body& body) {
  constexpr std::int64_t kUsual = 128, kWidest = 512;
  if (d <= kUsual) return on_stack<T, kUsual * kKeys>(body);
  if (d <= kWidest) return on_stack<T, kWidest * kKeys>(body);
  body(std::make_unique_for_overwrite<T[]>(d * kKeys).get());
}

// Calls body(scratch), for the forward pass and for the backward pass.
template <class T, class Body>
void with_scratch(std::int64_t d_k, const Body& body) {
  alignas(kVectorBytes) T scores[kQueries * kKeys];
  with_columns<T>(d_k, [&](T* keys) { body(Scratch<T>{scores, nullptr, keys, nullptr}); });
}
template <class T, class Body>
void with_backward_scratch(std::int64_t d_k, std::int64_t d_v, const Body& body) {
  alignas(kVectorBytes) T d_scores[kQueries * kKeys];
  with_scratch<T>(d_k, [&](const Scratch<T>& forward) {
    with_columns<T>(d_v, [&](T* values) { body(Scratch<T>{forward.scores, d_scores, forward.keys, values}); });
  });
}

// A number of columns, rounded up to whole vectors. Scores are computed for whole vectors of keys. The scores beyond
// the last key may be anything, and nothing reads them.
template <class T>
std::int64_t in_vectors(std::int64_t columns) {
  return divide_up(columns, kLanes<T>) * kLanes<T>;
}

// to[c, j] = x[first + j, c] for j < count; what is beyond may be anything. The rows of `to` are kKeys apart.
template <class T, class Rows>
void transpose_rows(const Rows& x, std::int64_t first, std::int64_t count, T* to) {
  if constexpr (std::is_same_v<T, float>) {
    if (x.d % 4 == 0) {
      const auto row = [&](std::int64_t j) { return x.row(first + std::min(j, count - 1)); };
      for (std::int64_t j = 0; j < count; j += 4) {
        const T *r0 = row(j), *r1 = row(j + 1), *r2 = row(j + 2), *r3 = row(j + 3);
        for (std::int64_t c = 0; c < x.d; c += 4) {
          transpose_quads(r0 + c, r1 + c, r2 + c, r3 + c, to + c * kKeys + j, kKeys);
        }
      }
      return;
    }
  }
  for (std::int64_t j = 0; j < count; ++j) {
    const T* from = x.row(first + j);
    for (std::int64_t c = 0; c < x.d; ++c) to[c * kKeys + j] = from[c];
  }
}

// The rows of one head in scattered places: row i is row numbers[i] of a matrix.
template <class T>
struct Scattered {
  T* data;
  std::int64_t n, d, stride;
  const std::int32_t* numbers;

  T* row(std::int64_t i) const { return data + numbers[i] * stride; }
  Scattered from(std::int64_t first) const { return {data, n - first, d, stride, numbers + first}; }
};

template <class T>
void scale_row(T* row, std::int64_t count, T factor) {
  for (std::int64_t c = 0; c < count; ++c) row[c] *= factor;
}

// One piece of work: one sentence and one head. Rows is Block, for keys and values in consecutive rows, or Scattered.
template <class T, class Rows = Block<T>>
struct Piece {
  Block<T> Q;
  Rows K, V;
  Mask mask;
  const Heads& heads;
  std::int64_t head;
  const std::int32_t *sentence, *position;  // of the queries' rows, for dropout
  T scale;
  std::int64_t offset = 0;  // position of query 0 in its sentence

  std::int64_t block_queries() const { return mask.r == 0 ? kQueries : kBandQueries; }
  // The range of keys that some query of the block [first, first + count) sees. Its start, and with it the division
  // into blocks of keys, depends on the position of the query alone. So a decoding step, whose block is a single query,
  // adds up in the same order as a whole sentence.
  std::int64_t first_key(std::int64_t first) const {
    return mask.first_key((offset + first) / block_queries() * block_queries());
  }
  std::int64_t end_key(std::int64_t first, std::int64_t count) const {
    return mask.end_key(offset + first + count - 1, K.n);
  }
  Seen seen(std::int64_t query, std::int64_t k, std::int64_t keys) const {
    return {mask, offset + query, K.n, k, keys};
  }
  // scores[i, j] = Q[q + i] . K[k + j], from the transposed keys.
  void multiply_scores(std::int64_t q, std::int64_t queries, std::int64_t keys, T* transposed, T* scores) const {
    const Block<T> K_T{transposed, Q.d, kKeys, kKeys};
    multiply(queries, in_vectors<T>(keys), Q.d, Q.strided(q), K_T, scores, kKeys, false);
  }
  // The same, from the keys themselves. For few queries it does not pay to transpose the keys in memory.
  void compute_scores(std::int64_t q, std::int64_t queries, std::int64_t k, std::int64_t keys,
                      const Scratch<T>& scratch) const {
    if constexpr (std::is_same_v<T, float>) {
      if (queries <= kFewQueries && Q.d % 4 == 0) {
        return multiply_transposed(queries, keys, Q.d, Q.strided(q), K.from(k), scratch.scores, kKeys);
      }
    }
    transpose_rows(K, k, keys, scratch.keys);
    multiply_scores(q, queries, keys, scratch.keys, scratch.scores);
  }
  void drop_weights(std::int64_t query, std::int64_t k, std::int64_t keys, T* row) const {
    if (heads.dropout.on()) drop(heads.dropout, sentence[query], position[query], head * K.n + k, keys, row);
  }
};

// Calls body(k, keys) for each block of keys that some query of the block sees. k is the first key of the block, and
// `keys` the number of its keys.
template <class T, class Rows, class Body>
void for_key_blocks(const Piece<T, Rows>& piece, std::int64_t q, std::int64_t queries, const Body& body) {
  const std::int64_t end = piece.end_key(q, queries);
  for (std::int64_t k = piece.first_key(q); k < end; k += kKeys) body(k, std::min(kKeys, end - k));
}

// The same, with the scores of the block in scratch.scores.
template <class T, class Rows, class Body>
void for_scores(const Piece<T, Rows>& piece, std::int64_t q, std::int64_t queries, const Scratch<T>& scratch,
                const Body& body) {
  for_key_blocks(piece, q, queries, [&](std::int64_t k, std::int64_t keys) {
    piece.compute_scores(q, queries, k, keys, scratch);
    body(k, keys);
  });
}

// Computes rows [q, q + queries) of O, and their log_sums, over all keys that they see. For each query, maximum[i] and
// sum[i] are the maximum of the scores and the sum of exp(score - maximum[i]) over the blocks so far; row i of O holds
// the values weighted by the same exponentials. When a block brings a larger maximum, sum[i] and row i of O are
// multiplied by exp(old maximum - new maximum).
template <class T, class Rows>
void attend(const Piece<T, Rows>& piece, std::int64_t q, std::int64_t queries, const Block<T>& O, T* log_sums,
            std::int64_t log_sum_stride, const Scratch<T>& scratch) {
  T maximum[kQueries], sum[kQueries];
  std::fill_n(maximum, queries, kMinusInfinity<T>);
  std::fill_n(sum, queries, T{0});
  for (std::int64_t i = 0; i < queries; ++i) std::fill_n(O.row(q + i), O.d, T{0});
  for_scores(piece, q, queries, scratch, [&](std::int64_t k, std::int64_t keys) {
    for (std::int64_t i = 0; i < queries; ++i) {
      T* row = scratch.scores + i * kKeys;
      const Seen seen = piece.seen(q + i, k, keys);
      const T new_maximum = std::max(maximum[i], largest(row, seen) * piece.scale);
      if (new_maximum > maximum[i] && sum[i] > 0) {
        const T correction = std::exp(maximum[i] - new_maximum);
        sum[i] *= correction;
        scale_row(O.row(q + i), O.d, correction);
      }
      maximum[i] = new_maximum;
      sum[i] += exponentiate(row, seen, keys, piece.scale, new_maximum == kMinusInfinity<T> ? T{0} : new_maximum);
      piece.drop_weights(q + i, k, keys, row);
    }
    const Strided<T> weights{scratch.scores, kKeys, 1};
    multiply(queries, O.d, keys, weights, piece.V.from(k), O.row(q), O.stride, true);
  });
  for (std::int64_t i = 0; i < queries; ++i) {
    if (sum[i] > 0) scale_row(O.row(q + i), O.d, T{1} / sum[i]);
    log_sums[i * log_sum_stride] = sum[i] > 0 ? maximum[i] + std::log(sum[i]) : kMinusInfinity<T>;
  }
}

// Writes the weights (the softmax before dropout) of one block of queries. Recomputes the scores and uses the log_sums
// that `attend` computed. The weights of query q + i go to weights + i * stride, with 0 for keys that it does not see.
template <class T, class Rows>
void write_weights(const Piece<T, Rows>& piece, std::int64_t q, std::int64_t queries, const T* log_sums,
                   std::int64_t log_sum_stride, const Scratch<T>& scratch, T* weights, std::int64_t stride) {
  for (std::int64_t i = 0; i < queries; ++i) std::fill_n(weights + i * stride, piece.K.n, T{0});
  for_scores(piece, q, queries, scratch, [&](std::int64_t k, std::int64_t keys) {
    for (std::int64_t i = 0; i < queries; ++i) {
      T* row = scratch.scores + i * kKeys;
      const Seen seen = piece.seen(q + i, k, keys);
      if (seen.to > seen.from) exponentiate(row, seen, keys, piece.scale, log_sums[i * log_sum_stride]);
      std::copy_n(row + seen.from, seen.to - seen.from, weights + i * stride + k + seen.from);
    }
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
