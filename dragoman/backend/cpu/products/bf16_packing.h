// Rounds lines of float32 to bfloat16 and packs them into panels of rows or columns (common/panel_layout.h). The layout
// is a template parameter, so that each is tested on every machine.
#pragma once

#include <algorithm>
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
        const float* from = chunk.data + i * chunk.stride;
        for (std::int64_t j = 0; j < length; ++j) numbers[j] = bf16_bits(from[j]);
        put(first + i, k, numbers);
      }
    }
  }
}

// Writes a chunk of a line into a panel in which the groups of `width` lines are interleaved.
template <PanelLayout Layout>
void put_groups(const std::uint16_t* numbers, std::int64_t count, std::int64_t width, std::uint16_t* to) {
  for (std::int64_t k = 0; k < count; k += Layout.group) {
    std::memcpy(to + k * width, numbers + k, Layout.group * sizeof *to);
  }
}

// Columns that lie across, in groups of two: the pairs of a row of the panel are side by side.
template <PanelLayout Layout>
void pack_pairs(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  std::uint32_t pairs[Layout.cols] = {};
  const auto write = [&](std::int64_t k) {
    std::memcpy(panel + k * Layout.cols, pairs, static_cast<std::size_t>(count) * sizeof *pairs);
  };
  std::int64_t k = 0;
  for (; k + 2 <= K; k += 2) {
    const float* first = columns.data + k * columns.stride;
    const float* second = first + columns.stride;
    for (std::int64_t c = 0; c < count; ++c) {
      pairs[c] = bf16_bits(first[c]) | std::uint32_t{bf16_bits(second[c])} << 16;
    }
    write(k);
  }
  if (k < K) {
    for (std::int64_t c = 0; c < count; ++c) pairs[c] = bf16_bits(columns.data[k * columns.stride + c]);
    write(k);
    k += 2;
  }
  std::fill_n(pairs, count, 0u);
  for (; k < Layout.depth(K); k += 2) write(k);
}

}  // namespace bf16

// Packs `count` lines of K elements into a panel of rows, whose depth is Layout.depth(K).
template <PanelLayout Layout>
void pack_bf16_rows(const Bf16Lines& rows, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  const std::int64_t depth = Layout.depth(K), height = Layout.height(count);
  bf16::for_chunks(rows, count, K, [&](std::int64_t i, std::int64_t k, const std::uint16_t* numbers) {
    const std::int64_t length = std::min(bf16::kChunk, depth - k);
    std::uint16_t* to = panel + Layout.in_rows(depth, height, i, k);
    if constexpr (Layout.interleaved) {
      bf16::put_groups<Layout>(numbers, length, height, to);
    } else {
      std::memcpy(to, numbers, static_cast<std::size_t>(length) * sizeof *to);
    }
  });
  if (height > count) {  // a row of zeros
    for (std::int64_t k = 0; k < depth; ++k) panel[Layout.in_rows(depth, height, count, k)] = 0;
  }
}

// Packs `count` lines of K elements into a panel of columns.
template <PanelLayout Layout>
void pack_bf16_columns(const Bf16Lines& columns, std::int64_t count, std::int64_t K, std::uint16_t* panel) {
  if constexpr (Layout.group == 2) {
    if (columns.across) return bf16::pack_pairs<Layout>(columns, count, K, panel);
  }
  const std::int64_t depth = Layout.depth(K);
  bf16::for_chunks(columns, count, K, [&](std::int64_t c, std::int64_t k, const std::uint16_t* numbers) {
    bf16::put_groups<Layout>(numbers, std::min(bf16::kChunk, depth - k), Layout.cols, panel + Layout.in_columns(k, c));
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
