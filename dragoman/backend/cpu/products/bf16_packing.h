// Rounds lines of float32 to bfloat16 and packs them into panels of rows or columns (common/panel_layout.h). The layout
// is a template parameter, so that each is tested on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "dragoman/backend/cpu/common/bf16_kernels.h"
#include "dragoman/backend/cpu/products/interleave.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

// Rows of op(A) or columns of op(B): element k of line i is data[i * stride + k] or, if they lie across,
// data[k * stride + i].
struct Bf16Lines {
  const float* data;
  std::int64_t stride;
  bool across;

  Bf16Lines from(std::int64_t line, std::int64_t k) const {
    return {data + (across ? k * stride + line : line * stride + k), stride, across};
  }
};

namespace bf16 {

constexpr std::int64_t kChunk = 64, kLines = 32;  // values of k and lines that are packed at a time
constexpr std::int64_t kPairs = kChunk / 2;

using Half = VecOf<std::uint16_t, kVectorBytes / 2>;

// bf16_bits() of each lane. Processors with AMX for bfloat16 have an instruction for it, in vectors of 64 bytes; it
// makes zeros of denormal numbers, as AMX does when it multiplies them.
inline Half::Type rounded(Vec<float> x) {
#if defined(__AVX512F__)
  Half::Type numbers;
  asm("vcvtneps2bf16 %1, %0" : "=v"(numbers) : "v"(x));  // the flags of the body do not allow its intrinsic
  return numbers;
#else
  const auto bits = std::bit_cast<Vec<std::uint32_t>>(x);
  const Vec<std::uint32_t> nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16, quiet = bits >> 16 | 0x40;
  return __builtin_convertvector((bits & 0x7FFFFFFF) > 0x7F800000 ? quiet : nearest, Half::Type);
#endif
}

inline void round_line(const float* from, std::int64_t count, std::uint16_t* to) {
  for_lanes<float>(
      count, [&](std::int64_t i) { *reinterpret_cast<Half::InMemory*>(to + i) = rounded(load(from + i)); },
      [&](std::int64_t i, std::int64_t) {
        for (; i < count; ++i) to[i] = bf16_bits(from[i]);
      });
}

// The numbers k and k + 1 of lines that lie across, side by side as the bits of one float, because floats are what can
// be transposed. Numbers from K on are zero.
inline void round_pairs(const Bf16Lines& lines, std::int64_t count, std::int64_t k, std::int64_t K, float* pairs) {
  const float* first = lines.data + k * lines.stride;
  const auto widened = [](Vec<float> x) { return __builtin_convertvector(rounded(x), Vec<std::uint32_t>); };
  if (k + 1 < K) {
    const auto pair = [&](Vec<float> a, Vec<float> b) {
      return std::bit_cast<Vec<float>>(widened(a) | widened(b) << 16);
    };
    map_vectors(count, pairs, pair, first, first + lines.stride);
  } else if (k < K) {
    map_vectors(
        count, pairs, [&](Vec<float> a) { return std::bit_cast<Vec<float>>(widened(a)); }, first);
  } else {
    std::fill_n(pairs, count, 0.0f);
  }
}

// Fetches `count` numbers that are packed a little later: lines are too short and too far apart for the processor to
// foresee them.
inline void fetch(const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += 16) __builtin_prefetch(from + i);
}
constexpr std::int64_t kLinesAhead = 4, kValuesAhead = 16;

// Calls put(line, k, numbers) for each line and each chunk of k, where `numbers` are kChunk rounded numbers, with zeros
// after K.
template <class Put>
void for_chunks(const Bf16Lines& lines, std::int64_t count, std::int64_t K, const Put& put) {
  alignas(64) float pairs[kPairs * kLines], turned[kLines * kPairs];
  alignas(64) std::uint16_t numbers[kChunk] = {};
  for (std::int64_t k = 0; k < K; k += kChunk) {
    const std::int64_t length = std::min(kChunk, K - k);
    for (std::int64_t first = 0; first < count; first += kLines) {
      const std::int64_t some = std::min(kLines, count - first);
      const Bf16Lines chunk = lines.from(first, k);
      if (lines.across) {
        for (std::int64_t pair = 0; pair < kPairs; ++pair) {
          if (2 * pair + kChunk < K - k) {
            fetch(chunk.data + (2 * pair + kChunk) * chunk.stride, kLines);
            fetch(chunk.data + (2 * pair + kChunk + 1) * chunk.stride, kLines);
          }
          round_pairs(chunk, some, 2 * pair, length, pairs + pair * kLines);
        }
        interleave_rows<kPairs>(pairs, kLines, kPairs, some, turned);
      }
      for (std::int64_t i = 0; i < some; ++i) {
        if (lines.across) {
          std::memcpy(numbers, turned + i * kPairs, sizeof numbers);
        } else {
          if (i + kLinesAhead < some) fetch(chunk.data + (i + kLinesAhead) * chunk.stride, length);
          round_line(chunk.data + i * chunk.stride, length, numbers);
          std::fill(numbers + length, numbers + kChunk, std::uint16_t{0});
        }
        put(first + i, k, numbers);
      }
    }
  }
}

// Writes a chunk of a line into a panel in which the groups of `width` lines lie side by side.
template <std::int64_t Group>
void put_groups(const std::uint16_t* numbers, std::int64_t count, std::int64_t width, std::uint16_t* to) {
  for (std::int64_t k = 0; k < count; k += Group) std::memcpy(to + k * width, numbers + k, Group * sizeof *to);
}

// Columns that lie across, in groups of two: the pairs of a row of the panel are side by side.
template <PanelLayout Layout>
void pack_pairs(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  alignas(64) float pairs[Layout.cols];
  for (std::int64_t k = 0; k < Layout.depth(K); k += 2) {
    if (k + kValuesAhead + 1 < K) {
      fetch(columns.data + (k + kValuesAhead) * columns.stride, Layout.cols);
      fetch(columns.data + (k + kValuesAhead + 1) * columns.stride, Layout.cols);
    }
    if (count == Layout.cols) {  // the usual case, with a number of columns that the compiler knows
      round_pairs(columns, Layout.cols, k, K, pairs);
      std::memcpy(panel + k * Layout.cols, pairs, sizeof pairs);
    } else {
      round_pairs(columns, count, k, K, pairs);
      std::memcpy(panel + k * Layout.cols, pairs, static_cast<std::size_t>(count) * sizeof *pairs);
    }
  }
}

// Columns that lie along, in groups of two: their pairs are transposed as a matrix of 32-bit numbers.
template <PanelLayout Layout>
void transpose_pairs(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  alignas(64) std::uint16_t numbers[Layout.cols * kChunk] = {};
  alignas(64) float pairs[Layout.cols * kPairs], turned[kPairs * Layout.cols] = {};
  for (std::int64_t k = 0; k < K; k += kChunk) {
    const std::int64_t length = std::min(kChunk, K - k), depth = Layout.depth(length);
    for (std::int64_t c = 0; c < count; ++c) {
      if (c + kLinesAhead < count) fetch(columns.data + (c + kLinesAhead) * columns.stride + k, length);
      round_line(columns.data + c * columns.stride + k, length, numbers + c * kChunk);
      std::fill(numbers + c * kChunk + length, numbers + c * kChunk + depth, std::uint16_t{0});
    }
    std::memcpy(pairs, numbers, sizeof pairs);
    interleave_rows<Layout.cols>(pairs, kPairs, count, depth / 2, turned);
    for (std::int64_t pair = 0; pair < depth / 2; ++pair) {
      std::memcpy(panel + (k + 2 * pair) * Layout.cols, turned + pair * Layout.cols,
                  static_cast<std::size_t>(count) * sizeof *turned);
    }
  }
}

}  // namespace bf16

// Packs `count` lines of K elements into a panel of rows, whose depth is Layout.depth(K).
template <PanelLayout Layout>
void pack_bf16_rows(const Bf16Lines& rows, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  const std::int64_t depth = Layout.depth(K), height = Layout.height(count);
  bf16::for_chunks(rows, count, K, [&](std::int64_t i, std::int64_t k, const std::uint16_t* numbers) {
    const std::int64_t strip = std::min(Layout.together, height - i / Layout.together * Layout.together);
    bf16::put_groups<Layout.row_group>(numbers, std::min(bf16::kChunk, depth - k), strip,
                                       panel + Layout.in_rows(depth, height, i, k));
  });
  if (height > count) {  // a row of zeros
    for (std::int64_t k = 0; k < depth; ++k) panel[Layout.in_rows(depth, height, count, k)] = 0;
  }
}

// Packs `count` lines of K elements into a panel of columns.
template <PanelLayout Layout>
void pack_bf16_columns(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  if constexpr (Layout.group == 2) {
    return columns.across ? bf16::pack_pairs<Layout>(columns, count, K, panel)
                          : bf16::transpose_pairs<Layout>(columns, count, K, panel);
  }
  const std::int64_t depth = Layout.depth(K);
  bf16::for_chunks(columns, count, K, [&](std::int64_t c, std::int64_t k, const std::uint16_t* numbers) {
    bf16::put_groups<Layout.group>(numbers, std::min(bf16::kChunk, depth - k), Layout.cols,
                                   panel + Layout.in_columns(k, c));
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
