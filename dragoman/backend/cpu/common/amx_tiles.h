// The product of panels of 8-bit integers with AMX: what is loaded into which tile, and in which order. The tiles are a
// template parameter: the processor's (int8_amx.cpp), or a model of them that runs anywhere (amx_tiles_test.cpp).
//
// A tile is a register of up to 16 rows of 64 bytes. multiply<C, A, B>() adds to C [M, 16], 32-bit integers, the
// product of A [M, 64] and B [64, 16], signed bytes. A has a row of x in each of its rows. Row r of B has values 4 r to
// 4 r + 3 of k for each of the 16 columns: these are 64 consecutive bytes of a panel of columns.
//
// A step computes up to 32 rows by 32 columns. Rows 0 to 15 of x are in tile 4, rows 16 to 31 in tile 5; columns 0 to
// 15 are in tile 6, columns 16 to 31 in tile 7. The sums are in tiles 0 and 1 (of tile 4) and in tiles 2 and 3 (of tile
// 5).
#pragma once

#include <algorithm>
#include <cstdint>

#include "dragoman/backend/cpu/common/int8_layout.h"

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

// Adds a range of `range` values of k to the products of up to 16 or, if Lower, up to 32 rows. `rows` and `columns`
// point at the first of these values.
template <bool Lower, class Tiles>
void multiply_step(Tiles& tiles, std::int64_t range, std::int64_t depth, const std::int8_t* rows,
                   const std::int8_t* columns, bool accumulate, std::int32_t* products) {
  constexpr std::int64_t kRowBytes = kInt8OnX86.cols * 4;  // of `products`, and of four values of k in `columns`
  char* upper = reinterpret_cast<char*>(products);
  char* lower = upper + 16 * kRowBytes;
  if (accumulate) {
    tiles.template load<0>(upper, kRowBytes);
    tiles.template load<1>(upper + 64, kRowBytes);
    if constexpr (Lower) {
      tiles.template load<2>(lower, kRowBytes);
      tiles.template load<3>(lower + 64, kRowBytes);
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
    const std::int8_t* column = columns + k / 4 * kRowBytes;
    tiles.template load<6>(column, kRowBytes);
    tiles.template load<4>(rows + k, depth);
    tiles.template multiply<0, 4, 6>();
    tiles.template load<7>(column + 64, kRowBytes);
    tiles.template multiply<1, 4, 7>();
    if constexpr (Lower) {
      tiles.template load<5>(rows + 16 * depth + k, depth);
      tiles.template multiply<2, 5, 6>();
      tiles.template multiply<3, 5, 7>();
    }
  }
  tiles.template store<0>(upper, kRowBytes);
  tiles.template store<1>(upper + 64, kRowBytes);
  if constexpr (Lower) {
    tiles.template store<2>(lower, kRowBytes);
    tiles.template store<3>(lower + 64, kRowBytes);
  }
}

// The product of a panel of rows [height, depth] by a panel of columns, both in the layout kInt8OnX86: `products` is
// [height, 32].
template <class Tiles>
void multiply(Tiles& tiles, std::int64_t depth, std::int64_t height, const std::int8_t* rows,
              const std::int8_t* columns, std::int32_t* products) {
  if (depth == 0) return std::fill_n(products, height * kInt8OnX86.cols, 0), void();
  // So many values of k of a panel of columns take a third of the first-level cache, and are read once for every 32
  // rows.
  constexpr std::int64_t kRange = 512;
  std::int64_t configured = 0;
  for (std::int64_t k = 0; k < depth; k += kRange) {
    const std::int64_t range = std::min(kRange, depth - k);
    for (std::int64_t top = 0; top < height; top += 32) {
      const std::int64_t count = std::min<std::int64_t>(32, height - top);
      if (count != configured) tiles.configure(config_for(count));
      configured = count;
      const auto step = count > 16 ? multiply_step<true, Tiles> : multiply_step<false, Tiles>;
      step(tiles, range, depth, rows + top * depth + k, columns + k * kInt8OnX86.cols, k > 0,
           products + top * kInt8OnX86.cols);
    }
  }
}

}  // namespace dragoman::cpu::amx
