// Matrix products and linear layers: cuBLASLt through Products, with small kernels for dropout and the ReLU's gradient.
#include "dragoman/backend/cuda/matmul.h"

#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/products.h"

namespace dragoman::cuda {

namespace {

// The fallback for sums without terms, and for shapes and alignments that cuBLASLt has no algorithm for. (cuBLASLt 13
// has one for all that were tried; older versions did not read bfloat16 rows that start at odd addresses.) One thread
// per element.
template <class T, class D>
__global__ void plain_product(Matrix<const T> A, bool transpose_A, Matrix<const T> B, bool transpose_B, Matrix<D> C,
                              std::int64_t k, bool accumulate, const T* bias, bool relu) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= C.rows * C.cols) return;
  const std::int64_t r = at / C.cols, c = at % C.cols;
  float sum = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    sum += to_float(transpose_A ? A.row(i)[r] : A.row(r)[i]) * to_float(transpose_B ? B.row(c)[i] : B.row(i)[c]);
  }
  D& place = C.row(r)[c];
  if (accumulate) sum += to_float(place);
  if (bias != nullptr) sum += to_float(bias[c]);
  if (relu) sum = fmaxf(sum, 0.0f);
  place = from_float<D>(sum);
}

void run(const Context& on, const Product& p) {
  const std::int64_t k = p.transpose_A == Transpose::kYes ? p.A.rows() : p.A.cols();
  require<ShapeError>(p.A.dtype() == p.B.dtype(), "a product needs equal element types, but A is ", p.A.dtype(), " ",
                      p.A.shape(), " and B is ", p.B.dtype(), " ", p.B.shape());
  if (p.C.count() == 0) return;
  if (k > 0) {
    if (on.products().run(p)) return;
    on.products().report_slow_product(p);
  }
  dispatch(p.A.dtype(), [&]<class T>() {
    dispatch(p.C.dtype(), [&]<class D>() {
      launch(on, plain_product<T, D>, Grid(divide_up(p.C.count(), 256)), 256, 0, matrix<const T>(p.A),
             p.transpose_A == Transpose::kYes, matrix<const T>(p.B), p.transpose_B == Transpose::kYes, matrix<D>(p.C),
             k, p.accumulate, elements<const T>(p.bias), p.relu);
    });
  });
}

// Multiplies y by the dropout factors, in place. One thread per eight channels, which is one random draw.
template <class T>
__global__ void drop(Matrix<T> y, DropoutMask mask) {
  const std::int64_t groups = divide_up(y.cols, 8);
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= y.rows * groups) return;
  const std::int64_t r = at / groups, group = at % groups;
  const Philox4 words = mask.words(r, static_cast<std::uint32_t>(group));
  T* row = y.row(r) + 8 * group;
  const int count = static_cast<int>(min(static_cast<std::int64_t>(8), y.cols - 8 * group));
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (i < count) row[i] = from_float<T>(to_float(row[i]) * mask.factor(words, i));
  }
}

// A block of mask_by_relu handles kMaskColumns columns: each warp reads 256 columns of a row at once, eight per lane.
constexpr int kMaskColumns = 256, kMaskWarps = 8;

// Turns dy, in place, into the gradient before the ReLU: dy * scale where y is positive, otherwise 0. If `partial`
// [row blocks, columns] is not null, it gets the sums of the columns over the rows of each block. The grid is
// (columns / 256, rows / rows_per_block).
template <class T, bool kPacks>
__global__ void mask_by_relu(Matrix<T> dy, Matrix<const T> y, float scale, std::int64_t rows_per_block,
                             float* partial) {
  __shared__ float sums[kMaskWarps][kMaskColumns];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kMaskColumns + 8 * lane;
  const std::int64_t first = blockIdx.y * rows_per_block, end = min(dy.rows, first + rows_per_block);
  float sum[8] = {};
  for (std::int64_t r = first + warp; r < end; r += kMaskWarps) {
    T* d = dy.row(r) + column;
    const T* value = y.row(r) + column;
    if constexpr (kPacks) {
      if (column >= dy.cols) continue;
      constexpr int kCount = Pack<T>::kCount;
#pragma unroll
      for (int part = 0; part < 8 / kCount; ++part) {
        auto& packed = reinterpret_cast<Pack<T>*>(d)[part];
        Pack<T> gradient = packed;
        const Pack<T> values = reinterpret_cast<const Pack<T>*>(value)[part];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float kept = to_float(values.at[i]) > 0 ? to_float(gradient.at[i]) * scale : 0.0f;
          gradient.at[i] = from_float<T>(kept);
          sum[part * kCount + i] += kept;
        }
        packed = gradient;
      }
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if (column + i >= dy.cols) continue;
        const float kept = to_float(value[i]) > 0 ? to_float(d[i]) * scale : 0.0f;
        d[i] = from_float<T>(kept);
        sum[i] += kept;
      }
    }
  }
  if (partial == nullptr) return;
#pragma unroll
  for (int i = 0; i < 8; ++i) sums[warp][8 * lane + i] = sum[i];
  __syncthreads();
  const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * kMaskColumns + threadIdx.x;
  if (threadIdx.x >= kMaskColumns || own >= dy.cols) return;
  float total = 0;
  for (int w = 0; w < kMaskWarps; ++w) total += sums[w][threadIdx.x];
  partial[blockIdx.y * dy.cols + own] = total;
}

}  // namespace

void Matmul::do_matmul(const Array& A, Transpose transpose_A, const Array& B, Transpose transpose_B, Sink C) const {
  run(*this, {.A = A,
              .B = B,
              .C = C.array,
              .transpose_A = transpose_A,
              .transpose_B = transpose_B,
              .accumulate = C.accumulates()});
}

void Matmul::do_linear(const Array& x, const Array& W, const Array& b, const Activation& activation, Array& y) const {
  run(*this, {.A = x, .B = W, .C = y, .bias = b, .relu = activation.relu});
  if (!activation.dropout.on()) return;
  dispatch(y.dtype(), [&]<class T>() {
    const std::int64_t groups = y.rows() * divide_up(y.cols(), 8);
    launch(*this, drop<T>, Grid(divide_up(groups, 256)), 256, 0, matrix<T>(y),
           dropout_mask(activation.dropout, activation.segments));
  });
}

void Matmul::do_linear_backward(Array& dy, const Array& x, const Array& W, const Array& y, const Activation& activation,
                                Sink dx, Sink dW, Sink db) const {
  if (activation.relu) {
    const ArenaScope scratch(arena());
    const std::int64_t column_blocks = divide_up(dy.cols(), kMaskColumns);
    // About two thousand blocks, whatever the shape.
    const std::int64_t rows_per_block =
        std::max<std::int64_t>(kMaskWarps, divide_up(dy.rows() * column_blocks, 2048 * kMaskWarps) * kMaskWarps);
    const std::int64_t row_blocks = divide_up(dy.rows(), rows_per_block);
    const Array partial =
        db.wanted() ? empty({std::max<std::int64_t>(1, row_blocks), dy.cols()}, DType::kFloat32) : Array();
    const auto scale = static_cast<float>(activation.dropout.on() ? activation.dropout.scale() : 1.0);
    dispatch(dy.dtype(), [&]<class T>() {
      const bool packs = packable<T>({&dy, &y}) && dy.cols() % 8 == 0;
      launch(*this, packs ? mask_by_relu<T, true> : mask_by_relu<T, false>, Grid(column_blocks, row_blocks),
             kMaskWarps * kWarp, 0, matrix<T>(dy), matrix<const T>(y), scale, rows_per_block, elements<float>(partial));
    });
    if (db.wanted()) sum_rows(partial.row_range(0, row_blocks), db);
  } else if (db.wanted()) {
    sum_rows(dy, db);
  }
  matmul(dy, Transpose::kNo, W, Transpose::kYes, dx);
  matmul(x, Transpose::kYes, dy, Transpose::kNo, dW);
}

}  // namespace dragoman::cuda
