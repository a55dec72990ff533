// The product of panels of 8-bit integers or of bfloat16 with AMX: what is loaded into which tile, and in which order.
// The tiles are a template parameter: the processor's (amx.h), or a model of them that runs anywhere
// (amx_tiles_test.cpp).
//
// A tile is a register of up to 16 rows of 64 bytes. multiply<C, A, B>() adds to C [M, 16], numbers of 32 bits, the
// product of A [M, 64 bytes] and B [64 bytes, 16]. A has a row of x in each of its rows. Row r of B has bytes 4 r to 4
// r + 3 of each of the 16 columns: these are 64 consecutive bytes of a panel of columns in the layouts kInt8OnX86 and
// kBf16OnX86.
//
// A step computes up to 32 rows by 32 columns. Rows 0 to 15 of x are in tile 4, rows 16 to 31 in tile 5; columns 0 to
// 15 are in tile 6, columns 16 to 31 in tile 7. The sums are in tiles 0 and 1 (of tile 4) and in tiles 2 and 3 (of tile
// 5).
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

// For steps of `height` rows, 1 to 32.
constexpr TileConfig config_for(std::int64_t height) {
  const std::int64_t upper = std::min<std::int64_t>(height, 16), lower = height - upper;
  const std::int64_t rows[8] = {upper, upper, lower, lower, upper, lower, 16, 16};
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.rows[tile] = static_cast<std::uint8_t>(rows[tile]);
    config.row_bytes[tile] = rows[tile] == 0 ? 0 : 64;
  }
  return config;
}

// The operands of a product, all sizes in bytes. The rows are `depth` bytes apart; the panel of columns has four bytes
// of each of 32 columns, then the next four. `products` is [height, 32], and its rows are `stride` bytes apart.
struct Operands {
  std::int64_t depth, height;
  const char *rows, *columns;
  char* products;
  std::int64_t stride;
};
inline constexpr std::int64_t kColumnBytes = 4 * 32;  // four bytes of each column

// Adds the products of `range` bytes of each row, or begins with them if not `accumulate`. There are up to 16 or, if
// Lower, up to 32 rows.
template <bool Lower, class Tiles>
void multiply_step(Tiles& tiles, const Operands& o, std::int64_t range, bool accumulate) {
  char* lower = o.products + 16 * o.stride;
  if (accumulate) {
    tiles.template load<0>(o.products, o.stride);
    tiles.template load<1>(o.products + 64, o.stride);
    if constexpr (Lower) {
      tiles.template load<2>(lower, o.stride);
      tiles.template load<3>(lower + 64, o.stride);
    }
  } else {
    tiles.template clear<0>();
    tiles.template clear<1>();
    if constexpr (Lower) {
      tiles.template clear<2>();
      tiles.template clear<3>();
    }
  }
  for (std::int64_t k = 0; k < range; k += 64) {
    const char* column = o.columns + k / 4 * kColumnBytes;
    tiles.template load<6>(column, kColumnBytes);
    tiles.template load<4>(o.rows + k, o.depth);
    tiles.template multiply<0, 4, 6>();
    tiles.template load<7>(column + 64, kColumnBytes);
    tiles.template multiply<1, 4, 7>();
    if constexpr (Lower) {
      tiles.template load<5>(o.rows + 16 * o.depth + k, o.depth);
      tiles.template multiply<2, 5, 6>();
      tiles.template multiply<3, 5, 7>();
    }
  }
  tiles.template store<0>(o.products, o.stride);
  tiles.template store<1>(o.products + 64, o.stride);
  if constexpr (Lower) {
    tiles.template store<2>(lower, o.stride);
    tiles.template store<3>(lower + 64, o.stride);
  }
}

// The whole product. A sum runs along k in order, also over the ranges: a tile that is stored and loaded again is the
// same.
template <class Tiles>
void multiply(Tiles& tiles, const Operands& o, bool accumulate) {
  if (o.depth == 0 && !accumulate) {
    for (std::int64_t i = 0; i < o.height; ++i) std::memset(o.products + i * o.stride, 0, kColumnBytes);
  }
  // So many bytes of a panel of columns take a third of the first-level cache, and are read once for every 32 rows.
  constexpr std::int64_t kRange = 512;
  std::int64_t configured = 0;
  for (std::int64_t k = 0; k < o.depth; k += kRange) {
    const std::int64_t range = std::min(kRange, o.depth - k);
    for (std::int64_t top = 0; top < o.height; top += 32) {
      const std::int64_t count = std::min<std::int64_t>(32, o.height - top);
      if (count != configured) tiles.configure(config_for(count));
      configured = count;
      const auto step = count > 16 ? multiply_step<true, Tiles> : multiply_step<false, Tiles>;
      step(tiles,
           {o.depth, count, o.rows + top * o.depth + k, o.columns + k / 4 * kColumnBytes, o.products + top * o.stride,
            o.stride},
           range, accumulate || k > 0);
    }
  }
}

}  // namespace dragoman::cpu::amx
