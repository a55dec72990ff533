// The kernels of Norm for batch normalisation.
//
// Sums over the rows of a column have two steps. First a block takes a chunk of kChunk rows and a tile of kTile
// columns: thread t owns column t % kTile of the tile and the rows t / kTile, t / kTile + kThreads / kTile, and so on
// of the chunk. Then the chunks are joined as a tree, by a block for each tile of columns (join_chunks), or added
// (sum_rows). How rows are divided depends on the shape alone, so the same batch gives the same bits.
//
// Shared memory:  float [kThreads], the sums of the threads in the first step.
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/norm.h"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256, kTile = 32, kChunk = 128;

// The sum of x over the threads of a column of the tile, returned to each of them. Adds the upper half of the threads
// to the lower half, then the upper quarter to the lower one, and so on.
__device__ float tile_total(float x, float* shared) {
  const int t = threadIdx.x;
  __syncthreads();  // the threads have read what an earlier call left here
  shared[t] = x;
  for (int half = kThreads / 2; half >= kTile; half /= 2) {
    __syncthreads();
    if (t < half) shared[t] += shared[t + half];
  }
  __syncthreads();
  return shared[t % kTile];
}

// The column of this thread, and its rows of the chunk.
struct ChunkWork {
  std::int64_t column, first, end;
  static constexpr int kStep = kThreads / kTile;

  __device__ ChunkWork(std::int64_t rows, std::int64_t cols)
      : column(std::int64_t{blockIdx.y} * kTile + threadIdx.x % kTile),
        first(std::int64_t{blockIdx.x} * kChunk + threadIdx.x / kTile),
        end(column < cols ? min(rows, (std::int64_t{blockIdx.x} + 1) * kChunk) : 0) {}
};
Grid chunk_grid(const Array& x) { return {divide_up(x.rows(), kChunk), divide_up(x.cols(), kTile)}; }

// means and squares [chunks, d]: the mean of each chunk, and the sum of (x - mean)^2. The second pass over the rows
// finds them in the cache.
template <class T>
__global__ void __launch_bounds__(kThreads)
    chunk_moments(Matrix<const T> x, Matrix<float> means, Matrix<float> squares) {
  __shared__ float shared[kThreads];
  const ChunkWork work(x.rows, x.cols);
  const std::int64_t rows = min(x.rows - std::int64_t{blockIdx.x} * kChunk, std::int64_t{kChunk});
  float sum = 0;
  for (std::int64_t r = work.first; r < work.end; r += ChunkWork::kStep) sum += to_float(x.row(r)[work.column]);
  const float mean = tile_total(sum, shared) / static_cast<float>(rows);
  float square = 0;
  for (std::int64_t r = work.first; r < work.end; r += ChunkWork::kStep) {
    const float apart = to_float(x.row(r)[work.column]) - mean;
    square += apart * apart;
  }
  square = tile_total(square, shared);
  if (threadIdx.x >= kTile || work.column >= x.cols) return;
  means.row(blockIdx.x)[work.column] = mean;
  squares.row(blockIdx.x)[work.column] = square;
}

// Joins the moments of m more rows to those of n rows.
__device__ void join_moments(float n, float& mean, float& square, float m, float other_mean, float other_square) {
  const float share = m / (n + m), apart = other_mean - mean;
  mean += apart * share;
  square += other_square + apart * apart * n * share;
}

// The chunks become row 0 of means and squares: first each second chunk is joined to the one before it, then each
// second pair to the pair before it, and so on. Thread t owns column t % kTile of the tile, and the threads of a column
// take the pairs in turn.
constexpr int kJoinThreads = 1024;
__global__ void __launch_bounds__(kJoinThreads) join_chunks(Matrix<float> means, Matrix<float> squares, std::int64_t R,
                                                            std::int64_t padding, float* mean, float* variance) {
  const std::int64_t c = std::int64_t{blockIdx.x} * kTile + threadIdx.x % kTile, chunks = means.rows;
  const bool has_column = c < means.cols;
  for (std::int64_t size = 1; size < chunks; size *= 2) {
    for (std::int64_t pair = threadIdx.x / kTile; has_column; pair += kJoinThreads / kTile) {
      const std::int64_t left = 2 * size * pair, right = left + size;
      if (right >= chunks) break;
      const std::int64_t rows = min(R - right * kChunk, size * kChunk);
      join_moments(static_cast<float>(size * kChunk), means.row(left)[c], squares.row(left)[c],
                   static_cast<float>(rows), means.row(right)[c], squares.row(right)[c]);
    }
    __syncthreads();
  }
  if (threadIdx.x >= kTile || !has_column) return;
  float of_all = chunks > 0 ? means.row(0)[c] : 0.0f, square = chunks > 0 ? squares.row(0)[c] : 0.0f;
  if (padding > 0) join_moments(static_cast<float>(R), of_all, square, static_cast<float>(padding), 0, 0);
  mean[c] = of_all;
  variance[c] = square / static_cast<float>(R + padding);
}

struct BatchMoments {
  const float *mean, *variance;
  float eps;

  __device__ float rstd(std::int64_t c) const { return rsqrtf(variance[c] + eps); }
};

// A thread for each column of a tile, going through the rows of a chunk.
template <class T>
__global__ void __launch_bounds__(kThreads)
    normalise_columns(Matrix<const T> x, BatchMoments moments, const float* gamma, const float* beta, Matrix<T> y) {
  const ChunkWork work(x.rows, x.cols);
  const std::int64_t c = work.column;
  if (c >= x.cols) return;
  const float mean = moments.mean[c], rstd = moments.rstd(c), g = gamma[c], b = beta[c];
#pragma unroll 4
  for (std::int64_t r = work.first; r < work.end; r += ChunkWork::kStep) {
    y.row(r)[c] = from_float<T>(g * ((to_float(x.row(r)[c]) - mean) * rstd) + b);
  }
}

// sums and sums_n [chunks, d]: the sums of dy and of dy n over the rows of each chunk.
template <class T>
__global__ void __launch_bounds__(kThreads) chunk_gradients(Matrix<const T> dy, Matrix<const T> x, BatchMoments moments,
                                                            Matrix<float> sums, Matrix<float> sums_n) {
  __shared__ float shared[kThreads];
  const ChunkWork work(x.rows, x.cols);
  const std::int64_t c = work.column;
  const bool has_column = c < x.cols;
  const float mean = has_column ? moments.mean[c] : 0, rstd = has_column ? moments.rstd(c) : 0;
  float sum = 0, sum_n = 0;
  for (std::int64_t r = work.first; r < work.end; r += ChunkWork::kStep) {
    const float d = to_float(dy.row(r)[c]);
    sum += d;
    sum_n += d * ((to_float(x.row(r)[c]) - mean) * rstd);
  }
  sum = tile_total(sum, shared);
  sum_n = tile_total(sum_n, shared);
  if (threadIdx.x >= kTile || !has_column) return;
  sums.row(blockIdx.x)[c] = sum;
  sums_n.row(blockIdx.x)[c] = sum_n;
}

// dx = gamma rstd (dy - share (sum + n sum_n)), where share is 1 / N or 0.
template <class T, class G>
__global__ void __launch_bounds__(kThreads)
    column_gradients(Matrix<const T> dy, Matrix<const T> x, BatchMoments moments, const float* gamma, const float* sums,
                     const float* sums_n, float share, SinkRows<G> dx) {
  const ChunkWork work(x.rows, x.cols);
  const std::int64_t c = work.column;
  if (c >= x.cols) return;
  const float mean = moments.mean[c], rstd = moments.rstd(c), factor = gamma[c] * rstd, sum = sums[c],
              sum_n = sums_n[c];
#pragma unroll 4
  for (std::int64_t r = work.first; r < work.end; r += ChunkWork::kStep) {
    const float n = (to_float(x.row(r)[c]) - mean) * rstd;
    dx.put(r, c, factor * (to_float(dy.row(r)[c]) - share * (sum + n * sum_n)));
  }
}

__global__ void move_running(const float* mean, const float* variance, std::int64_t d, float unbiased, float share,
                             float* running_mean, float* running_variance) {
  const std::int64_t c = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (c >= d || !isfinite(mean[c]) || !isfinite(variance[c])) return;
  running_mean[c] = (1 - share) * running_mean[c] + share * mean[c];
  running_variance[c] = (1 - share) * running_variance[c] + share * unbiased * variance[c];
}

BatchMoments batch_moments(const Array& mean, const Array& variance, double eps) {
  return {elements<const float>(mean), elements<const float>(variance), static_cast<float>(eps)};
}

}  // namespace

void Norm::do_batch_statistics(const Array& x, std::int64_t padding, Array& mean, Array& variance) const {
  const ArenaScope scratch(arena());
  const Array means = empty({divide_up(x.rows(), kChunk), x.cols()}, DType::kFloat32), squares = empty_like(means);
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, chunk_moments<T>, chunk_grid(x), kThreads, 0, matrix<const T>(x), matrix<float>(means),
           matrix<float>(squares));
  });
  launch(*this, join_chunks, divide_up(x.cols(), kTile), kJoinThreads, 0, matrix<float>(means), matrix<float>(squares),
         x.rows(), padding, elements<float>(mean), elements<float>(variance));
}

void Norm::do_batch_norm(const Array& x, const Array& mean, const Array& variance, const Array& gamma,
                         const Array& beta, double eps, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, normalise_columns<T>, chunk_grid(x), kThreads, 0, matrix<const T>(x),
           batch_moments(mean, variance, eps), elements<const float>(gamma), elements<const float>(beta), matrix<T>(y));
  });
}

void Norm::do_batch_norm_backward(const Array& dy, const Array& x, const Array& mean, const Array& variance,
                                  const Array& gamma, double eps, std::int64_t N, Sink dx, Sink dgamma,
                                  Sink dbeta) const {
  const std::int64_t d = x.cols();
  const BatchMoments moments = batch_moments(mean, variance, eps);
  const ArenaScope scratch(arena());
  const Array chunk_sums = empty({divide_up(x.rows(), kChunk), d}, DType::kFloat32),
              chunk_sums_n = empty_like(chunk_sums);
  const Array sums = empty({d}, DType::kFloat32), sums_n = empty({d}, DType::kFloat32);
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, chunk_gradients<T>, chunk_grid(x), kThreads, 0, matrix<const T>(dy), matrix<const T>(x), moments,
           matrix<float>(chunk_sums), matrix<float>(chunk_sums_n));
    sum_rows(chunk_sums, Sink::overwrite(sums));
    sum_rows(chunk_sums_n, Sink::overwrite(sums_n));
    if (!dx.wanted()) return;
    dispatch(dx.array.dtype(), [&]<class G>() {
      const double share = N > 0 ? 1 / static_cast<double>(N) : 0;
      launch(*this, column_gradients<T, G>, chunk_grid(x), kThreads, 0, matrix<const T>(dy), matrix<const T>(x),
             moments, elements<const float>(gamma), elements<const float>(sums), elements<const float>(sums_n), share,
             sink_rows<G>(dx));
    });
  });
  if (dgamma.wanted()) scaled(sums_n, 1.0, dgamma);
  if (dbeta.wanted()) scaled(sums, 1.0, dbeta);
}

void Norm::do_update_running_statistics(const Array& mean, const Array& variance, std::int64_t N, double share,
                                        const Array& running_mean, const Array& running_variance) const {
  const double unbiased = N > 1 ? static_cast<double>(N) / static_cast<double>(N - 1) : 1;
  launch(*this, move_running, divide_up(mean.count(), kThreads), kThreads, 0, elements<const float>(mean),
         elements<const float>(variance), mean.count(), unbiased, share, elements<float>(running_mean),
         elements<float>(running_variance));
}

}  // namespace dragoman::cuda
