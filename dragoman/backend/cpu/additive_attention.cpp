// Additive attention. Every query and head is computed by `attend_additive`, whose order of additions depends only on
// the keys that the query sees. So a decoding step computes the same bits as the whole sentence.
#include "dragoman/backend/cpu/additive_attention.h"

#include <cmath>
#include <vector>

#include "dragoman/backend/cpu/additive_score.h"
#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/memory_rows.h"
#include "dragoman/backend/cpu/softmax_row.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// The columns of one head in rows [first, first + count).
template <class T>
Matrix<T> columns_of_head(const Matrix<T>& x, std::int64_t first, std::int64_t count, std::int64_t head,
                          std::int64_t h) {
  const std::int64_t d = x.cols / h;
  return {x.row(first) + head * d, count, d, x.stride};
}

// weights[j] = the weight of row j of K, before dropout. Returns the logarithm of the softmax denominator.
template <class T, class Rows>
T additive_weights(const T* q, const T* v, const Rows& K, T* weights) {
  for (std::int64_t j = 0; j < K.rows; ++j) weights[j] = additive_score<T>(q, K.row(j), v, K.cols);
  return softmax_row<T>(weights, K.rows, weights);
}

// One head of one sentence of a ragged batch.
template <class T>
struct AdditivePiece {
  AdditivePiece(const Reach& reach, const Heads& heads_, std::int64_t number)
      : mask(reach.mask), heads(heads_), b(number / heads.h), head(number % heads.h) {
    const std::int32_t *queries = reach.queries.offsets.data<std::int32_t>(),
                       *keys = reach.keys.offsets.data<std::int32_t>();
    first_q = queries[b];
    n_q = queries[b + 1] - first_q;
    first_k = keys[b];
    n_k = keys[b + 1] - first_k;
    if (!heads.dropout.on()) return;
    sentence = reach.queries.sentence.data<std::int32_t>() + first_q;
    position = reach.queries.position.data<std::int32_t>() + first_q;
  }

  Matrix<T> queries(const Array& x) const { return columns_of_head(matrix<T>(x), first_q, n_q, head, heads.h); }
  Matrix<T> keys(const Array& x) const { return columns_of_head(matrix<T>(x), first_k, n_k, head, heads.h); }
  // The same of a gradient; null if it is not wanted.
  Matrix<T> queries(const Sink& dx) const { return dx.wanted() ? queries(dx.array) : Matrix<T>{}; }
  Matrix<T> keys(const Sink& dx) const { return dx.wanted() ? keys(dx.array) : Matrix<T>{}; }

  // Query i sees the keys [from(i), to(i)).
  std::int64_t from(std::int64_t i) const { return std::min(mask.first_key(i), to(i)); }
  std::int64_t to(std::int64_t i) const { return mask.end_key(i, n_k); }
  // The rows of the keys that query i sees.
  Matrix<T> seen(const Matrix<T>& x, std::int64_t i) const {
    if (x.data == nullptr) return x;
    return {x.row(from(i)), to(i) - from(i), x.cols, x.stride};
  }
  // values[j] *= the dropout factor of the weight of key from(i) + j.
  void drop_weights(std::int64_t i, T* values) const {
    if (!heads.dropout.on()) return;
    drop(heads.dropout, sentence[i], position[i], head * n_k + from(i), to(i) - from(i), values);
  }

  const Mask& mask;
  const Heads& heads;
  std::int64_t b, head, first_q, n_q, first_k, n_k;
  const std::int32_t *sentence = nullptr, *position = nullptr;  // of the queries, for dropout
};

// The weights of the sentences before sentence b: each has h n_q n_k.
std::int64_t weights_of_earlier(const Reach& reach, std::int64_t b, std::int64_t h) {
  const std::int32_t *queries = reach.queries.offsets.data<std::int32_t>(),
                     *keys = reach.keys.offsets.data<std::int32_t>();
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < b; ++i) {
    before += h * (queries[i + 1] - queries[i]) * static_cast<std::int64_t>(keys[i + 1] - keys[i]);
  }
  return before;
}

// A step's weights of one row and head, of which the keys from `from` on are given; `longest` columns. No-op if they
// are not wanted.
template <class T>
void write_step_weights(const Array& weights, std::int64_t row_and_head, std::int64_t longest, std::int64_t from,
                        const T* given, std::int64_t count) {
  if (!weights) return;
  T* to = weights.data<T>() + row_and_head * longest;
  std::fill_n(to, longest, T{0});
  std::copy_n(given, count, to + from);
}

}  // namespace

void AdditiveAttention::do_additive_attention(const Array& Q, const Array& K, const Array& V, const Array& v,
                                              const Reach& reach, const Heads& heads, Array& O, Array& log_sums,
                                              Array& weights) const {
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &v, &O, &log_sums, &weights});
    // A piece of work is one head of one sentence: it owns that head's columns of the sentence's rows of O.
    launch(reach.queries.B * heads.h, [&](std::int64_t number) {
      const AdditivePiece<T> piece(reach, heads, number);
      const Matrix<T> q = piece.queries(Q), k = piece.keys(K), values = piece.keys(V), o = piece.queries(O);
      const T* v_row = matrix<T>(v).row(piece.head);
      T* seen_weights =
          weights ? weights.data<T>() + weights_of_earlier(reach, piece.b, heads.h) + piece.head * piece.n_q * piece.n_k
                  : nullptr;
      std::vector<T> row(static_cast<std::size_t>(piece.n_k));
      for (std::int64_t i = 0; i < piece.n_q; ++i) {
        matrix<T>(log_sums).row(piece.first_q + i)[piece.head] =
            additive_weights(q.row(i), v_row, piece.seen(k, i), row.data());
        if (seen_weights != nullptr) {
          std::fill_n(seen_weights + i * piece.n_k, piece.n_k, T{0});
          std::copy_n(row.data(), piece.to(i) - piece.from(i), seen_weights + i * piece.n_k + piece.from(i));
        }
        piece.drop_weights(i, row.data());
        mix_rows(row.data(), piece.seen(values, i), o.row(i));
      }
    });
  });
}

// With the weights P, the dropout factors Z and D = dO . O of each query, element by element:
//   dV_j += P_j Z_j dO,   dS_j = P_j (Z_j (dO . V_j) - D).
// AdditiveScore passes dS on to q, k and v.
void AdditiveAttention::do_additive_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V,
                                                       const Array& v, const Array& O, const Array& log_sums,
                                                       const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                                       Sink dV, Sink dv) const {
  for (Sink* sink : {&dQ, &dK, &dV}) {
    if (sink->wanted() && !sink->accumulates()) fill(sink->array, 0);
  }
  const ArenaScope scratch(arena());
  // The gradient of v for each sentence.
  const Array dvs = dv.wanted() ? empty({reach.queries.B, Q.cols()}, Q.dtype()) : Array();
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&dO, &K, &V, &v, &O, &log_sums, &dQ.array, &dK.array, &dV.array, &dv.array});
    launch(reach.queries.B * heads.h, [&](std::int64_t number) {
      const AdditivePiece<T> piece(reach, heads, number);
      const Matrix<T> q = piece.queries(Q), k = piece.keys(K), values = piece.keys(V), o = piece.queries(O),
                      d_o = piece.queries(dO), dq = piece.queries(dQ), dk = piece.keys(dK), d_values = piece.keys(dV);
      const T* v_row = matrix<T>(v).row(piece.head);
      T* dv_row = dvs ? matrix<T>(dvs).row(piece.b) + piece.head * q.cols : nullptr;
      if (dv_row != nullptr) std::fill_n(dv_row, q.cols, T{0});
      std::vector<T> weights(static_cast<std::size_t>(piece.n_k)), factors(weights.size());
      for (std::int64_t i = 0; i < piece.n_q; ++i) {
        const Matrix<T> seen_k = piece.seen(k, i), seen_v = piece.seen(values, i), seen_dk = piece.seen(dk, i),
                        seen_dv = piece.seen(d_values, i);
        const T log_sum = matrix<T>(log_sums).row(piece.first_q + i)[piece.head];
        const T D = dot(d_o.row(i), o.row(i), o.cols);
        const AdditiveScore<T> score{
            .q = q.row(i), .v = v_row, .a = q.cols, .dq = dq.data == nullptr ? nullptr : dq.row(i), .dv = dv_row};
        for (std::int64_t j = 0; j < seen_k.rows; ++j) {
          weights[j] = std::exp(additive_score<T>(q.row(i), seen_k.row(j), v_row, q.cols) - log_sum);
        }
        std::fill_n(factors.data(), seen_k.rows, T{1});
        piece.drop_weights(i, factors.data());
        for (std::int64_t j = 0; j < seen_k.rows; ++j) {
          const T dS = weights[j] * (factors[j] * dot(d_o.row(i), seen_v.row(j), o.cols) - D);
          score.backward(dS, seen_k.row(j), dk.data == nullptr ? nullptr : seen_dk.row(j));
          if (d_values.data != nullptr) add_scaled(weights[j] * factors[j], d_o.row(i), o.cols, seen_dv.row(j));
        }
      }
    });
  });
  if (dv.wanted()) sum_rows(dvs, {dv.array.reshaped({dv.array.count()}), dv.write});
}

void AdditiveAttention::do_additive_attention_cached(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                     const CachedKeys& cache, const Mask& mask, const Heads& heads,
                                                     Array& O, Array& weights) const {
  const std::int64_t h = heads.h, steps = cache.cells.cols();
  expect_elements<std::int32_t>({&cache.cells, &cache.lengths});
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &v, &cache.K, &cache.V, &O, &weights});
    const auto q = matrix<T>(Q), o = matrix<T>(O), keys = matrix<T>(cache.K), values = matrix<T>(cache.V);
    const std::int64_t d_k = q.cols / h, d_v = o.cols / h;
    // A piece of work is one row, with all its heads: it first stores the row's new key and value in their cell.
    launch(q.rows, [&](std::int64_t row) {
      const std::int32_t* cells = cache.cells.data<std::int32_t>() + row * steps;
      const std::int64_t length = cache.lengths.data<std::int32_t>()[row];
      std::copy_n(matrix<T>(K).row(row), keys.cols, keys.row(cells[length]));
      std::copy_n(matrix<T>(V).row(row), values.cols, values.row(cells[length]));
      const std::int64_t from = mask.first_key(length), count = length + 1 - from;
      std::vector<T> own(static_cast<std::size_t>(count));
      for (std::int64_t head = 0; head < h; ++head) {
        const ScatteredRows<T> k{keys.data + head * d_k, count, d_k, keys.stride, cells + from},
            seen{values.data + head * d_v, count, d_v, values.stride, cells + from};
        additive_weights(q.row(row) + head * d_k, matrix<T>(v).row(head), k, own.data());
        write_step_weights(weights, row * h + head, steps, from, own.data(), count);
        mix_rows(own.data(), seen, o.row(row) + head * d_v);
      }
    });
  });
}

void AdditiveAttention::do_additive_attention_memory(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                     const MemoryRows& memory, const Heads& heads, Array& O,
                                                     Array& weights) const {
  const std::int64_t h = heads.h;
  expect_elements<std::int32_t>({&memory.first, &memory.count});
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &v, &O, &weights});
    const auto q = matrix<T>(Q), o = matrix<T>(O);
    launch(q.rows, [&](std::int64_t row) {
      const std::int64_t first = memory.first.data<std::int32_t>()[row], count = memory.count.data<std::int32_t>()[row];
      std::vector<T> own(static_cast<std::size_t>(count));
      for (std::int64_t head = 0; head < h; ++head) {
        const Matrix<T> k = columns_of_head(matrix<T>(K), first, count, head, h),
                        seen = columns_of_head(matrix<T>(V), first, count, head, h);
        additive_weights(q.row(row) + head * k.cols, matrix<T>(v).row(head), k, own.data());
        write_step_weights(weights, row * h + head, memory.longest, 0, own.data(), count);
        mix_rows(own.data(), seen, o.row(row) + head * seen.cols);
      }
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
