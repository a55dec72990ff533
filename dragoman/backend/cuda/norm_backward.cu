// Backward kernels of layer norm, alone or after a residual addition.
//
//   1. add_norm_backward_in_warps or _in_blocks: a limited number of blocks goes through all rows. For each row:
//      compute the two averages that its gradient needs, then write dx and da. On the way each block sums dgamma and
//      dbeta over its rows, in registers or in its own part of `sums`.
//   2. add_blocks: adds the sums of the blocks to dgamma and dbeta.
//
// Which rows a block has depends on the shape alone, so the sums have the same bits every time.
#include <algorithm>

#include "dragoman/backend/cuda/norm.cuh"
#include "dragoman/backend/cuda/norm.h"

namespace dragoman::cuda {

namespace {

// The number of blocks is chosen to fill a device with this many multiprocessors (an H200). It is the same on every
// other device, so that all devices make the same sums.
constexpr std::int64_t kMultiprocessors = 132;
// Warps per block and blocks per multiprocessor: limited by the registers, which hold the current rows and the sums.
template <class T, int kEights>
constexpr int kBackwardWarps = kEights * sizeof(T) == 8 ? 12 : 8;
template <class T, int kEights>
constexpr int kBackwardResident = kEights * sizeof(T) <= 4 ? 2 : 1;

template <class T>
struct AddNormBackward {
  Matrix<const T> ds, dy, s;  // ds and dy are optional
  const float *gamma, *mean, *rstd;
  float inverse_d;
  DropoutMask dropout;
  SinkRows<T> dx, da;
  float* sums;  // [blocks, 2, d]: dgamma and dbeta over the rows of each block
};

// The gradient of a row of s through y = layer_norm(s): with n = (s - mean) rstd and g = dy gamma, it is
// (g - average(g) - n average(g n)) rstd.
struct NormGradient {
  float mean, rstd, average_g = 0, average_gn = 0;

  __device__ float normalised(float s) const { return (s - mean) * rstd; }
  __device__ float operator()(float dy, float gamma, float s) const {
    return (dy * gamma - average_g - normalised(s) * average_gn) * rstd;
  }
};

// The sums of g and g n over a row, for the two averages. add() also adds to dgamma and dbeta of the eight channels.
struct NormSums {
  float g = 0, gn = 0;

  template <class T>
  __device__ void add(const NormGradient& through_y, const Eight<T>& dy, const Eight<float>& gamma, const Eight<T>& s,
                      Eight<float>& dgamma, Eight<float>& dbeta) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float dy_i = dy[i], dy_n = dy_i * through_y.normalised(s[i]);
      g += dy_i * gamma.at[i];
      gn += dy_n * gamma.at[i];
      dgamma.at[i] += dy_n;
      dbeta.at[i] += dy_i;
    }
  }
};

// Writes dx and da of eight channels. Arrays that are absent are not read, and gradients that are not wanted are not
// written.
template <bool kPacked, class T>
__device__ void put_gradients(const AddNormBackward<T>& norm, std::int64_t r, std::int64_t group,
                              const NormGradient& through_y, const Eight<T>& dy, const Eight<float>& gamma,
                              const Eight<T>& s, const Eight<T>& ds, const RowDropout& dropout, const Philox4& words) {
  const std::int64_t d = norm.s.cols;
  Eight<float> value{};
  if (norm.dy.data != nullptr) {
#pragma unroll
    for (int i = 0; i < 8; ++i) value.at[i] = through_y(dy[i], gamma.at[i], s[i]);
  }
  if (norm.ds.data != nullptr) {
#pragma unroll
    for (int i = 0; i < 8; ++i) value.at[i] += ds[i];
  }
  if (norm.dx.data != nullptr) put_eight<kPacked>(value, norm.dx, r, 8 * group, d);
  if (norm.da.data == nullptr) return;
  dropout.apply(words, value);
  put_eight<kPacked>(value, norm.da, r, 8 * group, d);
}

// Makes the compiler forget the unpacked numbers, so that it keeps only the packed ones in registers.
__device__ inline void stay_packed(Eight<float>&) {}
__device__ inline void stay_packed(Eight<bf16>& x) {
  asm volatile("" : "+r"(x.words[0]), "+r"(x.words[1]), "+r"(x.words[2]), "+r"(x.words[3]));
}

// One warp per row at a time. A lane owns kEights groups of eight channels, the same in all rows, and sums their dgamma
// and dbeta in registers.
//
// Shared memory:  float [kWarps, kWidth], used after all rows, to add the sums of the warps: first dgamma, then dbeta.
template <class T, int kEights>
__global__ void __launch_bounds__(kBackwardWarps<T, kEights>* kWarp, kBackwardResident<T, kEights>)
    add_norm_backward_in_warps(AddNormBackward<T> norm) {
  constexpr int kWarps = kBackwardWarps<T, kEights>, kWidth = kEights * kWarp * 8;
  extern __shared__ float4 shared_packs[];
  auto* shared = reinterpret_cast<float*>(shared_packs);
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t d = norm.s.cols;
  const auto group = [lane](int j) { return lane + kWarp * j; };
  const auto in_row = [&](int j) { return 8 * group(j) < d; };
  const auto gamma = [&](int j) { return load_eight<true>(norm.gamma, 8 * group(j), d); };

  Eight<float> dgamma[kEights] = {}, dbeta[kEights] = {};
  const std::int64_t step = std::int64_t{gridDim.x} * kWarps;
  for (std::int64_t r = std::int64_t{blockIdx.x} * kWarps + warp; r < norm.s.rows; r += step) {
    // 1. Load the row.
    const RowDropout dropout(norm.dropout, r);
    Eight<T> s[kEights] = {}, dy[kEights] = {}, ds[kEights] = {};
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      if (!in_row(j)) continue;
      if (norm.dy.data != nullptr) s[j] = load_eight<true>(norm.s.row(r), 8 * group(j), d);
      if (norm.dy.data != nullptr) dy[j] = load_eight<true>(norm.dy.row(r), 8 * group(j), d);
      if (norm.ds.data != nullptr) ds[j] = load_eight<true>(norm.ds.row(r), 8 * group(j), d);
    }
    Philox4 words[kEights];  // drawn while the loads are under way
#pragma unroll
    for (int j = 0; j < kEights; ++j) words[j] = dropout.words(group(j));

    // 2. The averages of the row, and its part of dgamma and dbeta.
    NormGradient through_y{norm.mean[r], norm.rstd[r]};
    if (norm.dy.data != nullptr) {
      NormSums sums;
#pragma unroll
      for (int j = 0; j < kEights; ++j) {
        if (in_row(j)) sums.add(through_y, dy[j], gamma(j), s[j], dgamma[j], dbeta[j]);
      }
      through_y.average_g = warp_sum(sums.g) * norm.inverse_d;
      through_y.average_gn = warp_sum(sums.gn) * norm.inverse_d;
    }
    // 3. dx and da. Registers are scarce, so gamma is read again, from the nearest cache, and packs are unpacked again.
    asm volatile("" ::: "memory");
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      stay_packed(dy[j]);
      stay_packed(s[j]);
    }
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      if (in_row(j)) put_gradients<true>(norm, r, group(j), through_y, dy[j], gamma(j), s[j], ds[j], dropout, words[j]);
    }
  }

  // 4. After all rows: add the sums of the warps in their order, dgamma first.
#pragma unroll
  for (int which = 0; which < 2; ++which) {
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      store_eight<true>(which == 0 ? dgamma[j] : dbeta[j], shared + warp * kWidth, 8 * group(j), kWidth);
    }
    __syncthreads();
    for (std::int64_t c = threadIdx.x; c < d; c += kWarps * kWarp) {
      float sum = 0;
      for (int w = 0; w < kWarps; ++w) sum += shared[w * kWidth + c];
      norm.sums[(2 * std::int64_t{blockIdx.x} + which) * d + c] = sum;
    }
    __syncthreads();
  }
}

// One block per row at a time. A thread owns the same channels in every row, so that no other thread touches their
// sums, which lie in global memory.
template <class T, bool kPacked>
__global__ void add_norm_backward_in_blocks(AddNormBackward<T> norm) {
  __shared__ float shared[kWarp];
  const std::int64_t d = norm.s.cols, groups = divide_up(d, 8);
  float *all_dgamma = norm.sums + 2 * blockIdx.x * d, *all_dbeta = all_dgamma + d;
  for (std::int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
    store_eight<kPacked>(Eight<float>{}, all_dgamma, 8 * g, d);
    store_eight<kPacked>(Eight<float>{}, all_dbeta, 8 * g, d);
  }
  for (std::int64_t r = blockIdx.x; r < norm.s.rows; r += gridDim.x) {
    const RowDropout dropout(norm.dropout, r);
    NormGradient through_y{norm.mean[r], norm.rstd[r]};
    if (norm.dy.data != nullptr) {
      NormSums sums;
      for (std::int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
        Eight<float> dgamma = load_eight<kPacked>(all_dgamma, 8 * g, d);
        Eight<float> dbeta = load_eight<kPacked>(all_dbeta, 8 * g, d);
        // Missing channels of the last group are read as dy = 0 and gamma = 0, and are not stored.
        sums.add(through_y, load_eight<kPacked>(norm.dy.row(r), 8 * g, d), load_eight<kPacked>(norm.gamma, 8 * g, d),
                 load_eight<kPacked>(norm.s.row(r), 8 * g, d), dgamma, dbeta);
        store_eight<kPacked>(dgamma, all_dgamma, 8 * g, d);
        store_eight<kPacked>(dbeta, all_dbeta, 8 * g, d);
      }
      through_y.average_g = block_sum(sums.g, shared) * norm.inverse_d;
      through_y.average_gn = block_sum(sums.gn, shared) * norm.inverse_d;
    }
    for (std::int64_t g = threadIdx.x; g < groups; g += blockDim.x) {
      Eight<T> s{}, dy{}, ds{};
      if (norm.dy.data != nullptr) {
        s = load_eight<kPacked>(norm.s.row(r), 8 * g, d);
        dy = load_eight<kPacked>(norm.dy.row(r), 8 * g, d);
      }
      if (norm.ds.data != nullptr) ds = load_eight<kPacked>(norm.ds.row(r), 8 * g, d);
      put_gradients<kPacked>(norm, r, g, through_y, dy, load_eight<kPacked>(norm.gamma, 8 * g, d), s, ds, dropout,
                             dropout.words(g));
    }
  }
}

// Adds the sums of all blocks: a block for each 32 channels of dgamma (blockIdx.y is 0) and of dbeta (blockIdx.y is 1).
constexpr int kColumnThreads = 1024;
template <class G>
__global__ void __launch_bounds__(kColumnThreads)
    add_blocks(const float* sums, std::int64_t blocks, std::int64_t d, SinkRows<G> dgamma, SinkRows<G> dbeta) {
  __shared__ float shared[kColumnThreads];
  const SinkRows<G> sink = blockIdx.y == 0 ? dgamma : dbeta;
  if (sink.data == nullptr) return;
  const std::int64_t c = std::int64_t{blockIdx.x} * kWarp + threadIdx.x % kWarp;
  const float sum = column_sum(sums + blockIdx.y * d + c, c < d ? blocks : 0, 2 * d, shared);
  if (threadIdx.x < kWarp && c < d) sink.put(0, c, sum);
}

// The kernel of step 1 and its launch.
template <class T>
struct BackwardPlan {
  void (*kernel)(AddNormBackward<T>);
  int threads;
  std::size_t shared_bytes;
  std::int64_t rows_at_once, max_blocks;  // rows that a block handles at a time, and blocks that fill the device

  std::int64_t blocks(std::int64_t rows) const {
    return std::clamp<std::int64_t>(divide_up(rows, rows_at_once), 1, max_blocks);
  }
};

template <class T, int kEights>
BackwardPlan<T> plan_in_warps() {
  constexpr int kWarps = kBackwardWarps<T, kEights>;
  return {add_norm_backward_in_warps<T, kEights>, kWarps * kWarp, kWarps * kEights * kWarp * sizeof(Eight<float>),
          kWarps, kMultiprocessors * kBackwardResident<T, kEights>};
}

template <class T>
BackwardPlan<T> plan_backward(bool packed, std::int64_t d) {
  if (packed && d <= 256) return plan_in_warps<T, 1>();
  if (packed && d <= 512) return plan_in_warps<T, 2>();
  if (packed && d <= kWarpWidth) return plan_in_warps<T, 4>();
  return {packed ? add_norm_backward_in_blocks<T, true> : add_norm_backward_in_blocks<T, false>, threads_for(d), 0, 1,
          kMultiprocessors * 4};
}

template <class T>
Matrix<const T> matrix_or_none(const Array& x) {
  return x ? matrix<const T>(x) : Matrix<const T>{};
}

}  // namespace

void Norm::do_add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                                const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd,
                                Sink dx, Sink da, Sink dgamma, Sink dbeta) const {
  const std::int64_t d = s.cols();
  const bool packed = in_eights({&ds, &dy, &s, &gamma, &dx.array, &da.array});
  const ArenaScope scratch(arena());
  dispatch(s.dtype(), [&]<class T>() {
    const BackwardPlan<T> plan = plan_backward<T>(packed, d);
    const std::int64_t blocks = plan.blocks(s.rows());
    const Array sums = empty(Shape{blocks, 2, d}, DType::kFloat32);
    const AddNormBackward<T> norm{
        .ds = matrix_or_none<T>(ds),
        .dy = matrix_or_none<T>(dy),
        .s = matrix<const T>(s),
        .gamma = elements<const float>(gamma),
        .mean = elements<const float>(mean),
        .rstd = elements<const float>(rstd),
        .inverse_d = 1 / static_cast<float>(d),
        .dropout = dropout_mask(da.wanted() ? dropout : Dropout{}, segments),
        .dx = sink_rows<T>(dx),
        .da = sink_rows<T>(da),
        .sums = elements<float>(sums),
    };
    launch(*this, plan.kernel, blocks, plan.threads, plan.shared_bytes, norm);
    if (!dgamma.wanted() && !dbeta.wanted()) return;
    dispatch(type_of(dgamma, type_of(dbeta, DType::kFloat32)), [&]<class G>() {
      const Grid grid(divide_up(d, kWarp), 2);
      launch(*this, add_blocks<G>, grid, kColumnThreads, 0, norm.sums, blocks, d, sink_rows<G>(dgamma),
             sink_rows<G>(dbeta));
    });
  });
}

}  // namespace dragoman::cuda
