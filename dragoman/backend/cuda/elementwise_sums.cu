// The kernels of Elementwise that sum over rows, and over all elements. Step 1 makes partial sums, step 2 adds them.
// The number of partial sums depends on the shape alone, so that the result has the same bits every time.
#include <algorithm>

#include "dragoman/backend/cuda/elementwise.h"
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/runs.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256;

// Sums over rows. The rows are divided into pieces; step 1 sums each piece, step 2 adds the pieces. In step 1 a lane
// owns a run of columns, and the warps of a block take the rows of its piece in turn.
constexpr int kSumWarps = kThreads / kWarp;
constexpr std::int64_t kSumBlocks = 528;    // enough to fill a device: four for each multiprocessor of an H200
constexpr std::int64_t kMinPieceRows = 32;  // a piece has about this many rows, or more

// Step 1. The grid is (columns / (32 kCount), pieces); `rows` is the number of rows per piece.
template <int kCount, class T>
__global__ void __launch_bounds__(kThreads) sum_row_pieces(Matrix<const T> x, std::int64_t rows, float* partial) {
  __shared__ float sums[kSumWarps][kWarp * kCount];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t left = std::int64_t{blockIdx.x} * kWarp * kCount, c = left + lane * kCount;
  const std::int64_t first = blockIdx.y * rows, end = min(x.rows, first + rows);
  float sum[kCount] = {};
  if (c < x.cols) {
#pragma unroll 4
    for (std::int64_t r = first + warp; r < end; r += kSumWarps) {
      const Run<T, kCount> run = run_at<kCount>(x.row(r) + c);
#pragma unroll
      for (int i = 0; i < kCount; ++i) sum[i] += to_float(run.at[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) sums[warp][lane * kCount + i] = sum[i];
  __syncthreads();
  const int column = threadIdx.x;
  if (column >= kWarp * kCount || left + column >= x.cols) return;
  float total = 0;
  for (int w = 0; w < kSumWarps; ++w) total += sums[w][column];
  partial[blockIdx.y * x.cols + left + column] = total;
}

// Step 2, with one block per 32 columns.
constexpr int kColumnThreads = 1024;
template <class G>
__global__ void __launch_bounds__(kColumnThreads)
    add_row_pieces(const float* partial, std::int64_t pieces, std::int64_t cols, SinkRows<G> total) {
  __shared__ float shared[kColumnThreads];
  const std::int64_t c = std::int64_t{blockIdx.x} * kWarp + threadIdx.x % kWarp;
  const float sum = column_sum(partial + c, c < cols ? pieces : 0, cols, shared);
  if (threadIdx.x < kWarp && c < cols) total.put(0, c, sum);
}

template <int kCount, class T>
void launch_row_sums(const Context& on, const Matrix<const T>& x, std::int64_t pieces, float* partial) {
  const Grid grid(divide_up(x.cols, kWarp * kCount), pieces);
  launch(on, sum_row_pieces<kCount, T>, grid, kThreads, 0, x, divide_up(x.rows, pieces), partial);
}

// Sums over all elements, in double. Step 1: the threads of all blocks take the runs in turn, and each block adds the
// sums of its threads. Step 2: one block adds the blocks.
struct Itself {
  __device__ double operator()(double x) const { return x; }
};
struct Square {
  __device__ double operator()(double x) const { return x * x; }
};

template <int kCount, class Term, class T>
__global__ void __launch_bounds__(kThreads) sum_terms(Matrix<const T> x, Term term, double* partial) {
  __shared__ double shared[kThreads / kWarp];
  const std::int64_t runs = x.cols / kCount, index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads;
  double sums[kCount] = {};
  const auto add = [&](const Run<T, kCount>& run) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) sums[i] += term(converted<double>(run.at[i]));
  };
  std::int64_t i = index;
  if (x.rows == 1) {
    const auto run = [&](std::int64_t at) { return run_at<kCount>(x.data + at * kCount); };
    for (; i + 3 * step < runs; i += 4 * step) {  // four loads are under way at once
      const Run<T, kCount> four[] = {run(i), run(i + step), run(i + 2 * step), run(i + 3 * step)};
#pragma unroll
      for (const auto& one : four) add(one);
    }
#pragma unroll 1
    for (; i < runs; i += step) add(run(i));
    const std::int64_t rest = runs * kCount + index;  // the elements after the last whole run
    if (rest < x.cols) sums[0] += term(converted<double>(x.data[rest]));
  } else {
#pragma unroll 1
    for (; i < x.rows * runs; i += step) add(run_at<kCount>(x.row(i / runs) + i % runs * kCount));
  }
#pragma unroll
  for (int j = 1; j < kCount; ++j) sums[0] += sums[j];
  const double total = block_sum(sums[0], shared);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}

__global__ void __launch_bounds__(kColumnThreads)
    add_sums(const double* partial, std::int64_t count, double alpha, double* total, bool accumulates) {
  __shared__ double shared[kColumnThreads / kWarp];
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += kColumnThreads) sum += partial[i];
  sum = alpha * block_sum(sum, shared);
  if (threadIdx.x == 0) *total = accumulates ? *total + sum : sum;
}

template <int kCount, class Term, class T>
void launch_sum(const Context& on, const Matrix<const T>& x, std::int64_t blocks, double* partial) {
  launch(on, sum_terms<kCount, Term, T>, blocks, kThreads, 0, x, Term{}, partial);
}

// total = alpha times the sum of term(x) over all elements.
template <class Term>
void sum_all(const Context& on, const Array& x, double alpha, const Sink& total) {
  constexpr std::int64_t kElementsPerThread = 16;
  const std::int64_t blocks =
      std::clamp<std::int64_t>(divide_up(x.count(), kThreads * kElementsPerThread), 1, 2 * kSumBlocks);
  const ArenaScope scratch(on.arena());
  const Array partial = on.empty({blocks}, DType::kFloat64);
  dispatch_any(x.dtype(), [&]<class T>() {
    constexpr int kCount = 16 / sizeof(T);
    const auto X = flat(matrix<const T>(x)) ? flattened(matrix<const T>(x)) : matrix<const T>(x);
    const bool aligned = reinterpret_cast<std::uintptr_t>(X.data) % 16 == 0;
    if (aligned && (X.rows == 1 || in_runs<kCount>(X))) {
      launch_sum<kCount, Term>(on, X, blocks, elements<double>(partial));
    } else {
      launch_sum<1, Term>(on, X, blocks, elements<double>(partial));
    }
  });
  launch(on, add_sums, 1, kColumnThreads, 0, elements<double>(partial), blocks, alpha, elements<double>(total.array),
         total.accumulates());
}

}  // namespace

void Elementwise::do_sum_rows(const Array& x, Sink total) const {
  dispatch(x.dtype(), [&]<class T>() {
    constexpr int kCount = Pack<T>::kCount;
    const auto X = matrix<const T>(x);
    const bool packed = in_runs<kCount>(X);
    const std::int64_t column_blocks = divide_up(X.cols, kWarp * (packed ? kCount : 1));
    const std::int64_t max_pieces = std::max<std::int64_t>(1, divide_up(X.rows, kMinPieceRows));
    const std::int64_t pieces =
        std::clamp<std::int64_t>(kSumBlocks / std::max<std::int64_t>(1, column_blocks), 1, max_pieces);
    const ArenaScope scratch(arena());
    const Array partial = empty(Shape{pieces, X.cols}, DType::kFloat32);
    if (packed) {
      launch_row_sums<kCount>(*this, X, pieces, elements<float>(partial));
    } else {
      launch_row_sums<1>(*this, X, pieces, elements<float>(partial));
    }
    dispatch(total.array.dtype(), [&]<class G>() {
      launch(*this, add_row_pieces<G>, divide_up(X.cols, kWarp), kColumnThreads, 0, elements<float>(partial), pieces,
             X.cols, sink_rows<G>(total));
    });
  });
}

void Elementwise::do_sum(const Array& x, double alpha, Sink total) const { sum_all<Itself>(*this, x, alpha, total); }

void Elementwise::do_sum_of_squares(const Array& x, Array& total) const {
  sum_all<Square>(*this, x, 1.0, Sink::overwrite(total));
}

}  // namespace dragoman::cuda
