// The mix of the values of a memory, soft or hard. A row owns its memory rows, so no two blocks write to the same
// place.
#include "dragoman/backend/cuda/memory_attention.h"
#include "dragoman/backend/cuda/memory_rows.cuh"

namespace dragoman::cuda {

namespace {

// The chosen key of each row, or null if all rows use soft attention.
struct Chosen {
  const std::int32_t* keys = nullptr;

  __device__ int key(std::int64_t r) const { return keys == nullptr ? -1 : keys[r]; }
};

// A block has 256 columns of a row, as memory_rows.cuh says. The row of a chosen key is copied; otherwise each warp
// sums its keys, and then the sums of the warps are added.
template <bool kPacked, class T>
__global__ void __launch_bounds__(kSumThreads)
    memory_mix_kernel(Matrix<const float> weights, Chosen chosen, Matrix<const T> V, KeysOfRows memory, Matrix<T> O) {
  __shared__ WarpSums sums;
  const std::int64_t r = blockIdx.x, first = memory.first[r], left = std::int64_t{blockIdx.y} * kSumColumns;
  const std::int64_t column = left + threadIdx.x;
  const int keys = memory.count[r], key = chosen.key(r);
  if (key >= 0) {
    if (column < V.cols) O.row(r)[column] = V.row(first + key)[column];
    return;
  }
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t c = left + 8 * lane;
  const float* weight = weights.row(r);
  Eight<float> sum{};
  if (c < V.cols) {
#pragma unroll 4
    for (int j = warp; j < keys; j += kSumWarps) {
      const Eight<T> v = load_eight<kPacked>(V.row(first + j), c, V.cols);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum.at[i] += weight[j] * v[i];
    }
  }
  const float total = sum_of_warps(sum, sums);
  if (column < V.cols) O.row(r)[column] = from_float<T>(total);
}

// The gradients of the weights of one row that chose a key, as the contract defines them.
struct ChoiceGradient {
  const float *weights, *relaxed, *products;  // relaxed and products = dO . V are null unless there is Gumbel noise
  int chosen;
  float temperature, credit, entropy;
  float mean;  // of the products, with the relaxed weights

  __device__ float operator()(int j) const {
    const float weight = weights[j];
    if (!(weight > 0)) return 0;
    float gradient = j == chosen ? credit / weight : 0.0f;
    if (entropy != 0) gradient += entropy * logf(weight);
    if (relaxed != nullptr) gradient += relaxed[j] * (products[j] - mean) / (temperature * weight);
    return gradient;
  }
};

constexpr int kBackwardWarps = 16, kBackwardThreads = kBackwardWarps * kWarp;

template <class T, class G>
struct MixBackward {
  Matrix<const T> dO, V;
  Matrix<const float> weights;
  Chosen chosen;
  Matrix<const float> relaxed;  // null without Gumbel noise
  Matrix<float> products;       // [n, longest], scratch; null without Gumbel noise
  const float* credit;          // or null
  float temperature, entropy;
  KeysOfRows memory;
  SinkRows<float> d_weights;
  std::int64_t weight_cols;
  SinkRows<G> dV;
};

// One block per row. Pass 1: warp w has the keys w, w + 16, w + 32 ...; lane l has the columns [8 l, 8 l + 8),
// [8 l + 256, 8 l + 264) ... It adds to dV and computes the products dO . V. These are the gradients of the weights if
// the row uses soft attention; with Gumbel noise they go to scratch memory. Pass 2, if a key was chosen: the gradients
// of the weights.
template <bool kPacked, class T, class G>
__global__ void __launch_bounds__(kBackwardThreads) memory_mix_backward_kernel(MixBackward<T, G> x) {
  __shared__ float shared[kBackwardWarps];
  const std::int64_t r = blockIdx.x, first = x.memory.first[r], d_v = x.V.cols;
  const int keys = x.memory.count[r], warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, chosen = x.chosen.key(r);
  const bool soft = chosen < 0, relaxed = x.relaxed.data != nullptr;
  const bool multiplies = x.d_weights.data != nullptr && (soft || relaxed);
  for (int j = warp; j < keys; j += kBackwardWarps) {
    const bool adds = x.dV.data != nullptr && (soft || j == chosen);
    if (!multiplies && !adds) continue;
    const float weight = soft ? x.weights.row(r)[j] : 1.0f;
    float product = 0;
#pragma unroll 2
    for (std::int64_t c = 8 * lane; c < d_v; c += 8 * kWarp) {
      const Eight<T> d = load_eight<kPacked>(x.dO.row(r), c, d_v);
      if (multiplies) {
        const Eight<T> v = load_eight<kPacked>(x.V.row(first + j), c, d_v);
#pragma unroll
        for (int i = 0; i < 8; ++i) product += d[i] * v[i];
      }
      if (adds) {
        Eight<float> dv;
#pragma unroll
        for (int i = 0; i < 8; ++i) dv.at[i] = weight * d[i];
        put_eight<kPacked>(dv, x.dV, first + j, c, d_v);
      }
    }
    if (!multiplies) continue;
    product = warp_sum(product);
    if (lane != 0) continue;
    if (soft) {
      x.d_weights.put(r, j, product);
    } else {
      x.products.row(r)[j] = product;
    }
  }
  if (x.d_weights.data == nullptr) return;
  if (!x.d_weights.accumulates) {  // the columns after the keys
    for (std::int64_t j = keys + threadIdx.x; j < x.weight_cols; j += kBackwardThreads) x.d_weights.put(r, j, 0);
  }
  if (soft) return;

  ChoiceGradient gradient{.weights = x.weights.row(r),
                          .relaxed = nullptr,
                          .products = nullptr,
                          .chosen = chosen,
                          .temperature = x.temperature,
                          .credit = x.credit == nullptr ? 0.0f : x.credit[r],
                          .entropy = x.entropy,
                          .mean = 0};
  if (relaxed) {
    gradient.relaxed = x.relaxed.row(r);
    gradient.products = x.products.row(r);
    __syncthreads();  // the products of all warps are there
    float sum = 0;
    for (int j = threadIdx.x; j < keys; j += kBackwardThreads) sum += gradient.relaxed[j] * gradient.products[j];
    gradient.mean = block_sum(sum, shared);
  }
  for (int j = threadIdx.x; j < keys; j += kBackwardThreads) x.d_weights.put(r, j, gradient(j));
}

Chosen chosen_keys(const Array& chosen) { return {elements<const std::int32_t>(chosen)}; }

template <class T>
Matrix<T> matrix_or_none(const Array& x) {
  return x ? matrix<T>(x) : Matrix<T>{};
}

// `chosen` is absent if all rows use soft attention.
void mix(const Context& on, const Array& weights, const Array& chosen, const Array& V, const MemoryRows& memory,
         const Array& O) {
  dispatch(V.dtype(), [&]<class T>() {
    launch(on, in_eights({&V}) ? memory_mix_kernel<true, T> : memory_mix_kernel<false, T>,
           sum_grid(weights.rows(), V.cols()), kSumThreads, 0, matrix<const float>(weights), chosen_keys(chosen),
           matrix<const T>(V), keys_of_rows(memory), matrix<T>(O));
  });
}

// `chosen` and `relaxed` may be absent.
void mix_backward(const Context& on, const Array& dO, const Array& weights, const Array& chosen, const Array& relaxed,
                  double temperature, const HardCredit& credit, const Array& V, const MemoryRows& memory,
                  const Sink& d_weights, Sink dV) {
  if (dV.wanted() && !dV.accumulates()) on.fill(dV.array, 0);
  const ArenaScope scratch(on.arena());
  const Array products =
      relaxed && d_weights.wanted() ? on.empty(Shape{weights.rows(), memory.longest}, DType::kFloat32) : Array();
  const bool packed = in_eights({&dO, &V, &dV.array});
  dispatch(V.dtype(), [&]<class T>() {
    dispatch(type_of(dV, V.dtype()), [&]<class G>() {
      const MixBackward<T, G> backward{.dO = matrix<const T>(dO),
                                       .V = matrix<const T>(V),
                                       .weights = matrix<const float>(weights),
                                       .chosen = chosen_keys(chosen),
                                       .relaxed = matrix_or_none<const float>(relaxed),
                                       .products = matrix_or_none<float>(products),
                                       .credit = elements<const float>(credit.credit),
                                       .temperature = static_cast<float>(temperature),
                                       .entropy = static_cast<float>(credit.entropy),
                                       .memory = keys_of_rows(memory),
                                       .d_weights = sink_rows<float>(d_weights),
                                       .weight_cols = weights.cols(),
                                       .dV = adding_rows<G>(dV)};
      launch(on, packed ? memory_mix_backward_kernel<true, T, G> : memory_mix_backward_kernel<false, T, G>,
             weights.rows(), kBackwardThreads, 0, backward);
    });
  });
}

}  // namespace

void MemoryAttention::do_memory_mix(const Array& weights, const Array& V, const MemoryRows& memory, Array& O) const {
  mix(*this, weights, {}, V, memory, O);
}

void MemoryAttention::do_memory_mix_backward(const Array& dO, const Array& weights, const Array& V,
                                             const MemoryRows& memory, Sink d_weights, Sink dV) const {
  mix_backward(*this, dO, weights, {}, {}, 1, {}, V, memory, d_weights, dV);
}

void MemoryAttention::do_chosen_mix(const Array& weights, const Array& chosen, const Array& V, const MemoryRows& memory,
                                    Array& O) const {
  mix(*this, weights, chosen, V, memory, O);
}

void MemoryAttention::do_chosen_mix_backward(const Array& dO, const Array& weights, const Array& chosen,
                                             const Array& relaxed, double temperature, const HardCredit& credit,
                                             const Array& V, const MemoryRows& memory, Sink d_weights, Sink dV) const {
  mix_backward(*this, dO, weights, chosen, relaxed, temperature, credit, V, memory, d_weights, dV);
}

}  // namespace dragoman::cuda
