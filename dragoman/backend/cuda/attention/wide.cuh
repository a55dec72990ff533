// Attention on the tensor cores for heads wider than a tile, in bf16: models with one head have such heads.
//
// A block owns up to 32 rows of one head of one sentence. These are queries, or in gradients_of_wide_keys keys; the
// rows of the other side that belong to them are the `others`. It works in two steps:
//   1. The products of its rows with the others, 64 of these at a time, which become weights or gradients of scores.
//      The columns pass through shared memory in slabs of 64 (wide_products).
//   2. Its result, 64 columns at a time: the weights times the rows of the others (wide_sums).
// In between, the weights of all others are in shared memory, which limits the length of a sentence.
#pragma once

#include <mma.h>

#include "dragoman/backend/cuda/attention/plain.cuh"
#include "dragoman/backend/cuda/attention/tiles.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kWideThreads = 4 * kWarp;  // the warps share sums of 32 x 64 numbers: each has 16 x 32
struct WideShared : WideLayout {
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(kAlignment) unsigned char shared[];
    return shared;
  }
  __device__ bf16* own_slab() const { return reinterpret_cast<bf16*>(memory()); }
  __device__ bf16* other_slab() const { return own_slab() + kWideRows * kSlabPitch; }
  __device__ float* sums(int i = 0) const {
    return reinterpret_cast<float*>(memory() + sums_at()) + i * kWideRows * kSumPitch;
  }
  __device__ bf16* weights_of(int i = 0) const {
    return reinterpret_cast<bf16*>(memory() + weights_at()) + i * kWideRows * weight_pitch();
  }
  __device__ float* row_numbers(int i = 0) const {
    return reinterpret_cast<float*>(memory() + row_numbers_at()) + i * kWideRows;
  }
  __device__ float* scores_of_rows() const { return reinterpret_cast<float*>(memory() + scores_at()); }
};

// Rows of one head of a matrix: `count` of them, of d columns.
struct WideRows {
  const bf16* first;
  std::int64_t stride;
  int count, d;

  __device__ WideRows(const Matrix<const bf16>& of, std::int64_t row, int count_, int head, int d_)
      : first(of.row(row) + head * d_), stride(of.stride), count(count_), d(d_) {}

  __device__ WideRows from(int row) const {
    WideRows rest = *this;
    rest.first += row * stride;
    rest.count -= row;
    return rest;
  }
};

// The pieces of 16 bytes that a thread moves from kRows rows of global memory to a slab, by way of its registers. Rows
// and columns that do not exist become zeros.
template <int kRows>
struct SlabPieces {
  static constexpr int kPerRow = kWideSlab / 8, kCount = kRows * kPerRow / kWideThreads;
  uint4 pieces[kCount];

  __device__ void read(const WideRows& rows, int first_column) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int number = threadIdx.x + i * kWideThreads, row = number / kPerRow;
      const int column = first_column + number % kPerRow * 8;
      const bool there = row < rows.count && column < rows.d;
      pieces[i] = there ? *reinterpret_cast<const uint4*>(rows.first + row * rows.stride + column) : uint4{};
    }
  }
  __device__ void write(bf16* slab) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int number = threadIdx.x + i * kWideThreads;
      *reinterpret_cast<uint4*>(slab + number / kPerRow * kSlabPitch + number % kPerRow * 8) = pieces[i];
    }
  }
};

// The 16 x 32 numbers that a warp adds up, out of 32 x 64.
struct WideSums {
  static constexpr int kParts = 2;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, kStep, kStep, kStep, float> parts[kParts];

  __device__ WideSums() {
    for (auto& part : parts) nvcuda::wmma::fill_fragment(part, 0.0f);
  }
  __device__ static int first_row() { return threadIdx.x / kWarp / 2 * kStep; }
  __device__ static int first_column() { return threadIdx.x / kWarp % 2 * kParts * kStep; }

  // Adds 32 x 64 numbers of `left` times 64 x 64 numbers of `right`. Both are in shared memory, and a row of `right` is
  // in a row of it, or in a column if kTransposed.
  template <bool kTransposed>
  __device__ void add(const bf16* left, int left_pitch, const bf16* right) {
    using Order = std::conditional_t<kTransposed, nvcuda::wmma::col_major, nvcuda::wmma::row_major>;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, kStep, kStep, kStep, bf16, nvcuda::wmma::row_major> a;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, kStep, kStep, kStep, bf16, Order> b;
#pragma unroll
    for (int k = 0; k < 64; k += kStep) {
      nvcuda::wmma::load_matrix_sync(a, left + first_row() * left_pitch + k, left_pitch);
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const int column = first_column() + part * kStep;
        const bf16* const from = kTransposed ? right + column * kSlabPitch + k : right + k * kSlabPitch + column;
        nvcuda::wmma::load_matrix_sync(b, from, kSlabPitch);
        nvcuda::wmma::mma_sync(parts[part], a, b, parts[part]);
      }
    }
  }
  __device__ void write(float* to) const {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      nvcuda::wmma::store_matrix_sync(to + first_row() * kSumPitch + first_column() + part * kStep, parts[part],
                                      kSumPitch, nvcuda::wmma::mem_row_major);
    }
  }
};

// sums[i][j] = own row i . other row j, for up to 32 own rows and a tile of up to 64 others.
__device__ void wide_products(const WideRows& own, const WideRows& others, const WideShared& shared, float* sums) {
  SlabPieces<kWideRows> own_pieces;
  SlabPieces<kWideTile> other_pieces;
  WideSums products;
  for (int column = 0; column < own.d; column += kWideSlab) {
    own_pieces.read(own, column);
    other_pieces.read(others, column);
    __syncthreads();  // the slabs before have been read
    own_pieces.write(shared.own_slab());
    other_pieces.write(shared.other_slab());
    __syncthreads();
    products.add<true>(shared.own_slab(), kSlabPitch, shared.other_slab());
  }
  products.write(sums);
  __syncthreads();
}

// Calls put(row, column, sum of weights[row][j] times other row j) for every column and each of the own rows. Weights
// of others that do not exist must be 0.
template <class Put>
__device__ void wide_sums(const bf16* weights, int own_rows, const WideRows& others, const WideShared& shared,
                          const Put& put) {
  SlabPieces<kWideTile> pieces;
  for (int column = 0; column < others.d; column += kWideSlab) {
    WideSums result;
    for (int first = 0; first < others.count; first += kWideTile) {
      pieces.read(others.from(first), column);
      __syncthreads();  // the slab before has been read, and the weights are there
      pieces.write(shared.other_slab());
      __syncthreads();
      result.add<false>(weights + first, shared.weight_pitch(), shared.other_slab());
    }
    __syncthreads();  // the sums before have been read
    result.write(shared.sums());
    __syncthreads();
    for (int i = threadIdx.x; i < own_rows * kWideSlab; i += kWideThreads) {
      const int row = i / kWideSlab, in_slab = i % kWideSlab;
      if (column + in_slab < others.d) put(row, column + in_slab, shared.sums()[row * kSumPitch + in_slab]);
    }
  }
}

// What a block computes: rows(n) rows from first_row on, of a sentence that has n. `tiles` is the number of blocks that
// share the rows of a sentence and head. Blocks beyond the end of their sentence have no rows.
struct WideWork {
  int sentence, head, first_row;

  __device__ WideWork(const Problem& problem, int tiles) {
    const unsigned place = blockIdx.x / tiles;
    sentence = place / problem.h;
    head = place % problem.h;
    first_row = blockIdx.x % tiles * kWideRows;
  }
  __device__ int rows(int n) const { return min(kWideRows, n - first_row); }
};

// Calls f(row, other) for each of the 32 x 64 numbers of a tile; `other` counts from the tile's first.
template <class F>
__device__ void for_each_product(const F& f) {
  for (int i = threadIdx.x; i < kWideRows * kWideTile; i += kWideThreads) f(i / kWideTile, i % kWideTile);
}

// Computes O and log_sums.
__global__ void __launch_bounds__(kWideThreads)
    attend_wide(Problem problem, Forward<bf16> arrays, int tiles, WideShared shared) {
  const WideWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  const int own_rows = work.rows(sentence.n_q), head = work.head;
  if (own_rows <= 0) return;
  const std::int64_t own_row = sentence.first_query + work.first_row;
  const int first_key = problem.sight.first_key(work.first_row);
  const int keys = max(0, problem.sight.end_key(work.first_row + own_rows - 1, sentence.n_k) - first_key);
  const std::int64_t key_row = sentence.first_key + first_key;
  const WideRows Q(arrays.Q, own_row, own_rows, head, problem.d_k), K(arrays.K, key_row, keys, head, problem.d_k),
      V(arrays.V, key_row, keys, head, problem.d_v);

  // 1. The scores.
  for (int first = 0; first < keys; first += kWideTile) {
    wide_products(Q, K.from(first), shared, shared.sums());
    for_each_product([&](int row, int key) {
      const bool seen =
          row < own_rows && first + key < keys && problem.sight.sees(work.first_row + row, first_key + first + key);
      shared.scores_of_rows()[row * shared.others + first + key] =
          seen ? shared.sums()[row * kSumPitch + key] * problem.scale : -INFINITY;
    });
  }
  __syncthreads();

  // 2. The weights, still to be divided by their sum: a warp has eight rows.
  float* const row_sums = shared.row_numbers();
  const int padded = static_cast<int>(divide_up(keys, kWideTile)) * kWideTile;
  for (int row = threadIdx.x / kWarp; row < kWideRows; row += kWideThreads / kWarp) {
    const float* const scores = shared.scores_of_rows() + row * shared.others;
    float maximum = -INFINITY, sum = 0;
    for (int key = lane(); key < padded; key += kWarp) maximum = fmaxf(maximum, scores[key]);
    maximum = warp_max(maximum);
    for (int key = lane(); key < padded; key += kWarp) {
      const bool seen = scores[key] != -INFINITY;
      const float weight = seen ? expf(scores[key] - maximum) : 0.0f;
      sum += weight;
      const unsigned channel = static_cast<unsigned>(head) * sentence.n_k + first_key + key;
      const float factor = seen ? weight_factor(problem.dropout, own_row + row, channel) : 0.0f;
      shared.weights_of()[row * shared.weight_pitch() + key] = from_float<bf16>(weight * factor);
    }
    sum = warp_sum(sum);
    if (lane() != 0) continue;
    row_sums[row] = sum;
    if (row < own_rows) arrays.log_sums.row(own_row + row)[head] = sum > 0 ? maximum + logf(sum) : -INFINITY;
  }
  __syncthreads();

  // 3. The output.
  wide_sums(shared.weights_of(), own_rows, V, shared, [&](int row, int column, float sum) {
    arrays.O.row(own_row + row)[head * problem.d_v + column] =
        from_float<bf16>(row_sums[row] != 0 ? sum / row_sums[row] : 0.0f);
  });
}

// Computes dQ and the deltas.
__global__ void __launch_bounds__(kWideThreads)
    gradients_of_wide_queries(Problem problem, Backward<bf16> arrays, int tiles, WideShared shared) {
  const WideWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  const int own_rows = work.rows(sentence.n_q), head = work.head, d_v = problem.d_v;
  if (own_rows <= 0) return;
  const std::int64_t own_row = sentence.first_query + work.first_row;
  float *const deltas = shared.row_numbers(0), *const log_sums = shared.row_numbers(1);
  for (int row = threadIdx.x / kWarp; row < own_rows; row += kWideThreads / kWarp) {
    const bf16 *const d_out = arrays.dO.row(own_row + row) + head * d_v, *const out =
                                                                             arrays.O.row(own_row + row) + head * d_v;
    float delta = 0;
    for (int c = lane(); c < d_v; c += kWarp) delta += to_float(d_out[c]) * to_float(out[c]);
    delta = warp_sum(delta);
    if (lane() != 0) continue;
    arrays.deltas.row(own_row + row)[head] = deltas[row] = delta;
    log_sums[row] = arrays.log_sums.row(own_row + row)[head];
  }
  if (arrays.dQ.data == nullptr) return;
  __syncthreads();

  const int first_key = problem.sight.first_key(work.first_row);
  const int keys = max(0, problem.sight.end_key(work.first_row + own_rows - 1, sentence.n_k) - first_key);
  const std::int64_t key_row = sentence.first_key + first_key;
  const WideRows Q(arrays.Q, own_row, own_rows, head, problem.d_k), dO(arrays.dO, own_row, own_rows, head, d_v),
      K(arrays.K, key_row, keys, head, problem.d_k), V(arrays.V, key_row, keys, head, d_v);
  for (int first = 0; first < keys; first += kWideTile) {
    wide_products(Q, K.from(first), shared, shared.sums(0));
    wide_products(dO, V.from(first), shared, shared.sums(1));
    for_each_product([&](int row, int key) {
      const int place = row * kSumPitch + key, number = first_key + first + key;
      const bool seen = row < own_rows && first + key < keys && problem.sight.sees(work.first_row + row, number);
      const unsigned channel = static_cast<unsigned>(head) * sentence.n_k + number;
      const PlainWeight weight(problem, own_row + row, channel, seen, shared.sums(0)[place], shared.sums(1)[place],
                               log_sums[row], deltas[row]);
      shared.weights_of()[row * shared.weight_pitch() + first + key] = from_float<bf16>(weight.d_score);
    });
  }
  wide_sums(shared.weights_of(), own_rows, K, shared, [&](int row, int column, float sum) {
    arrays.dQ.put(own_row + row, head * problem.d_k + column, sum * problem.scale);
  });
}

// Computes dK and dV. Runs after gradients_of_wide_queries, which writes the deltas.
__global__ void __launch_bounds__(kWideThreads)
    gradients_of_wide_keys(Problem problem, Backward<bf16> arrays, int tiles, WideShared shared) {
  const WideWork work(problem, tiles);
  const Sentence sentence(problem, work.sentence);
  const int own_rows = work.rows(sentence.n_k), head = work.head, d_k = problem.d_k, d_v = problem.d_v;
  if (own_rows <= 0) return;
  const std::int64_t own_row = sentence.first_key + work.first_row;
  const int first_query = problem.sight.first_query(work.first_row);
  const int queries = max(0, problem.sight.end_query(work.first_row + own_rows - 1, sentence.n_q) - first_query);
  const std::int64_t query_row = sentence.first_query + first_query;
  const WideRows K(arrays.K, own_row, own_rows, head, d_k), V(arrays.V, own_row, own_rows, head, d_v),
      Q(arrays.Q, query_row, queries, head, d_k), dO(arrays.dO, query_row, queries, head, d_v);
  for (int first = 0; first < queries; first += kWideTile) {
    wide_products(K, Q.from(first), shared, shared.sums(0));
    wide_products(V, dO.from(first), shared, shared.sums(1));
    for_each_product([&](int row, int query) {
      const int place = row * kSumPitch + query, key = work.first_row + row;
      const bool seen =
          row < own_rows && first + query < queries && problem.sight.sees(first_query + first + query, key);
      const std::int64_t its_row = query_row + min(first + query, queries - 1);
      const unsigned channel = static_cast<unsigned>(head) * sentence.n_k + key;
      const PlainWeight weight(problem, its_row, channel, seen, shared.sums(0)[place], shared.sums(1)[place],
                               arrays.log_sums.row(its_row)[head], arrays.deltas.row(its_row)[head]);
      const int to = row * shared.weight_pitch() + first + query;
      shared.weights_of(0)[to] = from_float<bf16>(weight.d_score);
      shared.weights_of(1)[to] = from_float<bf16>(weight.dropped);
    });
  }
  // dK first: if one tensor is used as keys and values, the sink of dV adds to what that of dK has written.
  if (arrays.dK.data != nullptr) {
    wide_sums(shared.weights_of(0), own_rows, Q, shared, [&](int row, int column, float sum) {
      arrays.dK.put(own_row + row, head * d_k + column, sum * problem.scale);
    });
  }
  if (arrays.dV.data != nullptr) {
    wide_sums(shared.weights_of(1), own_rows, dO, shared,
              [&](int row, int column, float sum) { arrays.dV.put(own_row + row, head * d_v + column, sum); });
  }
}

}  // namespace

}  // namespace dragoman::cuda
