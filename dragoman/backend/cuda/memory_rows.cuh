// What the kernels of attention over a memory share: the memory rows of each query, and sums over the warps of a block.
#pragma once

#include "dragoman/backend/attention.h"
#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

struct KeysOfRows {
  const std::int32_t *first, *count;
};
inline KeysOfRows keys_of_rows(const MemoryRows& memory) {
  return {elements<const std::int32_t>(memory.first), elements<const std::int32_t>(memory.count)};
}

// Kernels that sum over keys have blocks of kSumWarps warps. A block has 256 columns of one row: lane l has the eight
// columns from 8 l on, and warp w has the keys w, w + kSumWarps, w + 2 kSumWarps, ...
inline constexpr int kSumWarps = 8, kSumThreads = kSumWarps * kWarp, kSumColumns = 8 * kWarp;
static_assert(kSumThreads == kSumColumns);
struct alignas(16) WarpSums {
  float of[kSumWarps][kSumColumns];
};

inline Grid sum_grid(std::int64_t rows, std::int64_t columns) { return {rows, divide_up(columns, kSumColumns)}; }

// Adds the sums of all warps in the order of their numbers. Thread t gets the sum of column t.
__device__ inline float sum_of_warps(const Eight<float>& mine, WarpSums& shared) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  __syncthreads();  // the threads have read what an earlier call left here
  *reinterpret_cast<Eight<float>*>(&shared.of[warp][8 * lane]) = mine;
  __syncthreads();
  float total = 0;
#pragma unroll
  for (int w = 0; w < kSumWarps; ++w) total += shared.of[w][threadIdx.x];
  return total;
}

// A sink for the gradients of the memory, after it was filled with zeros if it overwrites: each row adds to its own
// memory rows.
template <class G>
SinkRows<G> adding_rows(const Sink& sink) {
  SinkRows<G> rows = sink_rows<G>(sink);
  rows.accumulates = true;
  return rows;
}

}  // namespace dragoman::cuda
