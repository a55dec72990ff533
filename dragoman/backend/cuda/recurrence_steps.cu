// All steps of a recurrent layer in one launch, in bf16, for up to two directions.
//
// A block owns 16 columns of the state of one direction, with all their gates. It reads its columns of U once and keeps
// them in registers. The blocks of a direction run at the same time and meet after every step, because each needs the
// whole state of the step before. A step consists of:
//   1. Products. The depth H is cut into chunks of 32, and warp w has the chunks w, w + 8, ... For each tile of 16 rows
//      the warp multiplies its chunks of the previous state by its part of U, and writes the sums to shared memory.
//   2. The cell. A thread adds the sums of the eight warps in order, for two rows and two columns with all gates,
//      computes the new state, and writes it to global memory.
//   3. The blocks of the direction wait for each other. Meanwhile each thread reads the inputs of its next cells.
// A step with many rows repeats 1 and 2 for groups of kTiles tiles. How sums are formed depends on H alone, so the bits
// of a row do not depend on the other rows.
//
// The registers of U limit H: a warp of the widest LSTM has 4 chunks of 64 columns, which are 128 registers per lane.
#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/recurrence.h"
#include "dragoman/backend/cuda/tensor_cores.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp;
constexpr int kColumns = 16;   // of the state, in a block
constexpr int kChunk = 32;     // of depth
constexpr int kTileRows = 16;  // rows of one product
constexpr int kMaxChunks = 4;  // of a warp
constexpr std::int64_t kWidest = kMaxChunks * kWarps * kChunk;
constexpr int kMaxDirections = 2;
constexpr int kCounterStride = 32;  // the counters of two directions are in different cache lines

// The arrays of a CellRun. At most one of b_u and b_u_float is present.
struct Direction {
  Matrix<const bf16> x, U, h_start;
  Matrix<const float> c_start;
  const bf16* b_u = nullptr;
  const float* b_u_float = nullptr;
  Matrix<bf16> h;
  Matrix<float> c;
  unsigned* arrivals = nullptr;  // how often blocks of this direction have called arrive()
};
struct Directions {
  Direction at[kMaxDirections];
};

// Tiles of a group: as many as have space in registers for their chunks.
constexpr int tiles_for(int chunks) { return chunks <= 2 ? 4 : 2; }
// Groups of eight columns in a block, for all gates: group 2 g + i has columns [8 i, 8 i + 8) of gate g.
constexpr int column_groups(CellKind kind) { return static_cast<int>(gate_count(kind)) * kColumns / 8; }
// Shared memory: float4 sums[tiles][kWarps][column groups][lanes], what multiply() leaves in the lanes of each warp.
constexpr std::size_t shared_bytes(CellKind kind, int chunks) {
  return sizeof(float4) * tiles_for(chunks) * kWarps * column_groups(kind) * kWarp;
}

// Reads eight numbers that another block has written, or gives zeros if they are not there. The L1 cache is left out,
// because it does not see what other multiprocessors write.
__device__ uint4 load_fresh(const bf16* from, bool there) {
  uint4 piece{};
  asm volatile(
      "{ .reg .pred there;\n"
      "setp.ne.b32 there, %5, 0;\n"
      "@there ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4]; }"
      : "+r"(piece.x), "+r"(piece.y), "+r"(piece.z), "+r"(piece.w)
      : "l"(from), "r"(static_cast<int>(there))
      : "memory");
  return piece;
}

// The meeting of the blocks of a direction: what the threads of a block write before arrive() is seen by all blocks
// after await(). `expected` is the number of blocks times the number of meetings so far.
__device__ void arrive(unsigned* arrivals) {
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
}
__device__ void await(const unsigned* arrivals, unsigned expected) {
  if (threadIdx.x == 0) {
    unsigned seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrivals) : "memory");
    } while (seen < expected);
  }
  __syncthreads();
}

// Two neighbouring columns: the first is in the low half of the word.
__device__ std::uint32_t word_at(const bf16* place) { return *reinterpret_cast<const std::uint32_t*>(place); }
__device__ float half_of(std::uint32_t word, int i) {
  return __uint_as_float(i == 0 ? word << 16 : word & 0xFFFF0000u);
}
__device__ std::uint32_t rounded_pair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// The rows of one step, and where the states before them begin.
struct StepRows {
  const bf16* h_before;  // null if these states are zero
  const float* c_before;
  std::int64_t start, h_stride, c_stride;
  int count;

  __device__ StepRows(const Direction& run, int count_)
      : h_before(run.h_start.data),
        c_before(run.c_start.data),
        start(0),
        h_stride(run.h_start.stride),
        c_stride(run.c_start.stride),
        count(count_) {}
  __device__ StepRows next(const Direction& run, int next_count) const {
    StepRows rows = *this;
    rows.h_before = run.h.row(start);
    rows.c_before = run.c.data == nullptr ? nullptr : run.c.row(start);
    rows.h_stride = run.h.stride;
    rows.c_stride = run.c.stride;
    rows.start = start + count;
    rows.count = next_count;
    return rows;
  }
};

// A warp's part of the products. A lane reads depth in pieces of eight numbers, which are 16 bytes: lane 4 q + t has
// [8 t, 8 t + 8) of a chunk, for rows q and q + 8 and for column q. A piece serves two products, and a product takes
// the numbers of a chunk in another order than multiply() describes, on both sides the same: lane t's depths 2 t, 2 t +
// 1, 2 t + 8, 2 t + 9 of the first product are 8 t to 8 t + 3 of the chunk, and those of the second are 8 t + 4 to 8 t
// + 7.
template <CellKind kKind, int kChunks>
struct WarpProducts {
  static constexpr int kTiles = tiles_for(kChunks), kGroups = column_groups(kKind);
  uint4 U[kChunks][kGroups];

  __device__ static int depth(int chunk) {
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    return (warp + chunk * kWarps) * kChunk + lane % 4 * 8;
  }
  __device__ static std::uint32_t pair(bf16 low, bf16 high) {
    return __bfloat16_as_ushort(low) | static_cast<std::uint32_t>(__bfloat16_as_ushort(high)) << 16;
  }

  __device__ WarpProducts(const Matrix<const bf16>& weights, int H) {
    const int lane = threadIdx.x % kWarp;
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
      const int k = depth(chunk);
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        const std::int64_t column = group / 2 * std::int64_t{H} + blockIdx.x * kColumns + group % 2 * 8 + lane / 4;
        const bf16* const from = weights.data + k * weights.stride + column;
        const auto at = [&](int i) { return from[i * weights.stride]; };
        U[chunk][group] =
            k < H ? uint4{pair(at(0), at(1)), pair(at(2), at(3)), pair(at(4), at(5)), pair(at(6), at(7))} : uint4{};
      }
    }
  }

  // Writes the sums of the rows [first, first + 16 kTiles) of a step.
  __device__ void run(const StepRows& rows, int first, int H, float4* sums) const {
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    uint4 h[kTiles][kChunks][2];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int row = first + tile * kTileRows + i * 8 + lane / 4, k = depth(chunk);
          const bool there = row < rows.count && k < H && rows.h_before != nullptr;
          h[tile][chunk][i] = load_fresh(rows.h_before + row * rows.h_stride + k, there);
        }
      }
    }
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      if (first + tile * kTileRows >= rows.count) break;
      float c[kGroups][4] = {};
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        const uint4 &top = h[tile][chunk][0], &bottom = h[tile][chunk][1];
        const std::uint32_t early[4] = {top.x, bottom.x, top.y, bottom.y}, late[4] = {top.z, bottom.z, top.w, bottom.w};
#pragma unroll
        for (int group = 0; group < kGroups; ++group) multiply(c[group], early, U[chunk][group].x, U[chunk][group].y);
#pragma unroll
        for (int group = 0; group < kGroups; ++group) multiply(c[group], late, U[chunk][group].z, U[chunk][group].w);
      }
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        sums[((tile * kWarps + warp) * kGroups + group) * kWarp + lane] =
            float4{c[group][0], c[group][1], c[group][2], c[group][3]};
      }
    }
  }
};

// A thread's part of the cells: in each group of tiles, rows `row` and row + 8 with columns `column` and column + 1.
// Two warps share a tile.
template <CellKind kKind, int kChunks>
struct ThreadCells {
  static constexpr int kTiles = tiles_for(kChunks), kGroups = column_groups(kKind);
  static constexpr int kGates = static_cast<int>(gate_count(kKind));
  int tile, row, column;
  float b_u[2] = {};
  // Of the two rows of the current group. c is also where the new state is.
  std::uint32_t x[kGates][2] = {}, h[2] = {};
  float2 c[2] = {};

  __device__ explicit ThreadCells(const Direction& run) {
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    tile = warp / 2;
    row = tile * kTileRows + lane / 4;
    column = blockIdx.x * kColumns + warp % 2 * 8 + lane % 4 * 2;
    for (int i = 0; i < 2; ++i) {
      if (run.b_u != nullptr) b_u[i] = to_float(run.b_u[column + i]);
      if (run.b_u_float != nullptr) b_u[i] = run.b_u_float[column + i];
    }
  }

  __device__ bool has(const StepRows& rows, int first, int i) const {
    return tile < kTiles && first + row + 8 * i < rows.count;
  }

  // Reads what the cells of the group that begins at row `first` need besides the products. The states before are those
  // that this thread has written itself.
  __device__ void read(const Direction& run, const StepRows& rows, int first, int H) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (!has(rows, first, i)) continue;
      const std::int64_t r = first + row + 8 * i;
      const bf16* const inputs = run.x.row(rows.start + r) + column;
#pragma unroll
      for (int gate = 0; gate < kGates; ++gate) x[gate][i] = word_at(inputs + gate * H);
      if constexpr (kKind == CellKind::kGru) {
        h[i] = rows.h_before != nullptr ? word_at(rows.h_before + r * rows.h_stride + column) : 0;
      }
      if constexpr (kKind == CellKind::kLstm) {
        const float* const before = rows.c_before + r * rows.c_stride + column;
        c[i] = rows.c_before != nullptr ? *reinterpret_cast<const float2*>(before) : float2{};
      }
    }
  }

  // The new state of one element, from the sums of its gates. `cell`, its c, is replaced by the new one.
  __device__ float next(const float (&inputs)[kGates], const float (&products)[kGates], float bias, float before,
                        float& cell) const {
    if constexpr (kKind == CellKind::kVanilla) {
      return tanhf(inputs[0] + products[0]);
    } else if constexpr (kKind == CellKind::kGru) {
      const float z = sigmoid(inputs[0] + products[0]), r = sigmoid(inputs[1] + products[1]);
      const float n = tanhf(inputs[2] + r * (products[2] + bias));
      return (1 - z) * before + z * n;
    } else {
      const float i = sigmoid(inputs[0] + products[0]), f = sigmoid(inputs[1] + products[1]),
                  o = sigmoid(inputs[2] + products[2]), g = tanhf(inputs[3] + products[3]);
      cell = f * cell + i * g;
      return o * tanhf(cell);
    }
  }

  // Computes and writes the new states of the group.
  __device__ void run(const Direction& to, const StepRows& rows, int first, const float4* sums) {
    if (!has(rows, first, 0)) return;
    const int lane = threadIdx.x % kWarp, half = threadIdx.x / kWarp % 2;
    float4 total[kGates] = {};
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
#pragma unroll
      for (int gate = 0; gate < kGates; ++gate) {
        const float4 part = sums[((tile * kWarps + warp) * kGroups + 2 * gate + half) * kWarp + lane];
        total[gate].x += part.x;
        total[gate].y += part.y;
        total[gate].z += part.z;
        total[gate].w += part.w;
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (!has(rows, first, i)) break;
      float made[2];
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        float inputs[kGates], products[kGates];
#pragma unroll
        for (int gate = 0; gate < kGates; ++gate) {
          inputs[gate] = half_of(x[gate][i], j);
          const float4& sum = total[gate];
          products[gate] = i == 0 ? (j == 0 ? sum.x : sum.y) : (j == 0 ? sum.z : sum.w);
        }
        made[j] = next(inputs, products, b_u[j], half_of(h[i], j), j == 0 ? c[i].x : c[i].y);
      }
      const std::int64_t r = rows.start + first + row + 8 * i;
      *reinterpret_cast<std::uint32_t*>(to.h.row(r) + column) = rounded_pair(made[0], made[1]);
      if constexpr (kKind == CellKind::kLstm) *reinterpret_cast<float2*>(to.c.row(r) + column) = c[i];
    }
  }
};

template <CellKind kKind, int kChunks>
__global__ void __launch_bounds__(kThreads, 1)
    recurrent_steps(const __grid_constant__ Directions directions, const std::int32_t* counts, int steps, int H) {
  extern __shared__ float4 sums[];
  constexpr int kGroupRows = tiles_for(kChunks) * kTileRows;
  const Direction& run = directions.at[blockIdx.y];
  const WarpProducts<kKind, kChunks> products(run.U, H);
  ThreadCells<kKind, kChunks> cells(run);
  StepRows rows(run, counts[0]);
  cells.read(run, rows, 0, H);
  for (int step = 0; step < steps; ++step) {
    const int next_count = step + 1 < steps ? counts[step + 1] : 0;
    for (int first = 0; first < rows.count; first += kGroupRows) {
      if (first > 0) {
        cells.read(run, rows, first, H);
        __syncthreads();  // the sums before have been read
      }
      products.run(rows, first, H, sums);
      __syncthreads();
      cells.run(run, rows, first, sums);
    }
    if (next_count == 0) break;
    arrive(run.arrivals);
    rows = rows.next(run, next_count);
    cells.read(run, rows, 0, H);
    await(run.arrivals, gridDim.x * (step + 1));
  }
}

struct Plan {
  void (*kernel)(Directions, const std::int32_t*, int, int) = nullptr;
  std::size_t shared_bytes = 0;
};

template <CellKind kKind, int kChunks>
Plan plan() {
  return {recurrent_steps<kKind, kChunks>, shared_bytes(kKind, kChunks)};
}
template <CellKind kKind>
Plan plan_for(std::int64_t H) {
  switch (divide_up(H, kWarps * kChunk)) {
    case 1: return plan<kKind, 1>();
    case 2: return plan<kKind, 2>();
    case 3: return plan<kKind, 3>();
    default: return plan<kKind, kMaxChunks>();
  }
}
Plan plan_for(CellKind kind, std::int64_t H) {
  return kind == CellKind::kVanilla ? plan_for<CellKind::kVanilla>(H)
         : kind == CellKind::kGru   ? plan_for<CellKind::kGru>(H)
                                    : plan_for<CellKind::kLstm>(H);
}

Direction direction_of(const CellRun& run, unsigned* arrivals) {
  const bool b_u_in_float = run.b_u && run.b_u.dtype() == DType::kFloat32;
  return {.x = matrix<const bf16>(run.x),
          .U = matrix<const bf16>(run.U),
          .h_start = matrix<const bf16>(run.h_start),
          .c_start = matrix<const float>(run.c_start),
          .b_u = b_u_in_float ? nullptr : elements<const bf16>(run.b_u),
          .b_u_float = b_u_in_float ? elements<const float>(run.b_u) : nullptr,
          .h = matrix<bf16>(run.h),
          .c = matrix<float>(run.c),
          .arrivals = arrivals};
}

}  // namespace

// A dry backend has no device to ask. It counts the memory of the single steps, which is more.
bool Recurrence::do_can_run_cells(CellKind kind, DType dtype, std::int64_t H, std::int64_t directions) const {
  if (dry() || dtype != DType::kBFloat16 || directions > kMaxDirections) return false;
  if (H == 0 || H % kColumns != 0 || H > kWidest) return false;
  const Plan plan = plan_for(kind, H);
  const auto* kernel = reinterpret_cast<const void*>(plan.kernel);
  stream();  // makes the device the current one
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device().index), "reading the device's properties");
    return value;
  };
  if (attribute(cudaDevAttrCooperativeLaunch) == 0 ||
      static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) < plan.shared_bytes) {
    return false;
  }
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(plan.shared_bytes)),
        "setting the shared memory of a kernel");
  int at_once = 0;  // blocks of a multiprocessor
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, kThreads, plan.shared_bytes),
        "counting the blocks of a multiprocessor");
  return H / kColumns * directions <= std::int64_t{at_once} * attribute(cudaDevAttrMultiProcessorCount);
}

void Recurrence::do_run_cells(CellKind kind, const Array& counts, std::span<const CellRun> directions) const {
  for (const CellRun& run : directions) {
    require<ShapeError>(in_eights({&run.x, &run.h_start, &run.c_start, &run.h, &run.c}),
                        "run_cells: the rows of x, h and c must begin at multiples of 16 bytes");
  }
  if (counts.count() == 0) return;
  const auto H = directions.front().h.cols();
  const Plan plan = plan_for(kind, H);
  Array arrivals = empty({std::ssize(directions), kCounterStride}, DType::kInt32);
  check(cudaMemsetAsync(arrivals.raw(), 0, static_cast<std::size_t>(arrivals.count()) * sizeof(unsigned), stream()),
        "clearing memory");
  Directions all;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    all.at[i] = direction_of(directions[i], static_cast<unsigned*>(arrivals.raw()) + i * kCounterStride);
  }
  launch<Blocks::kTogether>(*this, plan.kernel, Grid(H / kColumns, std::ssize(directions)), kThreads, plan.shared_bytes,
                            all, elements<const std::int32_t>(counts), static_cast<int>(counts.count()),
                            static_cast<int>(H));
}

}  // namespace dragoman::cuda
