// Attention of decoding steps: one query a row, over cached keys or over the memory.
#include <algorithm>

#include "dragoman/backend/cpu/cpu_backend.h"
#include "dragoman/backend/cpu/heads.h"

namespace dragoman::cpu {

namespace {

// One query over the keys [from, to), found by key_at and value_at; `weights` receives its softmax.
template <class T, class KeyAt, class ValueAt>
void attend_row(const T* q, std::int64_t d_k, const KeyAt& key_at, std::int64_t d_v, const ValueAt& value_at,
                std::int64_t from, std::int64_t to, T scale, T* weights, T* o) {
  std::fill_n(o, d_v, T{0});
  const Seen seen(from, to);
  for (std::int64_t t = from; t < to; ++t) weights[t] = dot(q, key_at(t), d_k);
  const T sum = exponentiate(weights, seen, to, scale, largest(weights, seen) * scale);
  for (std::int64_t t = from; t < to; ++t) {
    weights[t] /= sum;
    const T* v = value_at(t);
    for (std::int64_t c = 0; c < d_v; ++c) o[c] += weights[t] * v[c];
  }
}

}  // namespace

void CpuBackend::attention_cached(const Array& Q, const CachedKeys& cache, std::int64_t r, const Heads& heads, Array& O,
                                  Array& weights) const {
  const ArenaScope scope(arena());
  const std::int64_t rows = Q.rows(), steps = cache.ancestors.cols();
  Array scores = weights ? weights : empty({rows, heads.h, steps}, Q.dtype());
  expect_elements<std::int32_t>({&cache.ancestors, &cache.lengths});
  dispatch(Q.dtype(), [&]<class T>() {
    const auto q = matrix<T>(Q), k = matrix<T>(cache.K), v = matrix<T>(cache.V), o = matrix<T>(O);
    const std::int64_t d_k = q.cols / heads.h, d_v = o.cols / heads.h, cache_rows = cache.K.dim(1);
    launch(rows, [&](std::int64_t row) {
      const std::int32_t* ancestors = cache.ancestors.data<std::int32_t>() + row * steps;
      const std::int64_t to = cache.lengths.data<std::int32_t>()[row] + 1,
                         from = r > 0 ? std::max<std::int64_t>(0, to - r) : 0;
      for (std::int64_t head = 0; head < heads.h; ++head) {
        T* row_weights = scores.data<T>() + (row * heads.h + head) * steps;
        std::fill(row_weights + to, row_weights + steps, T{0});
        attend_row<T>(
            q.row(row) + head * d_k, d_k,
            [&](std::int64_t t) { return k.row(t * cache_rows + ancestors[t]) + head * d_k; }, d_v,
            [&](std::int64_t t) { return v.row(t * cache_rows + ancestors[t]) + head * d_v; }, from, to,
            static_cast<T>(heads.scale), row_weights, o.row(row) + head * d_v);
      }
    });
  });
}

void CpuBackend::attention_memory(const Array& Q, const Array& K, const Array& V, const Segments& memory,
                                  const Array& sentences, const Heads& heads, Array& O, Array& weights) const {
  const ArenaScope scope(arena());
  const std::int64_t rows = Q.rows();
  Array scores = weights ? weights : empty({rows, heads.h, memory.longest}, Q.dtype());
  expect_elements<std::int32_t>({&memory.offsets, &sentences});
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V});
    const auto q = matrix<T>(Q), o = matrix<T>(O);
    launch(rows, [&](std::int64_t row) {
      const std::int64_t b = sentences.data<std::int32_t>()[row];
      for (std::int64_t head = 0; head < heads.h; ++head) {
        const Block<T> keys = head_of<T>(K, memory, b, head, heads.h), values = head_of<T>(V, memory, b, head, heads.h);
        T* row_weights = scores.data<T>() + (row * heads.h + head) * memory.longest;
        std::fill(row_weights + keys.n, row_weights + memory.longest, T{0});
        attend_row<T>(
            q.row(row) + head * keys.d, keys.d, [&](std::int64_t t) { return keys.row(t); }, values.d,
            [&](std::int64_t t) { return values.row(t); }, 0, keys.n, static_cast<T>(heads.scale), row_weights,
            o.row(row) + head * values.d);
      }
    });
  });
}

}  // namespace dragoman::cpu
