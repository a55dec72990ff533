// The kernels of Elementwise that take and place whole rows.
#include <algorithm>

#include "dragoman/backend/cuda/elementwise.h"
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/runs.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256;

// OneRow and RowsOfTakers say which rows of x are added to make row r of the result: row(r, k) for all k in
// [first(r), end(r)). RowIndex explains `taken`, `starts` and `takers`.
struct OneRow {  // y[i] = x[taken[i]]
  const std::int32_t* taken;
  __device__ std::int32_t first(std::int64_t) const { return 0; }
  __device__ std::int32_t end(std::int64_t) const { return 1; }
  __device__ std::int32_t row(std::int64_t i, std::int32_t) const { return taken[i]; }
};
struct RowsOfTakers {  // dx[r] = sum of dy[i] over the i that took row r
  const std::int32_t *starts, *takers;
  __device__ std::int32_t first(std::int64_t r) const { return starts[r]; }
  __device__ std::int32_t end(std::int64_t r) const { return starts[r + 1]; }
  __device__ std::int32_t row(std::int64_t, std::int32_t k) const { return takers[k]; }
};

// y[r] = the sum of the rows that `from` names, or y[r] += that sum. One thread per run of kCount elements of y.
template <int kCount, class From, class T, class G>
__global__ void __launch_bounds__(kThreads)
    sum_named_rows(Matrix<const T> x, From from, Matrix<G> y, bool accumulates) {
  const std::int64_t runs = y.cols / kCount, index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= y.rows * runs) return;
  const std::int64_t r = index / runs, c = (index - r * runs) * kCount;
  float sum[kCount] = {};
  for (std::int32_t k = from.first(r); k < from.end(r); ++k) {
    const Run<T, kCount> run = run_at<kCount>(x.row(from.row(r, k)) + c);
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum[i] += to_float(run.at[i]);
  }
  Run<G, kCount> out{};
  if (accumulates) out = run_at<kCount>(y.row(r) + c);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    out.at[i] = from_float<G>(accumulates ? to_float(out.at[i]) + sum[i] : sum[i]);
  }
  *reinterpret_cast<Run<G, kCount>*>(y.row(r) + c) = out;
}

template <int kCount, class From, class T, class G>
void launch_sum(const Context& on, const Matrix<const T>& x, const From& from, const Matrix<G>& y, bool accumulates) {
  const auto blocks = divide_up(y.rows * (y.cols / kCount), kThreads);
  launch(on, sum_named_rows<kCount, From, T, G>, blocks, kThreads, 0, x, from, y, accumulates);
}

template <class From>
void sum_into(const Context& on, const Array& x, const From& from, const Sink& y) {
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(y.array.dtype(), [&]<class G>() {
      constexpr int kCount = static_cast<int>(16 / std::max(sizeof(T), sizeof(G)));
      const auto X = matrix<const T>(x);
      const auto Y = matrix<G>(y.array);
      if (in_runs<kCount>(X) && in_runs<kCount>(Y)) return launch_sum<kCount>(on, X, from, Y, y.accumulates());
      launch_sum<1>(on, X, from, Y, y.accumulates());
    });
  });
}

// y[rows[r]] = x[r]. Rows of any element type are copied as units of type U, one thread per unit.
template <class U>
__global__ void place_kernel(const U* x, std::int64_t x_stride, const std::int32_t* rows, U* y, std::int64_t y_stride,
                             std::int64_t count, std::int64_t units) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= count * units) return;
  const std::int64_t r = index / units, c = index - r * units;
  y[rows[r] * y_stride + c] = x[r * x_stride + c];
}

template <class U>
void place(const Context& on, const Array& x, const Array& rows, const Array& y) {
  const auto size = static_cast<std::int64_t>(size_of(x.dtype())), unit = static_cast<std::int64_t>(sizeof(U));
  const std::int64_t units = x.cols() * size / unit;
  launch(on, place_kernel<U>, Grid(divide_up(x.rows() * units, 256)), 256, 0, static_cast<const U*>(x.raw()),
         x.row_stride() * size / unit, elements<const std::int32_t>(rows), static_cast<U*>(y.raw()),
         y.row_stride() * size / unit, x.rows(), units);
}

bool in_units(const Array& x, std::int64_t unit) {
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  return x.cols() * size % unit == 0 && x.row_stride() * size % unit == 0 &&
         reinterpret_cast<std::uintptr_t>(x.raw()) % static_cast<std::uintptr_t>(unit) == 0;
}

}  // namespace

void Elementwise::do_take_rows(const Array& x, const RowIndex& index, Sink y) const {
  sum_into(*this, x, OneRow{elements<const std::int32_t>(index.taken)}, y);
}

void Elementwise::do_take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const {
  const RowsOfTakers from{elements<const std::int32_t>(index.starts), elements<const std::int32_t>(index.takers)};
  sum_into(*this, dy, from, dx);
}

void Elementwise::do_place_rows(const Array& x, const Array& rows, const Array& y) const {
  if (in_units(x, 16) && in_units(y, 16)) return place<uint4>(*this, x, rows, y);
  if (size_of(x.dtype()) == 4) return place<std::uint32_t>(*this, x, rows, y);
  if (size_of(x.dtype()) == 2) return place<std::uint16_t>(*this, x, rows, y);
  throw ShapeError(join("place_rows: a CUDA device does not support rows of ", x.dtype(), " that are not aligned"));
}

}  // namespace dragoman::cuda
