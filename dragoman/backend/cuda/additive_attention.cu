// Additive attention. The work is that of the plain kernels of attention/plain.cuh: a warp owns one query of one head,
// or in key_gradients one key, and takes 32 rows of the other side at a time:
//   1. Lane j computes the score of row j of these 32, channel by channel.
//   2. The lanes turn their scores into weights, or into gradients of scores.
//   3. The warp goes through the 32 rows once more. Now lane l owns the columns l, l + 32, l + 64 ... and the weights
//      come from the other lanes by shuffles. Gradients need tanh(q + k) of these columns, which is computed again.
// No shared memory is used, and the bits of a row do not depend on the other rows.
#include "dragoman/backend/cuda/additive_attention.h"

#include "dragoman/backend/cuda/attention/plain.cuh"

namespace dragoman::cuda {

namespace {

// The key with number j of a query is row first + j, or row cells[j].
struct NeighbouringKeys {
  std::int64_t first;
  __device__ std::int64_t row(int j) const { return first + j; }
};
struct CellKeys {
  const std::int32_t* cells;
  __device__ std::int64_t row(int j) const { return cells[j]; }
};

template <class T>
__device__ float additive_score(const T* q, const T* k, const float* v, int d) {
  float sum = 0;
  for (int c = 0; c < d; ++c) sum += v[c] * tanhf(to_float(q[c]) + to_float(k[c]));
  return sum;
}

// One query of one head. K and V have the columns of all heads.
template <class T, class Keys>
struct AdditiveQuery {
  const T* q;
  const float* v;
  Matrix<const T> K, V;
  Keys keys;
  int head, d_k, d_v;

  __device__ float score(int key) const { return additive_score(q, K.row(keys.row(key)) + head * d_k, v, d_k); }

  // Adds up the values of the keys [from, to), for the columns that this lane owns, weighted by the softmax of their
  // scores times factor(key). Returns the logarithm of the softmax denominator.
  template <class Factor>
  __device__ float attend(int from, int to, int first_column, const Factor& factor,
                          float (&out)[kPlainRegisters]) const {
    float maximum = -INFINITY, sum = 0;
    for (int begin = from; begin < to; begin += kWarp) {
      const int count = min(kWarp, to - begin), key = begin + lane();
      const bool seen = lane() < count;
      const float own = seen ? score(key) : -INFINITY;
      const float new_maximum = fmaxf(maximum, warp_max(own));
      const float correction = expf(maximum - new_maximum);
      maximum = new_maximum;
      float weight = expf(own - new_maximum);
      sum = sum * correction + weight;
      if (seen) weight *= factor(key);
      for (float& x : out) x *= correction;
      for (int j = 0; j < count; ++j) {
        add_columns(__shfl_sync(kAllLanes, weight, j), V.row(keys.row(begin + j)) + head * d_v, first_column, d_v, out);
      }
    }
    sum = warp_sum(sum);
    for (float& x : out) x = sum != 0 ? x / sum : 0.0f;  // NaN stays NaN
    return sum > 0 ? maximum + logf(sum) : -INFINITY;
  }

  // Writes the weights of `count` keys, of which the query sees [from, to).
  __device__ void write_weights(int from, int to, std::int64_t count, float log_sum, float* weights) const {
    for (std::int64_t key = lane(); key < count; key += kWarp) {
      const bool seen = key >= from && key < to;
      weights[key] = seen ? expf(score(static_cast<int>(key)) - log_sum) : 0.0f;
    }
  }
};

// Whole sentences. `weights` is null if they are not wanted.
template <class T>
__global__ void attend_additively(Problem problem, Forward<T> arrays, const float* v, int tiles,
                                  const std::int64_t* starts, float* weights) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.row >= sentence.n_q) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v, n_k = sentence.n_k;
  const std::int64_t row = sentence.first_query + work.row;
  const AdditiveQuery<T, NeighbouringKeys> query{arrays.Q.row(row) + head * d_k, v + head * d_k, arrays.K, arrays.V,
                                                 {sentence.first_key},           head,           d_k,      d_v};
  const int from = problem.sight.first_key(work.row), to = problem.sight.end_key(work.row, n_k);
  const auto factor = [&](int key) { return weight_factor(problem.dropout, row, head * n_k + key); };
  float out[kPlainRegisters] = {};
  const float log_sum = query.attend(from, to, work.first_column, factor, out);
  put_columns(out, 1.0f, row, head, work.first_column, d_v, SinkRows<T>{arrays.O.data, arrays.O.stride, false});
  if (work.first_column > 0) return;
  if (lane() == 0) arrays.log_sums.row(row)[head] = log_sum;
  if (weights == nullptr) return;
  query.write_weights(
      from, to, n_k, log_sum,
      weights + starts[work.sentence] + (static_cast<std::int64_t>(head) * sentence.n_q + work.row) * n_k);
}

// to_q += d v (1 - T^2) and to_v += d T with T = tanh(a + b), for the columns that this lane owns.
template <class T>
__device__ void add_score_gradients(float d, const T* a, const T* b, const float* v, int first_column, int width,
                                    float (&to_q)[kPlainRegisters], float (&to_v)[kPlainRegisters]) {
#pragma unroll
  for (int r = 0; r < kPlainRegisters; ++r) {
    const int c = first_column + r * kWarp + lane();
    if (c >= width) continue;
    const float hidden = tanhf(to_float(a[c]) + to_float(b[c]));
    to_q[r] += d * v[c] * (1 - hidden * hidden);
    to_v[r] += d * hidden;
  }
}

template <class T>
__device__ float row_dot(const T* a, const T* b, int d) {
  float sum = 0;
  for (int c = 0; c < d; ++c) sum += to_float(a[c]) * to_float(b[c]);
  return sum;
}

// Computes dQ, the deltas, and the gradient of v that each query contributes: dvs [R_q, h d_k], or null. Each warp has
// one query.
template <class T>
__global__ void additive_query_gradients(Problem problem, Backward<T> arrays, const float* v, int tiles, float* dvs) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.row >= sentence.n_q) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v, n_k = sentence.n_k;
  const std::int64_t row = sentence.first_query + work.row;
  const T *q = arrays.Q.row(row) + head * d_k, *d_out = arrays.dO.row(row) + head * d_v,
          *out = arrays.O.row(row) + head * d_v;
  const float* own_v = v + head * d_k;
  float delta = 0;
  for (int c = lane(); c < d_v; c += kWarp) delta += to_float(d_out[c]) * to_float(out[c]);
  delta = warp_sum(delta);
  if (work.first_column == 0 && lane() == 0) arrays.deltas.row(row)[head] = delta;
  if (arrays.dQ.data == nullptr && dvs == nullptr) return;

  const float log_sum = arrays.log_sums.row(row)[head];
  const int from = problem.sight.first_key(work.row), to = problem.sight.end_key(work.row, n_k);
  float dQ[kPlainRegisters] = {}, dv[kPlainRegisters] = {};
  for (int begin = from; begin < to; begin += kWarp) {
    const int count = min(kWarp, to - begin), key = begin + min(lane(), count - 1);
    const std::int64_t key_row = sentence.first_key + key;
    const float score = additive_score(q, arrays.K.row(key_row) + head * d_k, own_v, d_k);
    const float d_product = row_dot(d_out, arrays.V.row(key_row) + head * d_v, d_v);
    const PlainWeight weight(problem, row, head * n_k + key, lane() < count, score, d_product, log_sum, delta);
    for (int j = 0; j < count; ++j) {
      const T* k = arrays.K.row(sentence.first_key + begin + j) + head * d_k;
      add_score_gradients(__shfl_sync(kAllLanes, weight.d_score, j), q, k, own_v, work.first_column, d_k, dQ, dv);
    }
  }
  if (arrays.dQ.data != nullptr) put_columns(dQ, 1.0f, row, head, work.first_column, d_k, arrays.dQ);
  if (dvs == nullptr) return;
  put_columns(dv, 1.0f, row, head, work.first_column, d_k,
              SinkRows<float>{dvs, static_cast<std::int64_t>(problem.h) * d_k, false});
}

// Computes dK and dV. Each warp has one key. Runs after additive_query_gradients, which writes the deltas.
template <class T>
__global__ void additive_key_gradients(Problem problem, Backward<T> arrays, const float* v, int tiles) {
  const PlainWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  if (work.row >= sentence.n_k) return;
  const int head = work.head, d_k = problem.d_k, d_v = problem.d_v;
  const std::int64_t row = sentence.first_key + work.row;
  const T *k = arrays.K.row(row) + head * d_k, *value = arrays.V.row(row) + head * d_v;
  const float* own_v = v + head * d_k;
  const int from = problem.sight.first_query(work.row), to = problem.sight.end_query(work.row, sentence.n_q);
  float dK[kPlainRegisters] = {}, dV[kPlainRegisters] = {}, unused[kPlainRegisters] = {};
  for (int begin = from; begin < to; begin += kWarp) {
    const int count = min(kWarp, to - begin), query = begin + min(lane(), count - 1);
    const std::int64_t query_row = sentence.first_query + query;
    const float score = additive_score(arrays.Q.row(query_row) + head * d_k, k, own_v, d_k);
    const float d_product = row_dot(value, arrays.dO.row(query_row) + head * d_v, d_v);
    const PlainWeight weight(problem, query_row, head * sentence.n_k + work.row, lane() < count, score, d_product,
                             arrays.log_sums.row(query_row)[head], arrays.deltas.row(query_row)[head]);
    for (int i = 0; i < count; ++i) {
      const std::int64_t other = sentence.first_query + begin + i;
      add_columns(__shfl_sync(kAllLanes, weight.dropped, i), arrays.dO.row(other) + head * d_v, work.first_column, d_v,
                  dV);
      add_score_gradients(__shfl_sync(kAllLanes, weight.d_score, i), arrays.Q.row(other) + head * d_k, k, own_v,
                          work.first_column, d_k, dK, unused);
    }
  }
  if (arrays.dK.data != nullptr) put_columns(dK, 1.0f, row, head, work.first_column, d_k, arrays.dK);
  if (arrays.dV.data != nullptr) put_columns(dV, 1.0f, row, head, work.first_column, d_v, arrays.dV);
}

// A decoding step: warp w of the grid has head w % h of row w / h. `weights` [rows, h, longest] is null if they are not
// wanted.
template <class T>
struct AdditiveStep {
  Matrix<const T> Q, K, V;
  const float* v;
  Matrix<T> O;
  int h, d_k, d_v;
  float* weights;
  std::int64_t longest;

  template <class Keys>
  __device__ void attend(std::int64_t row, int head, const Keys& keys, int from, int to) const {
    const AdditiveQuery<T, Keys> query{Q.row(row) + head * d_k, v + head * d_k, K, V, keys, head, d_k, d_v};
    const int first_column = blockIdx.y * kPlainColumns;
    float out[kPlainRegisters] = {};
    const auto factor = [](int) { return 1.0f; };
    const float log_sum = query.attend(from, to, first_column, factor, out);
    put_columns(out, 1.0f, row, head, first_column, d_v, SinkRows<T>{O.data, O.stride, false});
    if (weights == nullptr || first_column > 0) return;
    query.write_weights(from, to, longest, log_sum, weights + (row * h + head) * longest);
  }
};

__device__ std::int64_t warp_of_grid() { return std::int64_t{blockIdx.x} * kPlainWarps + threadIdx.x / kWarp; }

// First the warp writes its head of the new token's key and value into their cell, which no other row reads.
template <class T>
__global__ void additive_cached_step(AdditiveStep<T> step, Matrix<const T> new_K, Matrix<const T> new_V, Matrix<T> K,
                                     Matrix<T> V, Matrix<const std::int32_t> cells, const std::int32_t* lengths,
                                     Sight sight) {
  const std::int64_t row = warp_of_grid() / step.h;
  const int head = static_cast<int>(warp_of_grid() % step.h);
  if (row >= step.Q.rows) return;
  const int length = lengths[row];
  const std::int64_t cell = cells.row(row)[length];
  for (int c = head * step.d_k + lane(); c < (head + 1) * step.d_k; c += kWarp) K.row(cell)[c] = new_K.row(row)[c];
  for (int c = head * step.d_v + lane(); c < (head + 1) * step.d_v; c += kWarp) V.row(cell)[c] = new_V.row(row)[c];
  __syncwarp();
  step.attend(row, head, CellKeys{cells.row(row)}, sight.first_key(length), length + 1);
}

template <class T>
__global__ void additive_memory_step(AdditiveStep<T> step, const std::int32_t* first, const std::int32_t* count) {
  const std::int64_t row = warp_of_grid() / step.h;
  const int head = static_cast<int>(warp_of_grid() % step.h);
  if (row >= step.Q.rows) return;
  step.attend(row, head, NeighbouringKeys{first[row]}, 0, count[row]);
}

// The number of blocks that share the rows of a sentence and head.
int tiles_of(const Segments& rows) { return static_cast<int>(divide_up(rows.longest, kPlainWarps)); }

// A warp for each row of `rows` (the queries or the keys) and head; a head of more than kPlainColumns columns takes
// several.
template <class Kernel, class... Arguments>
void launch_rows(const Context& on, Kernel kernel, const Problem& problem, const Segments& rows, int width,
                 const Arguments&... arguments) {
  const Grid grid(rows.B * problem.h * tiles_of(rows), divide_up(width, kPlainColumns));
  launch(on, kernel, grid, kPlainWarps * kWarp, 0, problem, arguments...);
}

template <class T>
AdditiveStep<T> additive_step(const Array& Q, const Array& K, const Array& V, const Array& v, const Heads& heads,
                              const Array& O, const Array& weights, std::int64_t longest) {
  return {.Q = matrix<const T>(Q),
          .K = matrix<const T>(K),
          .V = matrix<const T>(V),
          .v = elements<const float>(v),
          .O = matrix<T>(O),
          .h = static_cast<int>(heads.h),
          .d_k = static_cast<int>(Q.cols() / heads.h),
          .d_v = static_cast<int>(V.cols() / heads.h),
          .weights = elements<float>(weights),
          .longest = longest};
}
template <class T>
Grid step_grid(const AdditiveStep<T>& step) {
  return {divide_up(step.Q.rows * step.h, kPlainWarps), divide_up(step.d_v, kPlainColumns)};
}

}  // namespace

void AdditiveAttention::do_additive_attention(const Array& Q, const Array& K, const Array& V, const Array& v,
                                              const Reach& reach, const Heads& heads, Array& O, Array& log_sums,
                                              Array& weights) const {
  const Problem problem = problem_of(Q, V, reach, heads);
  const ArenaScope scratch(arena());
  std::int64_t* starts = nullptr;
  if (weights) {
    starts = static_cast<std::int64_t*>(empty({2 * reach.queries.B}, DType::kInt32).raw());  // two hold one number
    launch(*this, find_weights, 1, kWarp, 0, problem, static_cast<int>(reach.queries.B), starts);
  }
  dispatch(Q.dtype(), [&]<class T>() {
    const Forward<T> arrays{matrix<const T>(Q), matrix<const T>(K), matrix<const T>(V), matrix<T>(O),
                            matrix<float>(log_sums)};
    launch_rows(*this, attend_additively<T>, problem, reach.queries, problem.d_v, arrays, elements<const float>(v),
                tiles_of(reach.queries), starts, elements<float>(weights));
  });
}

void AdditiveAttention::do_additive_attention_backward(const Array& dO, const Array& Q, const Array& K, const Array& V,
                                                       const Array& v, const Array& O, const Array& log_sums,
                                                       const Reach& reach, const Heads& heads, Sink dQ, Sink dK,
                                                       Sink dV, Sink dv) const {
  Problem problem = problem_of(Q, V, reach, heads);
  problem.scale = 1;  // of the scores, in PlainWeight
  const ArenaScope scratch(arena());
  const Array deltas = empty({reach.queries.R, heads.h}, DType::kFloat32);
  const Array dvs = dv.wanted() ? empty({reach.queries.R, Q.cols()}, DType::kFloat32) : Array();  // of each query
  dispatch(Q.dtype(), [&]<class T>() {
    const Backward<T> arrays{matrix<const T>(dO),   matrix<const T>(Q), matrix<const T>(K),
                             matrix<const T>(V),    matrix<const T>(O), matrix<const float>(log_sums),
                             matrix<float>(deltas), sink_rows<T>(dQ),   sink_rows<T>(dK),
                             sink_rows<T>(dV)};
    const float* const vector = elements<const float>(v);
    launch_rows(*this, additive_query_gradients<T>, problem, reach.queries, problem.d_k, arrays, vector,
                tiles_of(reach.queries), elements<float>(dvs));
    if (!dK.wanted() && !dV.wanted()) return;
    launch_rows(*this, additive_key_gradients<T>, problem, reach.keys, std::max(problem.d_k, problem.d_v), arrays,
                vector, tiles_of(reach.keys));
  });
  if (dv.wanted()) sum_rows(dvs, {dv.array.reshaped({dv.array.count()}), dv.write});
}

void AdditiveAttention::do_additive_attention_cached(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                     const CachedKeys& cache, const Mask& mask, const Heads& heads,
                                                     Array& O, Array& weights) const {
  dispatch(Q.dtype(), [&]<class T>() {
    const AdditiveStep<T> step = additive_step<T>(Q, cache.K, cache.V, v, heads, O, weights, cache.cells.cols());
    launch(*this, additive_cached_step<T>, step_grid(step), kPlainWarps * kWarp, 0, step, matrix<const T>(K),
           matrix<const T>(V), matrix<T>(cache.K), matrix<T>(cache.V), matrix<const std::int32_t>(cache.cells),
           elements<const std::int32_t>(cache.lengths), sight_of(mask));
  });
}

void AdditiveAttention::do_additive_attention_memory(const Array& Q, const Array& K, const Array& V, const Array& v,
                                                     const MemoryRows& memory, const Heads& heads, Array& O,
                                                     Array& weights) const {
  dispatch(Q.dtype(), [&]<class T>() {
    const AdditiveStep<T> step = additive_step<T>(Q, K, V, v, heads, O, weights, memory.longest);
    launch(*this, additive_memory_step<T>, step_grid(step), kPlainWarps * kWarp, 0, step,
           elements<const std::int32_t>(memory.first), elements<const std::int32_t>(memory.count));
  });
}

}  // namespace dragoman::cuda
