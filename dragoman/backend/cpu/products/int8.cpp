#include "dragoman/backend/cpu/products/int8.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dragoman/backend/quantise.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

using Floats8 [[gnu::vector_size(32)]] = float;
using Floats8InMemory [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
using Ints8 [[gnu::vector_size(32)]] = std::int32_t;
using Shorts8 [[gnu::vector_size(16)]] = std::int16_t;
using Bytes8 [[gnu::vector_size(8)]] = std::int8_t;

// As LargestMagnitude does it: the bits without the sign are compared as integers.
float largest_magnitude(const float* x, std::int64_t n) {
  Vec<std::int32_t> largest_bits[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes<float> <= n; i += 4 * kLanes<float>) {
    for (std::int64_t j = 0; j < 4; ++j) {
      const auto bits = std::bit_cast<Vec<std::int32_t>>(load(x + i + j * kLanes<float>)) & 0x7FFFFFFF;
      largest_bits[j] = max<std::int32_t>(bits, largest_bits[j]);
    }
  }
  LargestMagnitude largest;
  for (; i < n; ++i) largest.add(x[i]);
  const auto all = max<std::int32_t>(max<std::int32_t>(largest_bits[0], largest_bits[1]),
                                     max<std::int32_t>(largest_bits[2], largest_bits[3]));
  largest.add(std::bit_cast<float>(max_lanes<std::int32_t>(all)));
  return largest.value();
}

// Eight rounded numbers as integers of 16 bits. The caller converts these to 8 bits: from 32 bits to 8 in one step, gcc
// would convert lane by lane.
Shorts8 quantise(Floats8 x, float inverse) {
  return __builtin_convertvector(__builtin_convertvector(Quantiser::rounded(x * inverse), Ints8), Shorts8);
}

// Rounds some groups of eight numbers of a row and writes them to their places in a panel, which are `apart` bytes
// apart. Returns the sum of the integers.
std::int32_t quantise_groups(const float* x, std::int64_t groups, float inverse, std::int64_t apart, std::int8_t* to) {
  Shorts8 sums{};
  for (std::int64_t g = 0; g < groups; ++g, x += 8, to += apart) {
    const Shorts8 q = quantise(*reinterpret_cast<const Floats8InMemory*>(x), inverse);
    const Bytes8 bytes = __builtin_convertvector(q, Bytes8);
    std::memcpy(to, &bytes, sizeof bytes);
    sums += q;
  }
  std::int32_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
}

std::int32_t quantise_all(const float* x, std::int64_t n, float inverse, std::int64_t apart, std::int8_t* to) {
  constexpr std::int64_t kAtOnce = 128;  // the sums of this many groups fit 16 bits
  const std::int64_t whole = n / 8;
  std::int32_t sum = 0;
  for (std::int64_t g = 0; g < whole; g += kAtOnce) {
    sum += quantise_groups(x + g * 8, std::min(kAtOnce, whole - g), inverse, apart, to + g * apart);
  }
  if (whole * 8 == n) return sum;
  float rest[8] = {};
  std::copy(x + whole * 8, x + n, rest);
  return sum + quantise_groups(rest, 1, inverse, apart, to + whole * apart);
}

void clear_groups(std::int64_t groups, std::int64_t apart, std::int8_t* to) {
  for (std::int64_t g = 0; g < groups; ++g) std::memset(to + g * apart, 0, 8);
}

// The scales and biases of the columns of a panel of W, with zeros after the last column.
struct ColumnTerms {
  static constexpr std::int64_t kVectors = kInt8.cols / kLanes<float>;
  Vec<float> scales[kVectors], biases[kVectors];

  ColumnTerms(const float* scale, const float* bias, std::int64_t count) {
    for (std::int64_t v = 0; v < kVectors; ++v) {
      const std::int64_t first = v * kLanes<float>, lanes = std::clamp<std::int64_t>(count - first, 0, kLanes<float>);
      scales[v] = load_some(scale + first, lanes);
      biases[v] = bias == nullptr ? Vec<float>{} : load_some(bias + first, lanes);
    }
  }
};

// Computes rows of y from their sums: sum * (scale of the row * scale of the column) + bias, then ReLU.
template <bool Relu>
void finish_rows(const std::int32_t* sums, std::int64_t rows, const float* row_scales, ColumnTerms columns, float* y,
                 std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r, sums += kInt8.cols, y += stride) {
    for (std::int64_t v = 0; v < ColumnTerms::kVectors; ++v) {
      const Vec<float> sum = __builtin_convertvector(load(sums + v * kLanes<float>), Vec<float>);
      const Vec<float> x = sum * (row_scales[r] * columns.scales[v]) + columns.biases[v];
      store(y + v * kLanes<float>, Relu ? select(x < 0.0f, Vec<float>{}, x) : x);  // a NaN stays a NaN
    }
  }
}

}  // namespace

void quantise_row(Matrix<const float> x, std::int64_t r, const Int8Rows& to) {
  const std::int64_t panel = r / kInt8.rows, i = r % kInt8.rows, height = to.height(panel), groups = to.depth / 8;
  const std::int64_t apart = kInt8.together > 1 ? height * 8 : 8;
  std::int8_t* place = to.panel(panel) + kInt8.in_rows(to.depth, height, i, 0);
  to.sums[r] = 0;
  if (r == x.rows) return clear_groups(groups, apart, place);
  const Quantiser quantiser = Quantiser::for_largest(largest_magnitude(x.row(r), x.cols));
  to.scales[r] = quantiser.scale;
  // All numbers of the row are tiny, or one is not finite and the scale is NaN.
  if (quantiser.inverse == 0) return clear_groups(groups, apart, place);
  to.sums[r] = quantise_all(x.row(r), x.cols, quantiser.inverse, apart, place);
  const std::int64_t written = divide_up(x.cols, 8);
  clear_groups(groups - written, apart, place + written * apart);
}

namespace {

// Multiplies panels [first, end) of x by one panel of W, and writes the columns of y from `left` on. At the right edge
// of y a result is computed in `edge`, and only the columns that exist are copied.
void multiply_panel(const Int8Rows& x, std::int64_t first, std::int64_t end, const std::int8_t* columns,
                    const ColumnTerms& terms, bool relu, std::int64_t left, Matrix<float> y) {
  alignas(64) std::int32_t sums[kInt8.rows * kInt8.cols];
  alignas(64) float edge[kInt8.rows * kInt8.cols];
  const std::int64_t cols = std::min(kInt8.cols, y.cols - left), bytes = x.depth * kInt8.cols;
  const bool whole = cols == kInt8.cols;
  const auto multiply = x.kernel.multiply;
  const auto finish = relu ? finish_rows<true> : finish_rows<false>;
  if (first == 0 && x.rows >= 32) {  // these rows leave enough time to fetch the next panel of W meanwhile
    for (std::int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(columns + bytes + line, 0, 2);
  }
  for (std::int64_t i = first; i < end; ++i) {
    const std::int64_t top = i * kInt8.rows, rows = std::min(kInt8.rows, x.rows - top);
    multiply({x.depth, x.height(i), x.panel(i), x.sums + top}, columns, sums);
    finish(sums, rows, x.scales + top, terms, whole ? y.row(top) + left : edge, whole ? y.stride : kInt8.cols);
    for (std::int64_t r = 0; r < rows && !whole; ++r) std::copy_n(edge + r * kInt8.cols, cols, y.row(top + r) + left);
  }
}

}  // namespace

void multiply_int8(const Int8Rows& x, const PackedMatrix& W, std::int64_t panel, const float* b, bool relu,
                   Matrix<float> y) {
  const std::int64_t apart = x.depth * kInt8.cols, panels = divide_up(x.rows, kInt8.rows);
  const std::int8_t* columns = W.panels.data<std::int8_t>() + panel * apart;
  const float* scales = W.scales.data<float>() + panel * kInt8.cols;
  // Three loops: ranges of columns whose panels fit the second-level cache; within these, panels of rows that fit the
  // first-level cache together with a panel of columns; within these, the panels of columns.
  // K may be 0, hence the + 1 in the divisions.
  constexpr std::int64_t kFirstLevelBytes = 32 << 10, kSecondLevelBytes = 256 << 10;
  const std::int64_t row_panels_at_once = std::max<std::int64_t>(1, kFirstLevelBytes / (x.depth * kInt8.rows + 1));
  const std::int64_t cols_at_once = std::max<std::int64_t>(1, kSecondLevelBytes / (apart + 1)) * kInt8.cols;
  for (std::int64_t begin = 0; begin < y.cols; begin += cols_at_once) {
    for (std::int64_t i = 0; i < panels; i += row_panels_at_once) {
      for (std::int64_t left = begin; left < std::min(y.cols, begin + cols_at_once); left += kInt8.cols) {
        const ColumnTerms terms(scales + left, b == nullptr ? nullptr : b + left, std::min(kInt8.cols, y.cols - left));
        multiply_panel(x, i, std::min(panels, i + row_panels_at_once), columns + left / kInt8.cols * apart, terms, relu,
                       left, y);
      }
    }
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
