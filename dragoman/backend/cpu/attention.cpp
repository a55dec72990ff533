#include "dragoman/backend/cpu/attention.h"

#include <initializer_list>

#include "dragoman/backend/cpu/attend.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Adds to the gradients what the queries [q, q + queries) and the keys [k, k + keys), one block each, contribute. P are
// the weights, Z the dropout factors, and dS is the gradient of S = Q K^T. D[i] is the dot product of rows i of dO and
// O, and is subtracted from each element of row i. The sign * multiplies element by element:
//   dV += (P * Z)^T dO,   dS = scale P * (Z * (dO V^T) - D),   dQ += dS K,   dK += dS^T Q.
// On entry scratch.keys and scratch.values hold the block of keys and of values, transposed. Steps:
//   1. scratch.scores = Q K^T, scratch.d_scores = dO V^T;
//   2. row by row: scores become P * Z, d_scores become dS;
//   3. the three products, for the gradients that are wanted (the others have no data).
template <class T>
void attend_backward(const Piece<T>& piece, std::int64_t q, std::int64_t queries, std::int64_t k, std::int64_t keys,
                     const Block<T>& dO, const T* D, const T* log_sums, std::int64_t log_sum_stride,
                     const Scratch<T>& scratch, Block<T> dQ, Block<T> dK, Block<T> dV) {
  piece.multiply_scores(q, queries, keys, scratch.keys, scratch.scores);
  const Block<T> V_T{scratch.values, dO.d, kKeys, kKeys};
  multiply(queries, in_vectors<T>(keys), dO.d, dO.strided(q), V_T, scratch.d_scores, kKeys, false);
  for (std::int64_t i = 0; i < queries; ++i) {
    T *weights = scratch.scores + i * kKeys, *d_scores = scratch.d_scores + i * kKeys;
    const Seen seen = piece.seen(q + i, k, keys);
    const T log_sum = log_sums[(q + i) * log_sum_stride];
    // If all scores of the query are -infinity, so is log_sum, and subtracting it would give NaN.
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
  const Strided<T> weights_T{scratch.scores, 1, kKeys}, d_scores{scratch.d_scores, kKeys, 1},
      d_scores_T{scratch.d_scores, 1, kKeys};
  if (dV.data != nullptr) multiply(keys, dV.d, queries, weights_T, dO.from(q), dV.row(k), dV.stride, true);
  if (dK.data != nullptr) multiply(keys, dK.d, queries, d_scores_T, piece.Q.from(q), dK.row(k), dK.stride, true);
  if (dQ.data != nullptr) multiply(queries, dQ.d, keys, d_scores, piece.K.from(k), dQ.row(q), dQ.stride, true);
}

// The rows of one head of a gradient, set to zero if the sink overwrites. Has no data if the gradient is not wanted.
template <class T>
Block<T> gradient_block(const Sink& sink, const Segments& segments, std::int64_t b, std::int64_t head, std::int64_t h) {
  if (!sink.wanted()) return {nullptr, 0, 0, 0};
  const Block<T> block = head_of<T>(sink.array, segments, b, head, h);
  if (!sink.accumulates()) {
    for (std::int64_t i = 0; i < block.n; ++i) std::fill_n(block.row(i), block.d, T{0});
  }
  return block;
}

// Calls body(q, queries, k, keys) for every block of queries and block of keys in which some query sees some key. At
// that time scratch.keys and scratch.values hold the block of keys and of values, transposed.
template <class T, class Body>
void for_blocks(const Piece<T>& piece, const Scratch<T>& scratch, const Body& body) {
  const auto transpose = [&](std::int64_t k, std::int64_t keys) {
    transpose_rows(piece.K, k, keys, scratch.keys);
    transpose_rows(piece.V, k, keys, scratch.values);
  };
  const auto for_queries = [&](const auto& visit) {
    for (std::int64_t q = 0; q < piece.Q.n; q += piece.block_queries()) {
      visit(q, std::min(piece.block_queries(), piece.Q.n - q));
    }
  };
  if (piece.mask.r > 0) {  // each block of queries has its own blocks of keys
    for_queries([&](std::int64_t q, std::int64_t queries) {
      const std::int64_t end = piece.end_key(q, queries);
      for (std::int64_t k = piece.first_key(q); k < end; k += kKeys) {
        const std::int64_t keys = std::min(kKeys, end - k);
        transpose(k, keys);
        body(q, queries, k, keys);
      }
    });
    return;
  }
  // Blocks of keys in the outer loop, so that each is transposed once.
  for (std::int64_t k = 0; k < piece.K.n; k += kKeys) {
    const std::int64_t keys = std::min(kKeys, piece.K.n - k);
    transpose(k, keys);
    for_queries([&](std::int64_t q, std::int64_t queries) {
      if (k < piece.end_key(q, queries)) body(q, queries, k, keys);
    });
  }
}

// The multiply-adds of `attend` for one block of queries.
template <class T>
std::int64_t executed_forward(const Piece<T>& piece, std::int64_t q, std::int64_t queries) {
  std::int64_t sum = 0;
  for_key_blocks(piece, q, queries, [&](std::int64_t, std::int64_t keys) {
    sum += queries * (in_vectors<T>(keys) * piece.Q.d + keys * in_vectors<T>(piece.V.d));
  });
  return sum;
}

// The multiply-adds of `attend_backward` for one block of queries and one of keys.
template <class T>
std::int64_t executed_backward(const Piece<T>& piece, std::int64_t queries, std::int64_t keys,
                               std::initializer_list<const Block<T>*> gradients) {
  std::int64_t sum = queries * in_vectors<T>(keys) * (piece.Q.d + piece.V.d);
  for (const Block<T>* gradient : gradients) {
    if (gradient->data != nullptr) sum += queries * keys * in_vectors<T>(gradient->d);
  }
  return sum;
}

// The mask without its window, if the window hides no key of this sentence from any query.
Mask without_idle_window(Mask mask, std::int64_t n_q, std::int64_t n_k) {
  const bool sees_first_key = mask.first_key(n_q - 1) == 0;
  const bool sees_last_key = mask.kind == Mask::Kind::kCausal || mask.end_key(0, n_k) == n_k;
  if (sees_first_key && sees_last_key) mask.r = 0;
  return mask;
}

template <class T>
Piece<T> make_piece(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                    std::int64_t b, std::int64_t head) {
  const std::int64_t first = reach.queries.offsets.data<std::int32_t>()[b];
  const Block<T> queries = head_of<T>(Q, reach.queries, b, head, heads.h),
                 keys = head_of<T>(K, reach.keys, b, head, heads.h);
  return {queries,
          keys,
          head_of<T>(V, reach.keys, b, head, heads.h),
          without_idle_window(reach.mask, queries.n, keys.n),
          heads,
          head,
          reach.queries.sentence.data<std::int32_t>() + first,
          reach.queries.position.data<std::int32_t>() + first,
          static_cast<T>(heads.scale)};
}

// The number of weights of the sentences before sentence b: each has h n_q n_k.
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

void Attention::do_attention(const Array& Q, const Array& K, const Array& V, const Reach& reach, const Heads& heads,
                             Array& O, Array& log_sums, Array& weights) const {
  OperationCounter* const counter = operations();
  expect_segments(reach);
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &O, &log_sums, &weights});
    // One piece of work is one head of one sentence: it owns that head's columns of the sentence's rows of O.
    launch(reach.queries.B * heads.h, [&](std::int64_t number) {
      const std::int64_t b = number / heads.h, head = number % heads.h;
      const Piece<T> piece = make_piece<T>(Q, K, V, reach, heads, b, head);
      const Block<T> out = head_of<T>(O, reach.queries, b, head, heads.h);
      T* sums = matrix<T>(log_sums).row(reach.queries.offsets.data<std::int32_t>()[b]) + head;
      with_scratch<T>(piece.Q.d, [&](const Scratch<T>& scratch) {
        for (std::int64_t q = 0; q < piece.Q.n; q += piece.block_queries()) {
          const std::int64_t queries = std::min(piece.block_queries(), piece.Q.n - q);
          attend(piece, q, queries, out, sums + q * heads.h, heads.h, scratch);
          if (counter != nullptr) counter->add_executed(executed_forward(piece, q, queries));
          if (!weights) continue;
          T* start = weights.data<T>() + weights_before(reach, b, heads.h) + head * piece.Q.n * piece.K.n;
          write_weights(piece, q, queries, sums + q * heads.h, heads.h, scratch, start + q * piece.K.n, piece.K.n);
        }
      });
    });
  });
}

void Attention::do_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V, const Array& O,
                                      const Array& log_sums, const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                      Sink dV) const {
  const ArenaScope scope(arena());
  Array dots = empty({heads.h, reach.queries.R}, Q.dtype());
  OperationCounter* const counter = operations();
  expect_segments(reach);
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&dO, &K, &V, &O, &log_sums, &dQ.array, &dK.array, &dV.array});
    // One piece of work is one head of one sentence: it owns that head's columns of the sentence's rows of dQ, dK, dV.
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
      T* D = matrix<T>(dots).row(head) + first;
      for (std::int64_t i = 0; i < piece.Q.n; ++i) D[i] = dot(d_out.row(i), out.row(i), out.d);
      with_backward_scratch<T>(piece.Q.d, piece.V.d, [&](const Scratch<T>& scratch) {
        for_blocks(piece, scratch, [&](std::int64_t q, std::int64_t queries, std::int64_t k, std::int64_t keys) {
          attend_backward(piece, q, queries, k, keys, d_out, D, sums, heads.h, scratch, into_Q, into_K, into_V);
          if (counter == nullptr) return;
          counter->add_executed(executed_backward<T>(piece, queries, keys, {&into_Q, &into_K, &into_V}));
        });
      });
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
