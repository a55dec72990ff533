#include "dragoman/backend/cpu/int8.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dragoman/backend/quantise.h"

namespace dragoman::cpu {

namespace {

using Floats8 [[gnu::vector_size(32)]] = float;
using Floats8InMemory [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
using Ints8 [[gnu::vector_size(32)]] = std::int32_t;
using Bytes8 [[gnu::vector_size(8)]] = std::int8_t;

float largest_magnitude(const float* x, std::int64_t n) {
  Vec<std::int32_t> most[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes<float> <= n; i += 4 * kLanes<float>) {
    for (std::int64_t j = 0; j < 4; ++j) {
      const auto bits = std::bit_cast<Vec<std::int32_t>>(load(x + i + j * kLanes<float>)) & 0x7FFFFFFF;
      most[j] = max<std::int32_t>(bits, most[j]);
    }
  }
  LargestMagnitude largest;
  for (; i < n; ++i) largest.add(x[i]);
  const auto all = max<std::int32_t>(max<std::int32_t>(most[0], most[1]), max<std::int32_t>(most[2], most[3]));
  largest.add(std::bit_cast<float>(max_lanes<std::int32_t>(all)));
  return largest.value();
}

// Eight integers, and adds them up.
Bytes8 quantise(Floats8 x, float inverse, Ints8& sums) {
  const Ints8 q = __builtin_convertvector(Quantiser::rounded(x * inverse), Ints8);
  sums += q;
  return __builtin_convertvector(q, Bytes8);
}

// One row into its place in a panel: eight bytes, then `apart` bytes on. Returns the sum of its integers.
std::int32_t quantise_row(const float* x, std::int64_t n, float inverse, std::int64_t apart, std::int8_t* to) {
  Ints8 sums{};
  std::int64_t k = 0;
  for (; k + kInt8Group <= n; k += kInt8Group, to += apart) {
    const Bytes8 q = quantise(*reinterpret_cast<const Floats8InMemory*>(x + k), inverse, sums);
    std::memcpy(to, &q, sizeof q);
  }
  if (k < n) {
    Floats8 rest{};
    std::memcpy(&rest, x + k, static_cast<std::size_t>(n - k) * sizeof(float));
    const Bytes8 q = quantise(rest, inverse, sums);
    std::memcpy(to, &q, sizeof q);
  }
  std::int32_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += sums[i];
  return sum;
}

void clear_row(std::int64_t groups, std::int64_t apart, std::int8_t* to) {
  for (std::int64_t g = 0; g < groups; ++g) std::memset(to + g * apart, 0, kInt8Group);
}

// The columns of a panel of W: their scales and biases as vectors, zeros beyond the last column.
struct ColumnTerms {
  float scales[kInt8Cols], biases[kInt8Cols];

  ColumnTerms(const float* scale, const float* bias, std::int64_t count) {
    for (std::int64_t c = 0; c < kInt8Cols; ++c) {
      scales[c] = c < count ? scale[c] : 0;
      biases[c] = c < count && bias != nullptr ? bias[c] : 0;
    }
  }
};

// One row of a tile from its sums.
void finish_row(const std::int32_t* sums, float row_scale, const ColumnTerms& columns, bool relu, float* y) {
  for (std::int64_t c = 0; c < kInt8Cols; c += kLanes<float>) {
    const Vec<float> sum = __builtin_convertvector(load(sums + c), Vec<float>);
    Vec<float> v = sum * (row_scale * load(columns.scales + c)) + load(columns.biases + c);
    if (relu) v = v < 0.0f ? Vec<float>{} : v;  // NaN stays
    store(y + c, v);
  }
}

}  // namespace

void quantise_panel(Matrix<const float> x, std::int64_t panel, const Int8Rows& to) {
  const std::int64_t height = to.height(panel), apart = height * kInt8Group;
  for (std::int64_t i = 0; i < height; ++i) {
    const std::int64_t r = panel * kInt8Rows + i;
    std::int8_t* place = to.panel(panel) + i * kInt8Group;
    if (r >= x.rows) {
      clear_row(to.groups, apart, place);
      continue;
    }
    const Quantiser quantiser = Quantiser::for_largest(largest_magnitude(x.row(r), x.cols));
    to.scales[r] = quantiser.scale;
    to.sums[r] = 0;
    if (quantiser.inverse == 0) {
      clear_row(to.groups, apart, place);
    } else {
      to.sums[r] = quantise_row(x.row(r), x.cols, quantiser.inverse, apart, place);
    }
  }
}

void multiply_int8(const Int8Rows& x, const PackedMatrix& W, std::int64_t panel, const float* b, bool relu,
                   Matrix<float> y) {
  const Int8Body& body = int8_body();
  const std::int8_t* columns = W.panels.data<std::int8_t>() + panel * x.groups * kInt8Group * kInt8Cols;
  const float* scales = W.scales.data<float>() + panel * kInt8Cols;
  alignas(64) std::int32_t sums[kInt8Rows * kInt8Cols];
  alignas(64) float edge[kInt8Cols];
  for (std::int64_t left = 0; left < y.cols; left += kInt8Cols, columns += x.groups * kInt8Group * kInt8Cols) {
    const std::int64_t cols = std::min(kInt8Cols, y.cols - left);
    const ColumnTerms terms(scales + left, b == nullptr ? nullptr : b + left, cols);
    for (std::int64_t top = 0; top < x.rows; top += kInt8Rows) {
      const std::int64_t i = top / kInt8Rows;
      body.multiply(x.groups, x.height(i), x.panel(i), x.sums + top, columns, sums);
      for (std::int64_t r = top; r < std::min(x.rows, top + kInt8Rows); ++r) {
        float* to = cols == kInt8Cols ? y.row(r) + left : edge;
        finish_row(sums + (r - top) * kInt8Cols, x.scales[r], terms, relu, to);
        if (to == edge) std::copy_n(edge, cols, y.row(r) + left);
      }
    }
  }
}

}  // namespace dragoman::cpu
