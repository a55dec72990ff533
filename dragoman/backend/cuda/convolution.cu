// The kernels of convolutional networks. All of them are limited by memory: one thread computes eight neighbouring
// columns of a row, which it loads and stores at once where the arrays allow it (see load_eight).
#include "dragoman/backend/cuda/convolution.h"

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 128;

// Calls body(r, first) for the thread's columns [first, first + 8) of row r, in a matrix of `cols` columns.
template <class Body>
__device__ void at_own_eight(std::int64_t rows, std::int64_t cols, const Body& body) {
  const std::int64_t eights = divide_up(cols, 8), index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= rows * eights) return;
  const std::int64_t r = index / eights;
  body(r, 8 * (index - r * eights));
}
std::int64_t blocks_for(std::int64_t rows, std::int64_t cols) { return divide_up(rows * divide_up(cols, 8), kThreads); }

// Rows of taps side by side, k matrices of d columns each. In an array of k d columns, tap j has the columns from j d
// on; they start at an aligned address if d is a multiple of 8.
bool taps_in_eights(const Array& x, const Array& unfolded) { return in_eights({&x, &unfolded}); }

// One thread per eight columns of every tap.
template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads)
    unfold_rows_kernel(Matrix<const T> x, const std::int32_t* position, Taps taps, Matrix<T> y) {
  at_own_eight(x.rows * taps.k, x.cols, [&](std::int64_t row_and_tap, std::int64_t first) {
    const std::int64_t r = row_and_tap / taps.k, j = row_and_tap - r * taps.k, offset = taps.offset(j);
    Eight<T> values{};
    if (in_same_sentence(position, r, offset, x.rows)) values = load_eight<kPacked>(x.row(r + offset), first, x.cols);
    store_eight<kPacked>(values, y.row(r) + j * x.cols, first, x.cols);
  });
}

// One thread per eight columns of dx: it adds what the taps that read them received, in the order of the taps.
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads)
    unfold_rows_backward_kernel(Matrix<const T> dy, const std::int32_t* position, Taps taps, std::int64_t d,
                                SinkRows<G> dx) {
  at_own_eight(dy.rows, d, [&](std::int64_t r, std::int64_t first) {
    Eight<float> sum{};
    for (std::int64_t j = 0; j < taps.k; ++j) {
      const std::int64_t reader = -taps.offset(j);
      if (!in_same_sentence(position, r, reader, dy.rows)) continue;
      const Eight<T> values = load_eight<kPacked>(dy.row(r + reader) + j * d, first, d);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum.at[i] += values[i];
    }
    put_eight<kPacked>(sum, dx, r, first, d);
  });
}

// One thread per eight columns of every tap. The thread of the last tap, which is the new token, also stores it. No row
// reads the cell of another row's new token, so no thread reads what another one writes.
template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads)
    unfold_cells_kernel(Matrix<const T> x, Matrix<const std::int32_t> cells, const std::int32_t* lengths, Taps taps,
                        Matrix<T> stored, Matrix<T> y) {
  at_own_eight(x.rows * taps.k, x.cols, [&](std::int64_t row_and_tap, std::int64_t first) {
    const std::int64_t r = row_and_tap / taps.k, j = row_and_tap - r * taps.k, token = lengths[r] + taps.offset(j);
    const bool is_new = j + 1 == taps.k;
    Eight<T> values{};
    if (is_new) {
      values = load_eight<kPacked>(x.row(r), first, x.cols);
    } else if (token >= 0) {
      values = load_eight<kPacked>(stored.row(cells.row(r)[token]), first, x.cols);
    }
    store_eight<kPacked>(values, y.row(r) + j * x.cols, first, x.cols);
    if (is_new) store_eight<kPacked>(values, stored.row(cells.row(r)[token]), first, x.cols);
  });
}

// y[r] = the sum over taps j of w[j] times the row of x that tap j of r reads, or (direction -1) whose tap j reads r,
// element by element. One thread per eight columns of y.
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads)
    weigh_rows_kernel(Matrix<const T> x, const std::int32_t* position, Taps taps, Matrix<const T> w, int direction,
                      SinkRows<G> y) {
  at_own_eight(x.rows, x.cols, [&](std::int64_t r, std::int64_t first) {
    Eight<float> sum{};
    for (std::int64_t j = 0; j < taps.k; ++j) {
      const std::int64_t offset = direction * taps.offset(j);
      if (!in_same_sentence(position, r, offset, x.rows)) continue;
      const Eight<T> values = load_eight<kPacked>(x.row(r + offset), first, x.cols),
                     weights = load_eight<kPacked>(w.row(j), first, x.cols);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum.at[i] += weights[i] * values[i];
    }
    put_eight<kPacked>(sum, y, r, first, x.cols);
  });
}

// The sums of a depthwise convolution's weights over some rows. A block has 32 columns of one tap and kSumRows rows;
// each of its warps adds every kSumWarps-th row, and warp 0 adds the sums of the warps in order. The grid is (columns
// / 32, taps, rows / kSumRows), and partial is [rows / kSumRows, taps * columns].
constexpr int kSumWarps = 8, kSumRows = 256;
template <class T>
__global__ void __launch_bounds__(kSumWarps* kWarp)
    tap_weight_sums_kernel(Matrix<const T> dy, Matrix<const T> x, const std::int32_t* position, Taps taps,
                           float* partial) {
  __shared__ float sums[kSumWarps][kWarp];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t column = std::int64_t{blockIdx.x} * kWarp + lane, j = blockIdx.y, offset = taps.offset(j);
  const std::int64_t first = std::int64_t{blockIdx.z} * kSumRows, end = min(x.rows, first + kSumRows);
  float sum = 0;
  for (std::int64_t r = first + warp; r < end && column < x.cols; r += kSumWarps) {
    if (!in_same_sentence(position, r, offset, x.rows)) continue;
    sum += to_float(dy.row(r)[column]) * to_float(x.row(r + offset)[column]);
  }
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || column >= x.cols) return;
  float total = 0;
  for (int other = 0; other < kSumWarps; ++other) total += sums[other][lane];
  partial[(blockIdx.z * taps.k + j) * x.cols + column] = total;
}

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) glu_kernel(Matrix<const T> x, Matrix<T> y) {
  at_own_eight(y.rows, y.cols, [&](std::int64_t r, std::int64_t first) {
    const Eight<T> a = load_eight<kPacked>(x.row(r), first, y.cols),
                   b = load_eight<kPacked>(x.row(r) + y.cols, first, y.cols);
    const Eight<float> gated = eight_of([&](int i) { return a[i] * sigmoid(b[i]); });
    store_eight<kPacked>(rounded_to<T>(gated), y.row(r), first, y.cols);
  });
}

template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads) glu_backward_kernel(Matrix<const T> dy, Matrix<const T> x, SinkRows<G> dx) {
  const std::int64_t c = dy.cols;
  at_own_eight(dy.rows, c, [&](std::int64_t r, std::int64_t first) {
    const Eight<T> d = load_eight<kPacked>(dy.row(r), first, c), a = load_eight<kPacked>(x.row(r), first, c),
                   b = load_eight<kPacked>(x.row(r) + c, first, c);
    const Eight<float> gate = eight_of([&](int i) { return sigmoid(b[i]); });
    put_eight<kPacked>(eight_of([&](int i) { return d[i] * gate[i]; }), dx, r, first, c);
    put_eight<kPacked>(eight_of([&](int i) { return d[i] * a[i] * gate[i] * (1 - gate[i]); }),
                       SinkRows<G>{dx.data + c, dx.stride, dx.accumulates}, r, first, c);
  });
}

template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads)
    scaled_sum_kernel(Matrix<const T> a, Matrix<const T> b, float alpha, Matrix<T> y) {
  at_own_eight(y.rows, y.cols, [&](std::int64_t r, std::int64_t first) {
    const Eight<T> left = load_eight<kPacked>(a.row(r), first, y.cols),
                   right = load_eight<kPacked>(b.row(r), first, y.cols);
    const Eight<float> sum = eight_of([&](int i) { return alpha * (left[i] + right[i]); });
    store_eight<kPacked>(rounded_to<T>(sum), y.row(r), first, y.cols);
  });
}

// The sentences of a batch: row r belongs to sentence number[r] - first_number, which has the rows from its offset to
// the next one.
struct Sentences {
  const std::int32_t *number, *offsets;
  std::int32_t first_number;

  __device__ float rows_of(std::int64_t r) const {
    const std::int32_t b = number[r] - first_number;
    return static_cast<float>(offsets[b + 1] - offsets[b]);
  }
};

template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kThreads)
    scale_by_root_length_kernel(Matrix<const T> x, Sentences sentences, float alpha, SinkRows<G> y) {
  at_own_eight(x.rows, x.cols, [&](std::int64_t r, std::int64_t first) {
    const Eight<T> values = load_eight<kPacked>(x.row(r), first, x.cols);
    const float factor = alpha * sqrtf(sentences.rows_of(r));
    put_eight<kPacked>(eight_of([&](int i) { return factor * values[i]; }), y, r, first, x.cols);
  });
}

}  // namespace

void Convolution::do_unfold_rows(const Array& x, const Segments& segments, const Taps& taps, Array& y) const {
  const bool packed = taps_in_eights(x, y);
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, packed ? unfold_rows_kernel<true, T> : unfold_rows_kernel<false, T>,
           blocks_for(x.rows() * taps.k, x.cols()), kThreads, 0, matrix<const T>(x),
           elements<const std::int32_t>(segments.position), taps, matrix<T>(y));
  });
}

void Convolution::do_unfold_rows_backward(const Array& dy, const Segments& segments, const Taps& taps, Sink dx) const {
  const bool packed = taps_in_eights(dx.array, dy);
  const std::int64_t d = dx.array.cols();
  dispatch(dy.dtype(), [&]<class T>() {
    dispatch(dx.array.dtype(), [&]<class G>() {
      launch(*this, packed ? unfold_rows_backward_kernel<true, T, G> : unfold_rows_backward_kernel<false, T, G>,
             blocks_for(dy.rows(), d), kThreads, 0, matrix<const T>(dy),
             elements<const std::int32_t>(segments.position), taps, d, sink_rows<G>(dx));
    });
  });
}

void Convolution::do_unfold_cells(const Array& x, const Array& cells, const Array& lengths, const Taps& taps,
                                  const Array& stored, Array& y) const {
  const bool packed = taps_in_eights(x, y) && in_eights({&stored});
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, packed ? unfold_cells_kernel<true, T> : unfold_cells_kernel<false, T>,
           blocks_for(x.rows() * taps.k, x.cols()), kThreads, 0, matrix<const T>(x), matrix<const std::int32_t>(cells),
           elements<const std::int32_t>(lengths), taps, matrix<T>(stored), matrix<T>(y));
  });
}

void Convolution::do_depthwise(const Array& x, const Segments& segments, const Taps& taps, const Array& w,
                               Array& y) const {
  const bool packed = in_eights({&x, &w, &y});
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, packed ? weigh_rows_kernel<true, T, T> : weigh_rows_kernel<false, T, T>,
           blocks_for(x.rows(), x.cols()), kThreads, 0, matrix<const T>(x),
           elements<const std::int32_t>(segments.position), taps, matrix<const T>(w), 1,
           sink_rows<T>(Sink::overwrite(y)));
  });
}

void Convolution::do_depthwise_backward(const Array& dy, const Array& x, const Segments& segments, const Taps& taps,
                                        const Array& w, Sink dx, Sink dw) const {
  const auto* position = elements<const std::int32_t>(segments.position);
  const std::int64_t R = x.rows(), d = x.cols();
  if (dx.wanted()) {
    const bool packed = in_eights({&dy, &w, &dx.array});
    dispatch(dy.dtype(), [&]<class T>() {
      dispatch(dx.array.dtype(), [&]<class G>() {
        launch(*this, packed ? weigh_rows_kernel<true, T, G> : weigh_rows_kernel<false, T, G>, blocks_for(R, d),
               kThreads, 0, matrix<const T>(dy), position, taps, matrix<const T>(w), -1, sink_rows<G>(dx));
      });
    });
  }
  if (!dw.wanted()) return;
  const ArenaScope scratch(arena());
  const std::int64_t parts = divide_up(R, kSumRows);
  const Array partial = empty({parts, taps.k * d}, DType::kFloat32);
  dispatch(x.dtype(), [&]<class T>() {
    const Grid grid(divide_up(d, kWarp), taps.k, parts);
    launch(*this, tap_weight_sums_kernel<T>, grid, kSumWarps * kWarp, 0, matrix<const T>(dy), matrix<const T>(x),
           position, taps, elements<float>(partial));
  });
  for (std::int64_t j = 0; j < taps.k; ++j) {
    sum_rows(partial.columns(j * d, d), {dw.array.row_range(j, 1), dw.write});
  }
}

void Convolution::do_glu(const Array& x, Array& y) const {
  const bool packed = in_eights({&x, &y});
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, packed ? glu_kernel<true, T> : glu_kernel<false, T>, blocks_for(y.rows(), y.cols()), kThreads, 0,
           matrix<const T>(x), matrix<T>(y));
  });
}

void Convolution::do_glu_backward(const Array& dy, const Array& x, Sink dx) const {
  const bool packed = in_eights({&dy, &x, &dx.array});
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(dx.array.dtype(), [&]<class G>() {
      launch(*this, packed ? glu_backward_kernel<true, T, G> : glu_backward_kernel<false, T, G>,
             blocks_for(dy.rows(), dy.cols()), kThreads, 0, matrix<const T>(dy), matrix<const T>(x), sink_rows<G>(dx));
    });
  });
}

void Convolution::do_scaled_sum(const Array& a, const Array& b, double alpha, Array& y) const {
  const bool packed = in_eights({&a, &b, &y});
  dispatch(a.dtype(), [&]<class T>() {
    launch(*this, packed ? scaled_sum_kernel<true, T> : scaled_sum_kernel<false, T>, blocks_for(y.rows(), y.cols()),
           kThreads, 0, matrix<const T>(a), matrix<const T>(b), static_cast<float>(alpha), matrix<T>(y));
  });
}

void Convolution::do_scale_by_root_length(const Array& x, const Segments& segments, double alpha, Sink y) const {
  const bool packed = in_eights({&x, &y.array});
  const Sentences sentences{elements<const std::int32_t>(segments.sentence),
                            elements<const std::int32_t>(segments.offsets), segments.first_sentence};
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(y.array.dtype(), [&]<class G>() {
      launch(*this, packed ? scale_by_root_length_kernel<true, T, G> : scale_by_root_length_kernel<false, T, G>,
             blocks_for(x.rows(), x.cols()), kThreads, 0, matrix<const T>(x), sentences, static_cast<float>(alpha),
             sink_rows<G>(y));
    });
  });
}

}  // namespace dragoman::cuda
