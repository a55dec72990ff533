// Building blocks of attention on the tensor cores (see tensor_cores.cuh): tiles of rows in shared memory, products of
// tiles, and writing the sums to global memory. A result that is wider than 8 columns is an array c[n][4], where n
// counts groups of 8 columns.
#pragma once

#include "dragoman/backend/cuda/attention/layouts.h"
#include "dragoman/backend/cuda/attention/problem.cuh"
#include "dragoman/backend/cuda/tensor_cores.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kMaxThreads = kMaxTeamWarps * kWarp;

// Row and column of this lane's element c[e] in the 16 x 8 sums.
__device__ int row_of(int e) { return lane() / 4 + e / 2 * 8; }
__device__ int column_of(int e) { return lane() % 4 * 2 + e % 2; }

// How the work is divided among the blocks of a grid. A team of warps works on one head of one sentence, or on one tile
// of its rows; each warp of a team owns 16 rows. The teams of a block work on neighbouring heads and are independent of
// each other: each has its own part of shared memory and its own barrier.
struct GridPlan {
  int team_warps = 1, teams = 1;     // warps per team, teams per block
  int B = 0;                         // number of sentences
  int tiles = 1;                     // tiles per sentence and head
  int query_rows = 0, key_rows = 0;  // rows that a team has space for in shared memory
  int team_bytes = 0;                // shared memory per team
};

// The team of the calling thread: its number within the block, and the thread's place in it.
struct Team {
  int number = 0, thread, threads, warp;

  __device__ explicit Team(const GridPlan& plan) : thread(threadIdx.x), threads(plan.team_warps * kWarp) {
    for (; thread >= threads; thread -= threads) ++number;
    warp = thread / kWarp;
  }

  // The team's barrier: waits for all its threads; afterwards each sees what the others wrote to shared memory.
  __device__ void sync() const { asm volatile("bar.sync %0, %1;" ::"r"(number + 1), "r"(threads) : "memory"); }
};

// What a team works on. The heads and tiles of one sentence are neighbours in the grid because they are neighbours in
// memory.
struct Work {
  int sentence, head, tile;

  __device__ Work(const GridPlan& plan, const Team& team)
      : sentence(blockIdx.y + blockIdx.z * gridDim.y),
        head(plan.tiles == 1 ? blockIdx.x : blockIdx.x / plan.tiles),
        tile(plan.tiles == 1 ? 0 : blockIdx.x % plan.tiles) {
    head = head * plan.teams + team.number;
  }
};

// Shared memory is addressed by 32-bit byte addresses here: they take half the registers of pointers. It is read and
// copied by pieces of 16 bytes, which are eight numbers of bf16.
__device__ unsigned shared_address(const void* place) { return static_cast<unsigned>(__cvta_generic_to_shared(place)); }

__device__ uint4 read_piece(unsigned from) {
  uint4 piece;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
               : "r"(from)
               : "memory");
  return piece;
}
__device__ void write_word(unsigned to, std::uint32_t word) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}

// An array of floats in shared memory. get_two reads elements i and i + 1; i must be even.
struct FloatTile {
  unsigned address;

  __device__ FloatTile from(int i) const { return {address + i * 4}; }
  __device__ void put(int i, float x) const { write_word(address + i * 4, __float_as_uint(x)); }
  __device__ float get(int i) const {
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(address + i * 4) : "memory");
    return x;
  }
  __device__ float2 get_two(int i) const {
    float2 x;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x.x), "=f"(x.y) : "r"(address + i * 4) : "memory");
    return x;
  }
};

// Asynchronous copies to shared memory. If `there` is false, nothing is read and zeros are written. A thread's copies
// form groups: end_copies closes the current group, which may be empty, and await_copies waits for groups.
__device__ void copy_piece(unsigned to, const bf16* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
}
__device__ void copy_float(unsigned to, const float* from, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(there ? 4 : 0) : "memory");
}
__device__ void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits for all copies of this thread but those of its last `kPending` groups.
template <int kPending>
__device__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Rows of D numbers in shared memory. A row consists of D / 8 pieces of 16 bytes, and eight pieces fill all banks once.
// The pieces of a row are permuted by the row's number, so that the same piece of eight rows lies in eight different
// places and reading it causes no bank conflict. For D = 64 the places hold these pieces:
//
//     row 0:  0 1 2 3 4 5 6 7
//     row 1:  1 0 3 2 5 4 7 6
//     row 2:  2 3 0 1 6 7 4 5       place s of row r holds piece s ^ (r % 8)
//     ...
//
// A tile begins at a multiple of kAlignment, so that piece(row, p ^ k) is piece(row, p) ^ k * 16.
template <int D>
struct Tile {
  static constexpr int kPieces = D / 8, kRowBytes = D * 2;
  unsigned address;

  // The address of a piece. Eight pieces are a line, which covers all banks. If rows have fewer than eight pieces,
  // several rows share a line, and their pieces are permuted alike.
  __device__ unsigned piece(unsigned row, unsigned piece) const {
    constexpr int kRowsPerLine = kPieces < 8 ? 8 / kPieces : 1, kPermuted = kPieces < 8 ? kPieces : 8;
    return address + row * kRowBytes + (piece ^ (row / kRowsPerLine % kPermuted)) * 16;
  }
  // The tile that begins with this row. `row` must be a multiple of kStep, where the permutation starts again.
  __device__ Tile from(int row) const { return {address + row * kRowBytes}; }
};

// The pieces of a tile that a thread of a team copies: piece number `piece` of the rows row, row + step, row + 2 step
// ...
template <int D>
struct OwnPieces {
  int piece, row, step;

  __device__ explicit OwnPieces(const Team& team)
      : piece(static_cast<unsigned>(team.thread) % Tile<D>::kPieces),
        row(static_cast<unsigned>(team.thread) / Tile<D>::kPieces),
        step(static_cast<unsigned>(team.threads) / Tile<D>::kPieces) {}
};

// Starts to copy `rows` rows of one head, d columns each. The rest of the tile becomes zero: the columns up to D, and
// the rows up to a multiple of kStep.
template <int D>
__device__ void load_rows(const Team& team, Tile<D> to, const bf16* from, std::int64_t stride, int d, int rows) {
  const OwnPieces<D> own(team);
  const bf16* place = from + own.row * stride + own.piece * 8;
  for (int row = own.row; row < in_steps(rows); row += own.step) {
    copy_piece(to.piece(row, own.piece), place, row < rows && own.piece * 8 < d);
    place += own.step * stride;
  }
}
// The same for one float per row.
__device__ void load_floats(const Team& team, FloatTile to, const float* from, std::int64_t stride, int rows) {
  for (int i = team.thread; i < in_steps(rows); i += team.threads) {
    copy_float(to.from(i).address, i < rows ? from + i * stride : from, i < rows);
  }
}

// Loads four 8 x 8 matrices into a warp's registers. Lane l gives the address of row l % 8 of matrix l / 8.
__device__ void load_matrices(std::uint32_t (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
__device__ void load_transposed(std::uint32_t (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

// c += a b^T for the first 16 rows of `a` and the first 16 * steps rows of `b`: c[2 s] and c[2 s + 1] are the products
// with rows [16 s, 16 s + 16) of `b`.
template <int D, int kSteps>
__device__ void multiply_rows(Tile<D> a, Tile<D> b, int steps, float (&c)[2 * kSteps][4]) {
  const int l = lane();
  const unsigned at_a = a.piece(l % 16, l / 16), at_b = b.piece(l % 8 + l / 16 * 8, l / 8 % 2);
#pragma unroll
  for (int k = 0; k < D / 8; k += 2) {
    std::uint32_t left[4], right[4];
    load_matrices(left, at_a ^ k * 16);
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      if (s >= steps) break;
      load_matrices(right, (at_b ^ k * 16) + s * kStep * Tile<D>::kRowBytes);
      multiply(c[2 * s], left, right[0], right[1]);
      multiply(c[2 * s + 1], left, right[2], right[3]);
    }
  }
}

// c += a b for the first 16 rows of `b` and 16 x 16 numbers `a` in registers, as as_operand makes them.
template <int D>
__device__ void multiply_columns(const std::uint32_t (&a)[4], Tile<D> b, float (&c)[D / 8][4]) {
  const unsigned at_b = b.piece(lane() % 16, lane() / 16);
#pragma unroll
  for (int n = 0; n < D / 8; n += 2) {
    std::uint32_t right[4];
    load_transposed(right, at_b ^ n * 16);
    multiply(c[n], a, right[0], right[1]);
    multiply(c[n + 1], a, right[2], right[3]);
  }
}

// Two neighbouring numbers in one word, the first in the low half.
__device__ std::uint32_t pack_pair(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ float2 unpack_pair(std::uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
}
// Two neighbouring 16 x 8 sums, rounded to bf16, as the left operand (16 x 16) of a product. No lane needs a number of
// another lane for this.
__device__ void as_operand(const float (&left)[4], const float (&right)[4], std::uint32_t (&a)[4]) {
  a[0] = pack_pair(left[0], left[1]);
  a[1] = pack_pair(left[2], left[3]);
  a[2] = pack_pair(right[0], right[1]);
  a[3] = pack_pair(right[2], right[3]);
}

// Sums and scalar products of bf16 numbers: of the two in a word (a pair), and of the eight in a piece.
__device__ std::uint32_t sum_of_pairs(std::uint32_t x, std::uint32_t y) {
  const float2 a = unpack_pair(x), b = unpack_pair(y);
  return pack_pair(a.x + b.x, a.y + b.y);
}
__device__ uint4 sum_of_pieces(const uint4& x, const uint4& y) {
  return {sum_of_pairs(x.x, y.x), sum_of_pairs(x.y, y.y), sum_of_pairs(x.z, y.z), sum_of_pairs(x.w, y.w)};
}
__device__ float product_of_pairs(std::uint32_t x, std::uint32_t y) {
  const float2 a = unpack_pair(x), b = unpack_pair(y);
  return a.x * b.x + a.y * b.y;
}
__device__ float product_of_pieces(const uint4& x, const uint4& y) {
  return (product_of_pairs(x.x, y.x) + product_of_pairs(x.y, y.y)) +
         (product_of_pairs(x.z, y.z) + product_of_pairs(x.w, y.w));
}

// The place in global memory that rows of one head are written to.
struct Destination {
  bf16* data = nullptr;
  std::int64_t stride = 0;
  int d = 0;
  bool accumulates = false;
};
__device__ Destination destination(const SinkRows<bf16>& sink, std::int64_t row, int head, int d) {
  return {sink.data + row * sink.stride + head * d, sink.stride, d, sink.accumulates};
}

// Writes the first `rows` of a warp's 16 rows of sums to a destination, each multiplied by a factor: rows lane / 4 by
// `upper` and rows lane / 4 + 8 by `lower`. The numbers pass through `stage`, 16 rows of shared memory that no other
// warp uses, because in registers a lane has only 4 neighbouring bytes of a row, and global memory is written 16 at a
// time:
//   1. load the old values, if the destination accumulates;
//   2. write the sums to the stage as bf16;
//   3. read whole pieces back, add the old values, and store them.
template <int D>
__device__ void put_rows(const float (&x)[D / 8][4], float upper, float lower, Tile<D> stage, const Destination& to,
                         int rows) {
  constexpr int kPieces = Tile<D>::kPieces, kRowsAtOnce = kWarp / kPieces, kTimes = kStep / kRowsAtOnce;
  const int piece = lane() % kPieces, row = lane() / kPieces;
  bf16* const place = to.data + row * to.stride + piece * 8;
  const auto wanted = [&](int i) { return row + i * kRowsAtOnce < rows && piece * 8 < to.d; };
  const auto place_of = [&](int i) { return reinterpret_cast<uint4*>(place + i * kRowsAtOnce * to.stride); };
  uint4 old[kTimes] = {};
  if (to.accumulates) {
#pragma unroll
    for (int i = 0; i < kTimes; ++i) {
      if (wanted(i)) old[i] = __ldcg(place_of(i));
    }
  }
  // This lane's first two numbers of row lane / 4. Eight rows below, the pieces are permuted in the same way.
  const unsigned upper_pair = stage.piece(lane() / 4, 0) + lane() % 4 * 4;
  __syncwarp();
#pragma unroll
  for (int n = 0; n < D / 8; ++n) {
    write_word(upper_pair ^ n * 16, pack_pair(x[n][0] * upper, x[n][1] * upper));
    write_word((upper_pair ^ n * 16) + 8 * Tile<D>::kRowBytes, pack_pair(x[n][2] * lower, x[n][3] * lower));
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kTimes; ++i) {
    uint4 sums = read_piece(stage.piece(row + i * kRowsAtOnce, piece));
    if (to.accumulates) sums = sum_of_pieces(old[i], sums);
    if (wanted(i)) __stcg(place_of(i), sums);
  }
  __syncwarp();
}

// The maximum or sum over the four lanes of a quad, which hold the parts of a row.
__device__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, 1));
  return fmaxf(x, __shfl_xor_sync(kAllLanes, x, 2));
}
__device__ float quad_sum(float x) {
  x += __shfl_xor_sync(kAllLanes, x, 1);
  return x + __shfl_xor_sync(kAllLanes, x, 2);
}

// Dropout of 16 queries (rows) and 8 keys (columns) of weights: bit e of the result is set if this lane's element e is
// kept. `channel` is the channel of the first key. One random draw covers a group of eight channels that starts at a
// multiple of eight, so the eight channels of a row touch at most two groups. A quad has two rows, which makes four
// draws: each of its lanes makes one, and they exchange the bits. There are only `rows` queries; rows beyond them get
// the bits of the last query.
__device__ unsigned kept_by_query(const DropoutMask& dropout, std::int64_t first_row, int rows, unsigned channel) {
  const int t = lane() % 4;
  const int row = min(lane() / 4 + t / 2 * 8, rows - 1);
  unsigned bits = kept_channels(dropout, first_row + row, channel / 8 + t % 2) << t % 2 * 8;
  bits |= __shfl_xor_sync(kAllLanes, bits, 1);
  const unsigned others = __shfl_xor_sync(kAllLanes, bits, 2);
  const unsigned upper = t < 2 ? bits : others, lower = t < 2 ? others : bits;
  const unsigned shift = channel % 8 + 2 * t;
  return (upper >> shift & 3) | (lower >> shift & 3) << 2;
}
// The same for 16 keys (rows) and 8 queries (columns). The 16 channels of a query touch at most three groups. The quad
// q makes the draws of query q; then each lane fetches the bits of the two queries that it has (its columns).
__device__ unsigned kept_by_key(const DropoutMask& dropout, std::int64_t first_row, int rows, unsigned channel) {
  const int t = lane() % 4;
  const int row = min(lane() / 4, rows - 1);
  unsigned bits = kept_channels(dropout, first_row + row, channel / 8 + t) << t * 8;
  bits |= __shfl_xor_sync(kAllLanes, bits, 1);
  bits |= __shfl_xor_sync(kAllLanes, bits, 2);
  const unsigned even = __shfl_sync(kAllLanes, bits, 8 * t), odd = __shfl_sync(kAllLanes, bits, 8 * t + 4);
  const unsigned shift = channel % 8 + lane() / 4;
  return (even >> shift & 1) | (odd >> shift & 1) << 1 | (even >> (shift + 8) & 1) << 2 | (odd >> (shift + 8) & 1) << 3;
}

// Sets the scores of keys that a query does not see to -infinity. The scores have 16 rows and `groups` groups of 8
// columns. The rows are queries, from `query` on, and the columns keys, from `key` on; if kByKey, the rows are keys and
// the columns queries.
template <bool kByKey, int kGroups>
__device__ void hide_unseen(const Sight& sight, int n_k, int query, int key, int groups, float (&scores)[kGroups][4]) {
  const int queries = kByKey ? groups * 8 : kStep, keys = kByKey ? kStep : groups * 8;
  const auto hide = [&](const auto& sees) {
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
      if (n >= groups) break;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = row_of(e), column = n * 8 + column_of(e);
        const bool seen = sees(query + (kByKey ? column : row), key + (kByKey ? row : column));
        if (!seen) scores[n][e] = -INFINITY;
      }
    }
  };
  if (!sight.sees_all(query, queries, key, keys)) hide([&](int i, int j) { return sight.sees(i, j); });
  if (key + keys > n_k) hide([&](int, int j) { return j < n_k; });
}

}  // namespace

}  // namespace dragoman::cuda
