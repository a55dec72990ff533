// The product of panels of 8-bit integers or of bfloat16 with AMX: what is loaded into which tile, and in which order.
// The tiles are a template parameter: the processor's (amx.h), or a model of them that runs anywhere
// (amx_tiles_test.cpp).
//
// A tile is a register of up to 16 rows of 64 bytes. multiply<C, A, B>() adds to C [M, 16], numbers of 32 bits, the
// product of A [M, 64 bytes] and B [64 bytes, 16]. A has a row of x in each of its rows. Row r of B has bytes 4 r to 4
// r + 3 of each of the 16 columns: these are 64 consecutive bytes of a panel of columns in the layouts kInt8OnX86 and
// kBf16OnX86.
//
// A step computes up to 16 rows by 32 columns. The rows of x are in tile 2 and 16 of the columns in tile 3; the sums
// are in tiles 0 and 1. More tiles would need fewer loads, but on some machines they are slower (docs/decisions.md,
// "Products of bfloat16 on a CPU").
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "dragoman/backend/cpu/common/panel_layout.h"

namespace dragoman::cpu::amx {

// As the instruction that configures the tiles reads it. A tile without rows cannot be used.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1, start_row = 0, unused[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

inline constexpr std::int64_t kStepRows = 16;
static_assert(kBf16OnX86.together == kStepRows, "a strip is what a step multiplies");

// For steps of `height` rows, 1 to kStepRows.
constexpr TileConfig config_for(std::int64_t height) {
  const std::int64_t rows[] = {height, height, height, 16};
  TileConfig config;
  for (int tile = 0; tile < 4; ++tile) {
    config.rows[tile] = static_cast<std::uint8_t>(rows[tile]);
    config.row_bytes[tile] = 64;
  }
  return config;
}

// The operands of a product, all sizes in bytes. The panel of columns has four bytes of each of 32 columns, then the
// next four. The rows are `depth` bytes apart or, if they lie together, kStepRows of them are a strip (panel_layout.h)
// whose groups have 64 bytes. `products` is [height, 32], and its rows are `stride` bytes apart.
struct Operands {
  std::int64_t depth, height;
  const char *rows, *columns;
  char* products;
  std::int64_t stride;
  bool together;
};
inline constexpr std::int64_t kColumnBytes = 4 * 32;  // four bytes of each column

// The operands of one step. Rows are `apart` bytes apart, and 64 bytes of a row `along` bytes from the next 64.
struct Step {
  const char* rows;
  std::int64_t apart, along;
  const char* columns;
  char* products;
  std::int64_t stride;
  const char* next;  // the products of the next step; null if they need not be fetched
};

// Adds the products of `range` bytes of each row, or begins with them if not `accumulate`.
template <class Tiles>
void multiply_step(Tiles& tiles, const Step& step, std::int64_t range, bool accumulate) {
  char* const products = step.products;
  if (accumulate) {
    tiles.template load<0>(products, step.stride);
    tiles.template load<1>(products + 64, step.stride);
  } else {
    tiles.template clear<0>();
    tiles.template clear<1>();
  }
  const char *row = step.rows, *column = step.columns, *next = step.next;
  for (std::int64_t k = 0; k < range; k += 64, row += step.along, column += 16 * kColumnBytes) {
    tiles.template load<2>(row, step.apart);
    tiles.template load<3>(column, kColumnBytes);
    tiles.template multiply<0, 2, 3>();
    // The 16 passes of the longest range fetch 16 rows. Each row is two cache lines.
    if (next != nullptr) {
      __builtin_prefetch(next, 1);
      __builtin_prefetch(next + 64, 1);
      next += step.stride;
    }
    tiles.template load<3>(column + 64, kColumnBytes);
    tiles.template multiply<1, 2, 3>();
  }
  tiles.template store<0>(products, step.stride);
  tiles.template store<1>(products + 64, step.stride);
}

// The whole product. A sum runs along k in order, also over the ranges: a tile that is stored and loaded again is the
// same.
template <class Tiles>
void multiply(Tiles& tiles, const Operands& o, bool accumulate) {
  if (o.depth == 0 && !accumulate) {
    for (std::int64_t i = 0; i < o.height; ++i) std::memset(o.products + i * o.stride, 0, kColumnBytes);
  }
  // So many bytes of each column and row are summed in the tiles, before the sums are stored: 32 KiB of columns, which
  // stay in the near caches for all rows.
  constexpr std::int64_t kRange = 1024;
  std::int64_t configured = 0;
  for (std::int64_t k = 0; k < o.depth; k += kRange) {
    const std::int64_t range = std::min(kRange, o.depth - k);
    for (std::int64_t top = 0; top < o.height; top += kStepRows) {
      const std::int64_t count = std::min(kStepRows, o.height - top);
      if (count != configured) tiles.configure(config_for(count));
      configured = count;
      char* products = o.products + top * o.stride;
      const bool fetch = o.together && top + kStepRows < o.height;
      multiply_step(tiles,
                    {.rows = o.rows + top * o.depth + (o.together ? k * count : k),
                     .apart = o.together ? 64 : o.depth,
                     .along = o.together ? 64 * count : 64,
                     .columns = o.columns + k / 4 * kColumnBytes,
                     .products = products,
                     .stride = o.stride,
                     .next = fetch ? products + kStepRows * o.stride : nullptr},
                    range, accumulate || k > 0);
    }
  }
}

}  // namespace dragoman::cpu::amx
