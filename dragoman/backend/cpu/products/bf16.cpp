#include "dragoman/backend/cpu/products/bf16.h"

#include <algorithm>
#include <cstring>

#include "dragoman/backend/cpu/products/interleave.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Values of k that are packed at a time, and lines.
constexpr std::int64_t kChunk = 64, kLines = 32;

void round_all(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = bf16_bits(from[i]);
}

// Calls put(line, k, numbers) for each line and each chunk of k, where `numbers` are kChunk rounded numbers, with zeros
// after K.
template <class Put>
void for_chunks(const Bf16Lines& lines, std::int64_t count, std::int64_t K, const Put& put) {
  alignas(64) float turned[kLines * kChunk];
  alignas(64) std::uint16_t numbers[kChunk];
  for (std::int64_t first = 0; first < count; first += kLines) {
    const std::int64_t some = std::min(kLines, count - first);
    for (std::int64_t k = 0; k < K; k += kChunk) {
      const std::int64_t length = std::min(kChunk, K - k);
      Bf16Lines chunk = lines.from(first, k);
      if (lines.across) {
        interleave_rows<kChunk>(chunk.data, lines.stride, length, some, turned);
        chunk = {turned, kChunk, false};
      }
      if (length < kChunk) std::fill_n(numbers, kChunk, std::uint16_t{0});
      for (std::int64_t i = 0; i < some; ++i) {
        round_all(chunk.data + i * chunk.stride, length, numbers);
        put(first + i, k, numbers);
      }
    }
  }
}

// Writes a chunk of a line into an interleaved panel of `width` lines.
void put_groups(const std::uint16_t* numbers, std::int64_t count, std::int64_t width, std::uint16_t* to) {
  for (std::int64_t k = 0; k < count; k += kBf16.group) {
    std::memcpy(to + k * width, numbers + k, kBf16.group * sizeof *to);
  }
}

// Columns that lie across, two values of k at a time: the pairs of a row of the panel are side by side.
void pack_pairs(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  for (std::int64_t k = 0; k < kBf16.depth(K); k += 2, panel += 2 * kBf16.cols) {
    const float* upper = columns.data + k * columns.stride;
    const float* lower = upper + columns.stride;
    std::uint32_t pairs[kBf16.cols];
    for (std::int64_t c = 0; c < count && k < K; ++c) pairs[c] = bf16_bits(upper[c]);
    for (std::int64_t c = 0; c < count && k + 1 < K; ++c) pairs[c] |= std::uint32_t{bf16_bits(lower[c])} << 16;
    if (k >= K) std::fill_n(pairs, count, 0u);
    std::memcpy(panel, pairs, static_cast<std::size_t>(count) * sizeof *pairs);
  }
}

}  // namespace

void pack_bf16_rows(const Bf16Lines& rows, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  const std::int64_t depth = kBf16.depth(K), height = kBf16.height(count);
  for_chunks(rows, count, K, [&](std::int64_t i, std::int64_t k, const std::uint16_t* numbers) {
    const std::int64_t length = std::min(kChunk, depth - k);
    std::uint16_t* to = panel + kBf16.in_rows(depth, height, i, k);
    if constexpr (kBf16.interleaved) {
      put_groups(numbers, length, height, to);
    } else {
      std::memcpy(to, numbers, static_cast<std::size_t>(length) * sizeof *to);
    }
  });
  if (height > count) {  // a row of zeros
    for (std::int64_t k = 0; k < depth; ++k) panel[kBf16.in_rows(depth, height, count, k)] = 0;
  }
}

void pack_bf16_columns(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  if (columns.across && kBf16.group == 2) return pack_pairs(columns, count, K, panel);
  const std::int64_t depth = kBf16.depth(K);
  for_chunks(columns, count, K, [&](std::int64_t c, std::int64_t k, const std::uint16_t* numbers) {
    put_groups(numbers, std::min(kChunk, depth - k), kBf16.cols, panel + kBf16.in_columns(k, c));
  });
}

void multiply_bf16(const Bf16Rows& A, const std::uint16_t* columns, std::int64_t apart, Matrix<float> C,
                   bool accumulate) {
  alignas(64) float edge[kBf16.rows * kBf16.cols];
  for (std::int64_t left = 0; left < C.cols; left += kBf16.cols, columns += apart) {
    const std::int64_t cols = std::min(kBf16.cols, C.cols - left);
    for (std::int64_t top = 0; top < A.rows; top += kBf16.rows) {
      const std::int64_t rows = std::min(kBf16.rows, A.rows - top), height = kBf16.height(rows);
      const Bf16Panel panel{A.depth, height, A.panels + top * A.depth};
      if (cols == kBf16.cols && rows == height) {
        A.kernel.multiply(panel, columns, C.row(top) + left, C.stride, accumulate);
        continue;
      }
      // At the edges of C the sums are computed in a buffer, and only those that exist are copied.
      for (std::int64_t i = 0; i < rows && accumulate; ++i) {
        std::copy_n(C.row(top + i) + left, cols, edge + i * kBf16.cols);
      }
      A.kernel.multiply(panel, columns, edge, kBf16.cols, accumulate);
      for (std::int64_t i = 0; i < rows; ++i) std::copy_n(edge + i * kBf16.cols, cols, C.row(top + i) + left);
    }
  }
}

void pack_bf16_B(const Product<float>& p, std::int64_t piece, std::uint16_t* packed) {
  const std::int64_t ranges = divide_up(p.K, kPackDepth), k = piece % ranges * kPackDepth;
  const std::int64_t begin = piece / ranges * kPackPanels, end = std::min(panels_of_bf16_B(p), begin + kPackPanels);
  const Bf16Lines columns{p.B.data, p.B.stride, !p.transposed_B};
  for (std::int64_t panel = begin; panel < end; ++panel) {
    const std::int64_t first = panel * kBf16.cols;
    pack_bf16_columns(columns.from(first, k), std::min(kBf16.cols, p.N - first), std::min(kPackDepth, p.K - k),
                      packed + panel * kBf16.depth(p.K) * kBf16.cols + k * kBf16.cols);
  }
}

void multiply_bf16_block(const Bf16Kernel& kernel, const Product<float>& p, const std::uint16_t* packed_B,
                         const Extent& e, Matrix<float> C, bool accumulate) {
  constexpr std::int64_t kRange = 512;  // its rows of A take 128 KiB
  static_assert(kRange % kBf16.padding == 0 && kPackDepth % kBf16.padding == 0);
  alignas(64) std::uint16_t packed_A[kBlockRows * kRange];
  const Matrix<float> block{C.row(e.top) + e.left, e.rows, e.cols, C.stride};
  if (p.K == 0 && !accumulate) {
    for (std::int64_t i = 0; i < e.rows; ++i) std::fill_n(block.row(i), e.cols, 0.0f);
  }
  const std::int64_t apart = kBf16.depth(p.K) * kBf16.cols;
  const Bf16Lines rows{p.A.data, p.A.stride, p.transposed_A};
  for (std::int64_t k = 0; k < p.K; k += kRange) {
    const std::int64_t length = std::min(kRange, p.K - k), depth = kBf16.depth(length);
    for (std::int64_t i = 0; i < e.rows; i += kBf16.rows) {
      pack_bf16_rows(rows.from(e.top + i, k), std::min(kBf16.rows, e.rows - i), length, packed_A + i * depth);
    }
    multiply_bf16({kernel, e.rows, depth, packed_A}, packed_B + e.left / kBf16.cols * apart + k * kBf16.cols, apart,
                  block, accumulate || k > 0);
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
