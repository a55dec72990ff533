#include <algorithm>

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256;

// Neighbouring elements that are moved at once, 16 bytes or less.
template <class T, int kCount>
struct alignas(kCount * sizeof(T)) Run {
  static_assert(kCount * sizeof(T) <= 16);
  T at[kCount];
};
template <int kCount, class T>
__device__ Run<T, kCount> run_at(const T* place) {
  return *reinterpret_cast<const Run<T, kCount>*>(place);
}

// Calls f.operator()<T>() with any floating-point element type.
template <class F>
void dispatch_any(DType dtype, const F& f) {
  if (dtype == DType::kFloat64) return f.template operator()<double>();
  dispatch(dtype, f);
}

template <class To, class From>
__device__ To converted(From x) {
  if constexpr (std::is_same_v<From, bf16>) {
    return converted<To>(to_float(x));
  } else if constexpr (std::is_same_v<To, bf16>) {
    return from_float<bf16>(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

// What an element of T is computed in.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class C>
struct Constant {
  C value;
  __device__ C operator()(C) const { return value; }
};
template <class C>
struct Multiple {
  C factor;
  __device__ C operator()(C x) const { return factor * x; }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Positive {
  __device__ float operator()(float x) const { return x < 0 ? 0 : x; }
};
struct Gate {
  __device__ float operator()(float dy, float y) const { return y > 0 ? dy : 0; }
};

template <int kCount, class F, class To, class... From>
__device__ void put_run(const F& f, To* y, bool accumulates, const Run<From, kCount>&... x) {
  using C = Computed<To>;
  Run<To, kCount> out{};
  if (accumulates) out = run_at<kCount>(y);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const C value = f(converted<C>(x.at[i])...);
    out.at[i] = converted<To>(accumulates ? converted<C>(out.at[i]) + value : value);
  }
  *reinterpret_cast<Run<To, kCount>*>(y) = out;
}

// y = f(x...), or y += f(x...) if it accumulates, for every element; a run a thread.
template <int kCount, class F, class To, class... From>
__global__ void __launch_bounds__(kThreads) map_runs(F f, Matrix<To> y, bool accumulates, Matrix<const From>... x) {
  const std::int64_t runs = y.cols / kCount, index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= y.rows * runs) return;
  const std::int64_t r = index / runs, c = (index - r * runs) * kCount;
  put_run<kCount>(f, y.row(r) + c, accumulates, run_at<kCount>(x.row(r) + c)...);
}

template <class T>
bool flat(const Matrix<T>& x) {
  return x.stride == x.cols || x.rows <= 1;
}
template <class T>
Matrix<T> flattened(const Matrix<T>& x) {
  return {x.data, 1, x.rows * x.cols, x.rows * x.cols};
}
template <int kCount, class T>
bool in_runs(const Matrix<T>& x) {
  return x.cols % kCount == 0 && (x.stride % kCount == 0 || x.rows <= 1) &&
         reinterpret_cast<std::uintptr_t>(x.data) % (kCount * sizeof(T)) == 0;
}

template <int kCount, class F, class To, class... From>
void launch_map(const CudaBackend& on, const F& f, const Matrix<To>& y, bool accumulates,
                const Matrix<const From>&... x) {
  void (*kernel)(F, Matrix<To>, bool, Matrix<const From>...) = map_runs<kCount, F, To, From...>;
  const auto blocks = static_cast<unsigned>(divide_up(y.rows * (y.cols / kCount), kThreads));
  launch(on, kernel, blocks, kThreads, 0, f, y, accumulates, x...);
}

// The same on the host: over one long row if no array has gaps, and as many elements at once as all arrays allow.
template <class F, class To, class... From>
void map(const CudaBackend& on, const F& f, const Matrix<To>& y, bool accumulates, const Matrix<const From>&... x) {
  if (y.rows > 1 && flat(y) && (flat(x) && ...)) return map(on, f, flattened(y), accumulates, flattened(x)...);
  constexpr int kCount = static_cast<int>(16 / std::max({sizeof(To), sizeof(From)...}));
  if (in_runs<kCount>(y) && (in_runs<kCount>(x) && ...)) return launch_map<kCount>(on, f, y, accumulates, x...);
  launch_map<1>(on, f, y, accumulates, x...);
}

// An eight of channels a thread.
template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) drop_eights(Matrix<const T> x, DropoutMask mask, SinkRows<T> y) {
  const std::int64_t eights = divide_up(x.cols, 8), index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= x.rows * eights) return;
  const std::int64_t r = index / eights, group = index - r * eights;
  const Eight<T> values = load_eight<kPacked>(x.row(r), 8 * group, x.cols);
  const Philox4 words = mask.words(r, static_cast<std::uint32_t>(group));
  Eight<float> kept;
#pragma unroll
  for (int i = 0; i < 8; ++i) kept.at[i] = mask.factor(words, i) * values[i];
  put_eight<kPacked>(kept, y, r, 8 * group, x.cols);
}

// A square tile a block, turned round in shared memory so that both matrices are read along their rows.
constexpr int kTile = 32, kTileWarps = 8;
template <class T>
__global__ void __launch_bounds__(kTile* kTileWarps) transpose_tiles(Matrix<const T> x, SinkRows<T> y) {
  __shared__ float tile[kTile][kTile + 1];
  const int lane = threadIdx.x % kTile, warp = threadIdx.x / kTile;
  const std::int64_t across = divide_up(x.cols, kTile);
  const std::int64_t top = blockIdx.x / across * kTile, left = blockIdx.x % across * kTile;
  for (int i = warp; i < kTile; i += kTileWarps) {
    if (top + i < x.rows && left + lane < x.cols) tile[i][lane] = to_float(x.row(top + i)[left + lane]);
  }
  __syncthreads();
  for (int i = warp; i < kTile; i += kTileWarps) {
    if (left + i < x.cols && top + lane < x.rows) y.put(left + i, top + lane, tile[lane][i]);
  }
}

// Sums of columns: the rows of each piece first, then the pieces. A lane owns a run of columns, the rows of a piece go
// round the warps. How rows fall into pieces depends on the shape alone; there are enough blocks to fill a device.
constexpr int kSumWarps = kThreads / kWarp;
constexpr std::int64_t kSumBlocks = 528, kRowsOfAPiece = 32;

template <int kCount, class T>
__global__ void __launch_bounds__(kThreads) sum_row_pieces(Matrix<const T> x, std::int64_t rows, float* partial) {
  __shared__ float sums[kSumWarps][kWarp * kCount];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t left = std::int64_t{blockIdx.x} * kWarp * kCount, c = left + lane * kCount;
  const std::int64_t first = blockIdx.y * rows, last = min(x.rows, first + rows);
  float sum[kCount] = {};
  if (c < x.cols) {
#pragma unroll 4
    for (std::int64_t r = first + warp; r < last; r += kSumWarps) {
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
void launch_row_sums(const CudaBackend& on, const Matrix<const T>& x, std::int64_t pieces, float* partial) {
  const dim3 grid(static_cast<unsigned>(divide_up(x.cols, kWarp * kCount)), static_cast<unsigned>(pieces));
  launch(on, sum_row_pieces<kCount, T>, grid, kThreads, 0, x, divide_up(x.rows, pieces), partial);
}

// Sums of everything, in double: each block adds what its threads come past, then one block adds the blocks.
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
    for (; i + 3 * step < runs; i += 4 * step) {  // four are on their way at once
      const Run<T, kCount> four[] = {run(i), run(i + step), run(i + 2 * step), run(i + 3 * step)};
#pragma unroll
      for (const auto& one : four) add(one);
    }
#pragma unroll 1
    for (; i < runs; i += step) add(run(i));
    const std::int64_t rest = runs * kCount + index;  // elements that make no whole run
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
void launch_sum(const CudaBackend& on, const Matrix<const T>& x, std::int64_t blocks, double* partial) {
  launch(on, sum_terms<kCount, Term, T>, static_cast<unsigned>(blocks), kThreads, 0, x, Term{}, partial);
}

// total = alpha times the sum of term(x) over all elements.
template <class Term>
void sum_all(const CudaBackend& on, const Array& x, double alpha, const Sink& total) {
  if (!total.wanted()) return;
  require<ShapeError>(total.array.count() == 1, "sum: the sum of an array of shape ", x.shape(), " is ",
                      total.array.shape());
  constexpr std::int64_t kElementsOfAThread = 16;
  const std::int64_t blocks =
      std::clamp<std::int64_t>(divide_up(x.count(), kThreads * kElementsOfAThread), 1, 2 * kSumBlocks);
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

void check_same(const char* op, const Array& x, const Array& y) {
  require<ShapeError>(same_extents(x, y), op, ": x is ", x.shape(), " but y is ", y.shape());
}

}  // namespace

void CudaBackend::fill(Array& x, double value) const {
  dispatch_any(x.dtype(), [&]<class T>() {
    using C = Computed<T>;
    map(*this, Constant<C>{static_cast<C>(value)}, matrix<T>(x), false, matrix<const T>(x));  // which nothing reads
  });
}

void CudaBackend::scaled(const Array& x, double alpha, Sink y) const {
  if (!y.wanted()) return;
  check_same("scaled", x, y.array);
  dispatch_any(x.dtype(), [&]<class From>() {
    dispatch_any(y.array.dtype(), [&]<class To>() {
      using C = Computed<To>;
      map(*this, Multiple<C>{static_cast<C>(alpha)}, matrix<To>(y.array), y.accumulates(), matrix<const From>(x));
    });
  });
}

void CudaBackend::add(const Array& a, const Array& b, Array& y) const {
  require<ShapeError>(same_extents(a, b) && same_extents(a, y), "add: a is ", a.shape(), ", b ", b.shape(), ", y ",
                      y.shape());
  dispatch(a.dtype(),
           [&]<class T>() { map(*this, Sum{}, matrix<T>(y), false, matrix<const T>(a), matrix<const T>(b)); });
}

void CudaBackend::add_bias(const Array& x, const Array& b, Array& y) const {
  check_same("add_bias", x, y);
  require<ShapeError>(b.count() == x.cols(), "add_bias: x is ", x.shape(), " but b is ", b.shape());
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(b.dtype(), [&]<class B>() {
      const Matrix<const B> in_every_row{elements<const B>(b), x.rows(), x.cols(), 0};
      map(*this, Sum{}, matrix<T>(y), false, matrix<const T>(x), in_every_row);
    });
  });
}

void CudaBackend::sum_rows(const Array& x, Sink total) const {
  if (!total.wanted()) return;
  require<ShapeError>(total.array.count() == x.cols(), "sum_rows: x is ", x.shape(), " but its sum is ",
                      total.array.shape());
  dispatch(x.dtype(), [&]<class T>() {
    constexpr int kCount = Pack<T>::kCount;
    const auto X = matrix<const T>(x);
    const bool packed = in_runs<kCount>(X);
    const std::int64_t across = divide_up(X.cols, kWarp * (packed ? kCount : 1));
    const std::int64_t most = std::max<std::int64_t>(1, divide_up(X.rows, kRowsOfAPiece));
    const std::int64_t pieces = std::clamp<std::int64_t>(kSumBlocks / std::max<std::int64_t>(1, across), 1, most);
    const ArenaScope scratch(arena());
    const Array partial = empty(Shape{pieces, X.cols}, DType::kFloat32);
    if (packed) {
      launch_row_sums<kCount>(*this, X, pieces, elements<float>(partial));
    } else {
      launch_row_sums<1>(*this, X, pieces, elements<float>(partial));
    }
    dispatch(total.array.dtype(), [&]<class G>() {
      launch(*this, add_row_pieces<G>, static_cast<unsigned>(divide_up(X.cols, kWarp)), kColumnThreads, 0,
             elements<float>(partial), pieces, X.cols, sink_rows<G>(total));
    });
  });
}

void CudaBackend::relu(const Array& x, Array& y) const {
  check_same("relu", x, y);
  dispatch(x.dtype(), [&]<class T>() { map(*this, Positive{}, matrix<T>(y), false, matrix<const T>(x)); });
}

void CudaBackend::relu_backward(const Array& dy, const Array& y, Sink dx) const {
  if (!dx.wanted()) return;
  require<ShapeError>(same_extents(dy, y) && same_extents(dy, dx.array), "relu_backward: dy is ", dy.shape(), ", y ",
                      y.shape(), ", dx ", dx.array.shape());
  dispatch(dy.dtype(), [&]<class T>() {
    map(*this, Gate{}, matrix<T>(dx.array), dx.accumulates(), matrix<const T>(dy), matrix<const T>(y));
  });
}

void CudaBackend::dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const {
  if (!dropout.on()) return scaled(x, 1, y);
  if (!y.wanted()) return;
  check_same("dropout", x, y.array);
  require<ShapeError>(segments.R == x.rows(), "dropout: x is ", x.shape(), " but the segments have ", segments.R,
                      " rows");
  const auto blocks = static_cast<unsigned>(divide_up(x.rows() * divide_up(x.cols(), 8), kThreads));
  const bool packed = in_eights({&x, &y.array});
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, packed ? drop_eights<true, T> : drop_eights<false, T>, blocks, kThreads, 0, matrix<const T>(x),
           dropout_mask(dropout, segments), sink_rows<T>(y));
  });
}

void CudaBackend::transpose(const Array& x, Sink y) const {
  if (!y.wanted()) return;
  require<ShapeError>(x.rows() == y.array.cols() && x.cols() == y.array.rows(), "transpose: x is ", x.shape(),
                      " but y is ", y.array.shape());
  const auto blocks = static_cast<unsigned>(divide_up(x.rows(), kTile) * divide_up(x.cols(), kTile));
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, transpose_tiles<T>, blocks, kTile * kTileWarps, 0, matrix<const T>(x), sink_rows<T>(y));
  });
}

void CudaBackend::sum(const Array& x, double alpha, Sink total) const { sum_all<Itself>(*this, x, alpha, total); }

void CudaBackend::sum_of_squares(const Array& x, Array& total) const {
  sum_all<Square>(*this, x, 1.0, Sink::overwrite(total));
}

}  // namespace dragoman::cuda
