#include <cmath>
#include <limits>
#include <vector>

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/backend/cpu/heads.h"
#include "dragoman/backend/cpu/micro_gemm.h"

namespace dragoman::cpu {

namespace {

// A sentence and head is one piece of work; inside it, blocks of queries meet blocks of keys.
constexpr std::int64_t kQueries = 64, kKeys = 64;  // kKeys: a multiple of four vectors

// Where a piece keeps a block of scores (and their gradients) and a block of keys (and values), transposed.
template <class T>
struct Scratch {
  T *scores, *d_scores, *transposed, *transposed_V;
};

// Scores are computed for keys in multiples of this many, so that the product runs in whole register tiles: keys beyond
// the last count as zero vectors, and nobody looks at their scores.
template <class T>
std::int64_t padded(std::int64_t keys) {
  return divide_up(keys, 4 * kLanes<T>) * 4 * kLanes<T>;
}

// to[c, j] = x[first + j, c] for `count` rows, then zeros up to padded(count); rows of `to` are kKeys apart.
template <class T>
void transpose_rows(const Block<T>& x, std::int64_t first, std::int64_t count, T* to) {
  for (std::int64_t j = 0; j < count; ++j) {
    const T* from = x.row(first + j);
    for (std::int64_t c = 0; c < x.d; ++c) to[c * kKeys + j] = from[c];
  }
  for (std::int64_t j = count; j < padded<T>(count); ++j) {
    for (std::int64_t c = 0; c < x.d; ++c) to[c * kKeys + j] = T{0};
  }
}

template <class T>
void scale_row(T* row, std::int64_t count, T factor) {
  for (std::int64_t c = 0; c < count; ++c) row[c] *= factor;
}

// Everything about one piece that the passes below share.
template <class T>
struct Piece {
  Block<T> Q, K, V;
  const Mask& mask;
  const Heads& heads;
  std::int64_t head;
  const std::int32_t *sentence, *position;  // of the queries' rows, for dropout
  T scale;

  // The keys that some query of [first, first + count) sees.
  std::int64_t first_key(std::int64_t first) const { return mask.first_key(first) / kKeys * kKeys; }
  std::int64_t last_key(std::int64_t first, std::int64_t count) const { return mask.last_key(first + count - 1, K.n); }
  // scores[i, j] = Q[q + i] . K[k + j], from the transposed keys.
  void multiply_scores(std::int64_t q, std::int64_t queries, std::int64_t keys, const T* transposed, T* scores) const {
    multiply<T>(queries, padded<T>(keys), Q.d, Q.strided(q), transposed, kKeys, scores, kKeys, false);
  }
  void drop_weights(std::int64_t query, std::int64_t k, std::int64_t keys, T* row) const {
    if (heads.dropout.on()) drop(heads.dropout, sentence[query], position[query], head * K.n + k, keys, row);
  }
};

// Calls body(k, keys) for each block of keys that some query of the block sees, with their scores in scratch.scores.
template <class T, class Body>
void for_scores(const Piece<T>& piece, std::int64_t q, std::int64_t queries, const Scratch<T>& scratch,
                const Body& body) {
  for (std::int64_t k = piece.first_key(q); k < piece.last_key(q, queries); k += kKeys) {
    const std::int64_t keys = std::min(kKeys, piece.K.n - k);
    transpose_rows(piece.K, k, keys, scratch.transposed);
    piece.multiply_scores(q, queries, keys, scratch.transposed, scratch.scores);
    body(k, keys);
  }
}

// One block of queries over all keys it sees, block by block: the running maximum and sum of each row's softmax are
// corrected whenever a larger score appears.
template <class T>
void attend(const Piece<T>& piece, std::int64_t q, std::int64_t queries, const Block<T>& O, T* log_sums,
            std::int64_t log_sum_stride, const Scratch<T>& scratch) {
  T most[kQueries], sum[kQueries];
  std::fill_n(most, queries, kMinusInfinity<T>);
  std::fill_n(sum, queries, T{0});
  for (std::int64_t i = 0; i < queries; ++i) std::fill_n(O.row(q + i), O.d, T{0});
  for_scores(piece, q, queries, scratch, [&](std::int64_t k, std::int64_t keys) {
    for (std::int64_t i = 0; i < queries; ++i) {
      T* row = scratch.scores + i * kKeys;
      const Seen seen(piece.mask, q + i, piece.K.n, k, keys);
      const T now = std::max(most[i], largest(row, seen) * piece.scale);
      if (now > most[i] && sum[i] > 0) {
        const T correction = std::exp(most[i] - now);
        sum[i] *= correction;
        scale_row(O.row(q + i), O.d, correction);
      }
      most[i] = now;
      sum[i] += exponentiate(row, seen, keys, piece.scale, now == kMinusInfinity<T> ? T{0} : now);
      piece.drop_weights(q + i, k, keys, row);
    }
    multiply<T>(queries, O.d, keys, {scratch.scores, kKeys, 1}, piece.V.row(k), piece.V.stride, O.row(q), O.stride,
                true);
  });
  for (std::int64_t i = 0; i < queries; ++i) {
    if (sum[i] > 0) scale_row(O.row(q + i), O.d, T{1} / sum[i]);
    log_sums[i * log_sum_stride] = sum[i] > 0 ? most[i] + std::log(sum[i]) : kMinusInfinity<T>;
  }
}

// The weights of one block of queries, from the sums that `attend` has left.
template <class T>
void write_weights(const Piece<T>& piece, std::int64_t q, std::int64_t queries, const T* log_sums,
                   std::int64_t log_sum_stride, const Scratch<T>& scratch, T* weights) {
  std::fill_n(weights + q * piece.K.n, queries * piece.K.n, T{0});
  for_scores(piece, q, queries, scratch, [&](std::int64_t k, std::int64_t keys) {
    for (std::int64_t i = 0; i < queries; ++i) {
      T* row = scratch.scores + i * kKeys;
      const Seen seen(piece.mask, q + i, piece.K.n, k, keys);
      if (seen.to > seen.from) exponentiate(row, seen, keys, piece.scale, log_sums[i * log_sum_stride]);
      std::copy_n(row + seen.from, seen.to - seen.from, weights + (q + i) * piece.K.n + k + seen.from);
    }
  });
}

// What one block of queries adds to the gradients when it meets one block of keys: with P the weights, Z the dropout
// factors and D the row sums of dO O,
//   dV += (P Z)^T dO,   dS = P (Z (dO V^T) - D) scale,   dQ += dS K,   dK += dS^T Q.
template <class T>
void attend_backward(const Piece<T>& piece, std::int64_t q, std::int64_t queries, std::int64_t k, std::int64_t keys,
                     const Block<T>& dO, const T* D, const T* log_sums, std::int64_t log_sum_stride,
                     const Scratch<T>& scratch, Block<T> dQ, Block<T> dK, Block<T> dV) {
  piece.multiply_scores(q, queries, keys, scratch.transposed, scratch.scores);
  multiply<T>(queries, padded<T>(keys), dO.d, dO.strided(q), scratch.transposed_V, kKeys, scratch.d_scores, kKeys,
              false);
  for (std::int64_t i = 0; i < queries; ++i) {
    T *weights = scratch.scores + i * kKeys, *d_scores = scratch.d_scores + i * kKeys;
    const Seen seen(piece.mask, q + i, piece.K.n, k, keys);
    const T log_sum = log_sums[(q + i) * log_sum_stride];
    exponentiate(weights, seen, keys, piece.scale, log_sum == kMinusInfinity<T> ? T{0} : log_sum);
    if (piece.heads.dropout.on()) {
      T factors[kKeys];
      std::fill_n(factors, keys, T{1});
      piece.drop_weights(q + i, k, keys, factors);
      for (std::int64_t j = 0; j < keys; ++j) {
        d_scores[j] = weights[j] * (factors[j] * d_scores[j] - D[q + i]) * piece.scale;
        weights[j] *= factors[j];
      }
    } else {
      for (std::int64_t j = 0; j < keys; ++j) d_scores[j] = weights[j] * (d_scores[j] - D[q + i]) * piece.scale;
    }
  }
  const Strided<T> weights_T{scratch.scores, 1, kKeys}, d_scores_T{scratch.d_scores, 1, kKeys};
  if (dV.data != nullptr) multiply<T>(keys, dV.d, queries, weights_T, dO.row(q), dO.stride, dV.row(k), dV.stride, true);
  if (dK.data != nullptr) {
    multiply<T>(keys, dK.d, queries, d_scores_T, piece.Q.row(q), piece.Q.stride, dK.row(k), dK.stride, true);
  }
  if (dQ.data != nullptr) {
    multiply<T>(queries, dQ.d, keys, {scratch.d_scores, kKeys, 1}, piece.K.row(k), piece.K.stride, dQ.row(q), dQ.stride,
                true);
  }
}

// The head's rows of a gradient, zeroed if the sink overwrites; no data if it is not wanted.
template <class T>
Block<T> gradient_block(const Sink& sink, const Segments& segments, std::int64_t b, std::int64_t head, std::int64_t h) {
  if (!sink.wanted()) return {nullptr, 0, 0, 0};
  const Block<T> block = head_of<T>(sink.array, segments, b, head, h);
  if (!sink.accumulates()) {
    for (std::int64_t i = 0; i < block.n; ++i) std::fill_n(block.row(i), block.d, T{0});
  }
  return block;
}

// Scratch on the stack of the thread that runs the piece; only heads wider than kWidest need the heap.
template <class T, class Body>
void with_scratch(std::int64_t d_k, std::int64_t d_v, const Body& body) {
  constexpr std::int64_t kWidest = 512;
  alignas(kVectorBytes) T scores[kQueries * kKeys], d_scores[kQueries * kKeys];
  if (d_k <= kWidest && d_v <= kWidest) {
    alignas(kVectorBytes) T transposed[kWidest * kKeys], transposed_V[kWidest * kKeys];
    return body(Scratch<T>{scores, d_scores, transposed, transposed_V});
  }
  std::vector<T> wide((d_k + d_v) * kKeys);
  body(Scratch<T>{scores, d_scores, wide.data(), wide.data() + d_k * kKeys});
}

template <class T>
Piece<T> make_piece(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                    std::int64_t b, std::int64_t head) {
  const std::int64_t first = reach.queries.offsets.data<std::int32_t>()[b];
  return {head_of<T>(Q, reach.queries, b, head, heads.h),
          head_of<T>(K, reach.keys, b, head, heads.h),
          head_of<T>(V, reach.keys, b, head, heads.h),
          reach.mask,
          heads,
          head,
          reach.queries.sentence.data<std::int32_t>() + first,
          reach.queries.position.data<std::int32_t>() + first,
          static_cast<T>(heads.scale)};
}

// Where the weights of a sentence begin: those before it hold h n_q n_k each.
std::int64_t weights_before(const Reach& reach, std::int64_t b, std::int64_t h) {
  const std::int32_t* queries = reach.queries.offsets.data<std::int32_t>();
  const std::int32_t* keys = reach.keys.offsets.data<std::int32_t>();
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < b; ++i) {
    before += h * (queries[i + 1] - queries[i]) * static_cast<std::int64_t>(keys[i + 1] - keys[i]);
  }
  return before;
}

void expect_segments(const Reach& reach) {
  expect_elements<std::int32_t>(
      {&reach.queries.offsets, &reach.queries.position, &reach.queries.sentence, &reach.keys.offsets});
}

}  // namespace

void CpuBackend::attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                           Array& O, Array& log_sums, Array& weights) const {
  expect_segments(reach);
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &O, &log_sums, &weights});
    launch(reach.queries.B * heads.h, [&](std::int64_t number) {
      const std::int64_t b = number / heads.h, head = number % heads.h;
      const Piece<T> piece = make_piece<T>(Q, K, V, reach, heads, b, head);
      const Block<T> out = head_of<T>(O, reach.queries, b, head, heads.h);
      T* sums = matrix<T>(log_sums).row(reach.queries.offsets.data<std::int32_t>()[b]) + head;
      with_scratch<T>(piece.Q.d, piece.V.d, [&](const Scratch<T>& scratch) {
        for (std::int64_t q = 0; q < piece.Q.n; q += kQueries) {
          const std::int64_t queries = std::min(kQueries, piece.Q.n - q);
          attend(piece, q, queries, out, sums + q * heads.h, heads.h, scratch);
          if (!weights) continue;
          T* start = weights.data<T>() + weights_before(reach, b, heads.h) + head * piece.Q.n * piece.K.n;
          write_weights(piece, q, queries, sums + q * heads.h, heads.h, scratch, start);
        }
      });
    });
  });
}

void CpuBackend::attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                                    const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                    Sink dV) const {
  const ArenaScope scope(arena());
  Array row_sums = empty({heads.h, reach.queries.R}, Q.dtype());
  expect_segments(reach);
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&dO, &K, &V, &O, &log_sums, &dQ.array, &dK.array, &dV.array});
    launch(reach.queries.B * heads.h, [&](std::int64_t number) {
      const std::int64_t b = number / heads.h, head = number % heads.h;
      const std::int64_t first = reach.queries.offsets.data<std::int32_t>()[b];
      const Piece<T> piece = make_piece<T>(Q, K, V, reach, heads, b, head);
      const Block<T> out = head_of<T>(O, reach.queries, b, head, heads.h);
      const Block<T> d_out = head_of<T>(dO, reach.queries, b, head, heads.h);
      const Block<T> into_Q = gradient_block<T>(dQ, reach.queries, b, head, heads.h);
      const Block<T> into_K = gradient_block<T>(dK, reach.keys, b, head, heads.h);
      const Block<T> into_V = gradient_block<T>(dV, reach.keys, b, head, heads.h);
      const T* sums = matrix<T>(log_sums).row(first) + head;
      T* D = matrix<T>(row_sums).row(head) + first;
      for (std::int64_t i = 0; i < piece.Q.n; ++i) D[i] = dot(d_out.row(i), out.row(i), out.d);
      with_scratch<T>(piece.Q.d, piece.V.d, [&](const Scratch<T>& scratch) {
        for (std::int64_t k = 0; k < piece.K.n; k += kKeys) {
          const std::int64_t keys = std::min(kKeys, piece.K.n - k);
          transpose_rows(piece.K, k, keys, scratch.transposed);
          transpose_rows(piece.V, k, keys, scratch.transposed_V);
          for (std::int64_t q = 0; q < piece.Q.n; q += kQueries) {
            const std::int64_t queries = std::min(kQueries, piece.Q.n - q);
            if (k + keys <= piece.first_key(q) || k >= piece.last_key(q, queries)) continue;
            attend_backward(piece, q, queries, k, keys, d_out, D, sums, heads.h, scratch, into_Q, into_K, into_V);
          }
        }
      });
    });
  });
}

}  // namespace dragoman::cpu
