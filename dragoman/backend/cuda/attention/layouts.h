// What the attention kernels have in shared memory, and whether that fits. Rows are compared with what can fit before
// anything is multiplied: for long sentences the products do not fit into 32 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "dragoman/backend/cuda/attention/sight.h"

namespace dragoman::cuda {

inline constexpr int kWholeBytes = 99 * 1024;  // shared memory that a block may have on every device since sm_80
inline constexpr int kStep = 16;               // rows and depth of one product; the rows of a tile are a multiple of it
inline constexpr int kMaxTeamWarps = 8;        // warps of a team; no block has more either
inline constexpr int kMaxTeamRows = kMaxTeamWarps * kStep;
inline constexpr int kAlignment = 256;  // of a tile, in bytes

// Rounds up to a multiple of kStep.
constexpr int in_steps(int rows) { return (rows + kStep - 1) & -kStep; }

// How the forward pass divides a sentence's queries among teams of at most team_rows queries.
struct QueryTiles {
  int tiles = 0, query_rows = 0;

  constexpr QueryTiles(int n_q, int team_rows)
      : tiles((n_q + team_rows - 1) / team_rows), query_rows(tiles == 0 ? 0 : in_steps((n_q + tiles - 1) / tiles)) {}
};

// With a window: teams that hold all keys that their queries see at once. A band begins at a multiple of kStep.
struct BandLayout {
  QueryTiles queries;
  int key_rows = 0;
};
// For sentences of at most n_q queries and n_k keys, and heads of width D. None if even half a team's keys do not fit
// into shared memory.
constexpr std::optional<BandLayout> band_layout(const Sight& sight, int n_q, int n_k, int D) {
  for (const int team_rows : {kMaxTeamRows, kMaxTeamRows / 2}) {
    const QueryTiles queries(n_q, team_rows);
    if (queries.tiles == 0) return std::nullopt;
    const int key_rows = in_steps(sight.most_keys(n_q, n_k, queries.query_rows, kStep));
    if ((queries.query_rows + std::int64_t{2} * key_rows) * D * 2 > kWholeBytes) continue;
    return BandLayout{queries, key_rows};
  }
  return std::nullopt;
}

// Shared memory of a team of gradients_of_whole; a box shows its number of rows or elements:
//
//   | Q: query_rows | dO: query_rows | K: key_rows | V: warp_rows | O, later dS^T: score_elements | log_sums | deltas |
//
//   - O is needed for the deltas alone; dS^T takes its place afterwards. Its row stride is an odd number of 16-byte
//     pieces, so that the same columns of eight rows lie in different banks.
//   - V has warp_rows = max(query_rows, key_rows) rows, 16 for each warp, which stages there what it writes.
//   - log_sums and deltas are query_rows floats each.
struct WholeLayout {
  int query_rows, key_rows, warp_rows, score_elements;

  constexpr WholeLayout(int D, int query_rows_, int key_rows_)
      : query_rows(query_rows_),
        key_rows(key_rows_),
        warp_rows(query_rows > key_rows ? query_rows : key_rows),
        score_elements(larger(query_rows * D, key_rows * score_stride(query_rows))) {}

  static constexpr int score_stride(int query_rows) { return query_rows + 8; }
  static constexpr int larger(int a, int b) { return a > b ? a : b; }
  constexpr int bytes(int D) const {
    const int elements = (2 * query_rows + key_rows + warp_rows) * D + score_elements;
    return (elements * 2 + query_rows * 8 + kAlignment - 1) / kAlignment * kAlignment;
  }
  // Whether a team can have sentences of at most n_q queries and n_k keys.
  static constexpr bool fits(int D, int n_q, int n_k) {
    const int query_rows = in_steps(n_q), key_rows = in_steps(n_k);
    return larger(query_rows, key_rows) <= kMaxTeamRows && WholeLayout(D, query_rows, key_rows).bytes(D) <= kWholeBytes;
  }
};

// The shared memory of a block of the wide kernels. `others` is a multiple of kWideTile.
//
//     bf16  own[32][kSlabPitch], other[64][kSlabPitch]    a slab of either side
//     float sums[products][32][kSumPitch]                 products of one tile, or 64 columns of the result
//     bf16  weights[weights][32][others + 8]
//     float row_numbers[2][32]
//     float scores[32][others]                            if `scores`
inline constexpr int kWideRows = 32, kWideTile = 64;  // own rows, and others of a tile
inline constexpr int kWideSlab = 64;                  // columns in shared memory at a time
inline constexpr int kSlabPitch = kWideSlab + 8;      // 8 and 4 more, so that rows begin in different banks
inline constexpr int kSumPitch = kWideTile + 4;
struct WideLayout {
  int others = 0, products = 1, weights = 1;
  bool scores = false;

  constexpr int weight_pitch() const { return others + 8; }
  constexpr int sums_at() const { return (kWideRows + kWideTile) * kSlabPitch * 2; }
  constexpr int weights_at() const { return sums_at() + products * kWideRows * kSumPitch * 4; }
  constexpr int row_numbers_at() const { return weights_at() + weights * kWideRows * weight_pitch() * 2; }
  constexpr int scores_at() const { return row_numbers_at() + 2 * kWideRows * 4; }
  constexpr int bytes() const { return scores_at() + (scores ? kWideRows * others * 4 : 0); }
  constexpr bool fits() const { return others <= kWholeBytes && bytes() <= kWholeBytes; }
};

}  // namespace dragoman::cuda
