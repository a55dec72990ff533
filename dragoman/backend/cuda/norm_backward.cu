#include <algorithm>

#include "dragoman/backend/cuda/norm.cuh"
#include "dragoman/backend/cuda/norm.h"

namespace dragoman::cuda {

namespace {

// Backward goes through rows in blocks that stay: each sums dgamma and dbeta over its rows, and a second kernel adds
// the blocks. Which rows a block has depends on the shape alone.
constexpr std::int64_t kMultiprocessors = 132;  // of the device that is filled; another one gets the same sums
// The warps of a block and the blocks of a multiprocessor, whose registers hold the rows at hand and the sums.
template <class T, int kEights>
constexpr int kBackwardWarps = kEights * sizeof(T) == 8 ? 12 : 8;
template <class T, int kEights>
constexpr int kBackwardResident = kEights * sizeof(T) <= 4 ? 2 : 1;

template <class T>
struct AddNormBackward {
  Matrix<const T> ds, dy, s;  // ds and dy may be absent
  const float *gamma, *mean, *rstd;
  float over_d;
  DropoutMask dropout;
  SinkRows<T> dx, da;
  float* sums;  // [blocks, 2, d]: dgamma and dbeta of a block's rows
};

// What a row of s receives through y = layer_norm(s): with n = (s - mean) rstd and g = dy gamma,
// (g - average(g) - n average(g n)) rstd.
struct NormGradient {
  float mean, rstd, average_g = 0, average_gn = 0;

  __device__ float normalised(float s) const { return (s - mean) * rstd; }
  __device__ float operator()(float dy, float gamma, float s) const {
    return (dy * gamma - average_g - normalised(s) * average_gn) * rstd;
  }
};

// Adds an eight of dy and s to what is summed of its row and of its channels.
struct NormSums {
  float g = 0, gn = 0;

  template <class T>
  __device__ void add(const NormGradient& through_y, const Eight<T>& dy, const Eight<float>& gamma, const Eight<T>& s,
                      Eight<float>& dgamma, Eight<float>& dbeta) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float u = dy[i], un = u * through_y.normalised(s[i]);
      g += u * gamma.at[i];
      gn += un * gamma.at[i];
      dgamma.at[i] += un;
      dbeta.at[i] += u;
    }
  }
};

// Writes dx and da of an eight. What is absent is not looked at.
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

// Keeps the compiler from holding on to what it has unpacked.
__device__ inline void stay_packed(Eight<float>&) {}
__device__ inline void stay_packed(Eight<bf16>& x) {
  asm volatile("" : "+r"(x.words[0]), "+r"(x.words[1]), "+r"(x.words[2]), "+r"(x.words[3]));
}

template <class T, int kEights>
__global__ void __launch_bounds__(kBackwardWarps<T, kEights>* kWarp, kBackwardResident<T, kEights>)
    add_norm_backward_in_warps(AddNormBackward<T> norm) {
  constexpr int kWarps = kBackwardWarps<T, kEights>, kWidth = kEights * kWarp * 8;
  extern __shared__ float4 shared_packs[];
  auto* shared = reinterpret_cast<float*>(shared_packs);  // [kWarps, kWidth]
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t d = norm.s.cols;
  const auto group = [lane](int j) { return lane + kWarp * j; };
  const auto mine = [&](int j) { return 8 * group(j) < d; };
  const auto gamma = [&](int j) { return load_eight<true>(norm.gamma, 8 * group(j), d); };

  Eight<float> dgamma[kEights] = {}, dbeta[kEights] = {};
  const std::int64_t step = std::int64_t{gridDim.x} * kWarps;
  for (std::int64_t r = std::int64_t{blockIdx.x} * kWarps + warp; r < norm.s.rows; r += step) {
    const RowDropout dropout(norm.dropout, r);
    Eight<T> s[kEights] = {}, dy[kEights] = {}, ds[kEights] = {};
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      if (!mine(j)) continue;
      if (norm.dy.data != nullptr) s[j] = load_eight<true>(norm.s.row(r), 8 * group(j), d);
      if (norm.dy.data != nullptr) dy[j] = load_eight<true>(norm.dy.row(r), 8 * group(j), d);
      if (norm.ds.data != nullptr) ds[j] = load_eight<true>(norm.ds.row(r), 8 * group(j), d);
    }
    Philox4 words[kEights];  // made while the row is on its way
#pragma unroll
    for (int j = 0; j < kEights; ++j) words[j] = dropout.words(group(j));

    NormGradient through_y{norm.mean[r], norm.rstd[r]};
    if (norm.dy.data != nullptr) {
      NormSums sums;
#pragma unroll
      for (int j = 0; j < kEights; ++j) {
        if (mine(j)) sums.add(through_y, dy[j], gamma(j), s[j], dgamma[j], dbeta[j]);
      }
      through_y.average_g = warp_sum(sums.g) * norm.over_d;
      through_y.average_gn = warp_sum(sums.gn) * norm.over_d;
    }
    // Registers are what is scarce: gamma is read again, from the nearest cache, and packs are unpacked again.
    asm volatile("" ::: "memory");
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      stay_packed(dy[j]);
      stay_packed(s[j]);
    }
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      if (mine(j)) put_gradients<true>(norm, r, group(j), through_y, dy[j], gamma(j), s[j], ds[j], dropout, words[j]);
    }
  }

  // What the warps made is added in their order, dgamma first.
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

// A thread owns the same channels in every row, so that nobody else touches their sums.
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
        // Channels that are missing have a dy and a gamma of zero, and are not stored.
        sums.add(through_y, load_eight<kPacked>(norm.dy.row(r), 8 * g, d), load_eight<kPacked>(norm.gamma, 8 * g, d),
                 load_eight<kPacked>(norm.s.row(r), 8 * g, d), dgamma, dbeta);
        store_eight<kPacked>(dgamma, all_dgamma, 8 * g, d);
        store_eight<kPacked>(dbeta, all_dbeta, 8 * g, d);
      }
      through_y.average_g = block_sum(sums.g, shared) * norm.over_d;
      through_y.average_gn = block_sum(sums.gn, shared) * norm.over_d;
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

template <class T>
struct BackwardPlan {
  void (*kernel)(AddNormBackward<T>);
  int threads;
  std::size_t shared_bytes;
  std::int64_t rows_at_once, most_blocks;  // rows that a block has in hand, and blocks that fill a device

  std::int64_t blocks(std::int64_t rows) const {
    return std::clamp<std::int64_t>(divide_up(rows, rows_at_once), 1, most_blocks);
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
        .over_d = 1 / static_cast<float>(d),
        .dropout = dropout_mask(da.wanted() ? dropout : Dropout{}, segments),
        .dx = sink_rows<T>(dx),
        .da = sink_rows<T>(da),
        .sums = elements<float>(sums),
    };
    launch(*this, plan.kernel, static_cast<unsigned>(blocks), plan.threads, plan.shared_bytes, norm);
    if (!dgamma.wanted() && !dbeta.wanted()) return;
    dispatch(type_of(dgamma, type_of(dbeta, DType::kFloat32)), [&]<class G>() {
      const dim3 grid(static_cast<unsigned>(divide_up(d, kWarp)), 2);
      launch(*this, add_blocks<G>, grid, kColumnThreads, 0, norm.sums, blocks, d, sink_rows<G>(dgamma),
             sink_rows<G>(dbeta));
    });
  });
}

}  // namespace dragoman::cuda
