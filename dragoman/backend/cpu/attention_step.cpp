// Attention in decoding steps: each row is one query, which attends to cached keys or to the memory.
#include <algorithm>
#include <vector>

#include "dragoman/backend/cpu/attend.h"
#include "dragoman/backend/cpu/attention.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// The destination of a step's weights, [rows, h, longest]; data is null if they are not wanted.
template <class T>
struct StepWeights {
  T* data;
  std::int64_t h, longest;

  StepWeights(const Array& weights, std::int64_t h_, std::int64_t longest_)
      : data(weights ? weights.data<T>() : nullptr), h(h_), longest(longest_) {}
  T* row(std::int64_t r, std::int64_t head) const { return data + (r * h + head) * longest; }
};

// Computes the queries of one piece. They are the rows of the step from row `top` on.
template <class T, class Rows>
void attend_step(const Piece<T, Rows>& piece, const Block<T>& O, std::int64_t top, const StepWeights<T>& weights,
                 const Scratch<T>& scratch) {
  T log_sums[kQueries];
  for (std::int64_t q = 0; q < piece.Q.n; q += piece.block_queries()) {
    const std::int64_t queries = std::min(piece.block_queries(), piece.Q.n - q);
    attend(piece, q, queries, O, log_sums, 1, scratch);
    if (weights.data == nullptr) continue;
    T* start = weights.row(top + q, piece.head);
    const std::int64_t stride = weights.h * weights.longest;
    for (std::int64_t i = 0; i < queries; ++i) std::fill_n(start + i * stride, weights.longest, T{0});
    write_weights(piece, q, queries, log_sums, 1, scratch, start, stride);
  }
}

// The columns of one head in rows [first, first + count).
template <class T>
Block<T> head_rows(const Matrix<T>& x, std::int64_t first, std::int64_t count, std::int64_t head, std::int64_t h) {
  const std::int64_t d = x.cols / h;
  return {x.row(first) + head * d, count, d, x.stride};
}

// Splits the rows into runs that attend to the same part of the memory: the hypotheses of one sentence. Run i is rows
// [starts[i], starts[i + 1]).
std::vector<std::int64_t> runs(const std::int32_t* first, std::int64_t rows) {
  std::vector<std::int64_t> starts;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (r == 0 || first[r] != first[r - 1]) starts.push_back(r);
  }
  starts.push_back(rows);
  return starts;
}

}  // namespace

void Attention::do_attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache,
                                    const Mask& mask, const Heads& heads, Array& O, Array& weights) const {
  const std::int64_t rows = Q.rows(), steps = cache.cells.cols();
  expect_elements<std::int32_t>({&cache.cells, &cache.lengths});
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &cache.K, &cache.V, &O, &weights});
    const auto q = matrix<T>(Q), o = matrix<T>(O), keys = matrix<T>(cache.K), values = matrix<T>(cache.V);
    const std::int64_t d_k = q.cols / heads.h, d_v = o.cols / heads.h;
    const StepWeights<T> step_weights(weights, heads.h, steps);
    // One piece of work is one row, with all its heads: it first stores the row's new key and value in their cell.
    launch(rows, [&](std::int64_t row) {
      const std::int32_t* cells = cache.cells.data<std::int32_t>() + row * steps;
      const std::int64_t length = cache.lengths.data<std::int32_t>()[row];
      std::copy_n(matrix<T>(K).row(row), keys.cols, keys.row(cells[length]));
      std::copy_n(matrix<T>(V).row(row), values.cols, values.row(cells[length]));
      with_scratch<T>(d_k, [&](const Scratch<T>& scratch) {
        for (std::int64_t head = 0; head < heads.h; ++head) {
          const Piece<T, Scattered<T>> piece{.Q = head_rows(q, row, 1, head, heads.h),
                                             .K = {keys.data + head * d_k, length + 1, d_k, keys.stride, cells},
                                             .V = {values.data + head * d_v, length + 1, d_v, values.stride, cells},
                                             .mask = mask,
                                             .heads = heads,
                                             .head = head,
                                             .sentence = nullptr,
                                             .position = nullptr,
                                             .scale = static_cast<T>(heads.scale),
                                             .offset = length};
          attend_step(piece, head_rows(o, row, 1, head, heads.h), row, step_weights, scratch);
        }
      });
    });
  });
}

void Attention::do_attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                    const Heads& heads, Array& O, Array& weights) const {
  const Mask everything;
  expect_elements<std::int32_t>({&memory.first, &memory.count});
  dispatch(Q.dtype(), [&]<class T>() {
    expect_elements<T>({&K, &V, &O, &weights});
    const auto q = matrix<T>(Q), k = matrix<T>(K), v = matrix<T>(V), o = matrix<T>(O);
    const std::int32_t *first = memory.first.data<std::int32_t>(), *count = memory.count.data<std::int32_t>();
    const StepWeights<T> step_weights(weights, heads.h, memory.longest);
    // In a dry run the arrays hold no values, so there are no runs and nothing is launched.
    const std::vector<std::int64_t> starts = dry() ? std::vector<std::int64_t>{0} : runs(first, q.rows);
    const auto sentences = static_cast<std::int64_t>(starts.size()) - 1;
    // One piece of work is one head of all hypotheses of one sentence, which share its keys and values.
    launch(sentences * heads.h, [&](std::int64_t number) {
      const std::int64_t top = starts[number / heads.h], head = number % heads.h,
                         queries = starts[number / heads.h + 1] - top;
      const Piece<T> piece{.Q = head_rows(q, top, queries, head, heads.h),
                           .K = head_rows(k, first[top], count[top], head, heads.h),
                           .V = head_rows(v, first[top], count[top], head, heads.h),
                           .mask = everything,
                           .heads = heads,
                           .head = head,
                           .sentence = nullptr,
                           .position = nullptr,
                           .scale = static_cast<T>(heads.scale)};
      with_scratch<T>(piece.Q.d, [&](const Scratch<T>& scratch) {
        attend_step(piece, head_rows(o, top, queries, head, heads.h), top, step_weights, scratch);
      });
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
