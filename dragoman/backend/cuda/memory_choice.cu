// The choice of keys for hard attention over a memory. A warp owns a row; lane l has the keys l, l + 32, l + 64 ...
#include "dragoman/backend/cuda/memory_attention.h"
#include "dragoman/backend/cuda/memory_rows.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kWarps = 4;

using Kind = KeyChoice::Kind;

// A KeyChoice in the form that kernels take. sentence and position are null for kLargest.
struct Choice {
  Kind kind;
  std::uint32_t key0, key1, update;
  double soft_share, temperature;
  const std::int32_t *sentence, *position;

  static __device__ double uniform(std::uint32_t word) { return (word + 1.0) * 0x1p-32; }
  __device__ bool soft(std::int64_t r) const {
    const Philox4 words = philox({0xFFFFFFFFu, 0, static_cast<std::uint32_t>(sentence[r]), update}, {key0, key1});
    return uniform(words[0]) <= soft_share;
  }
  // The random number of key j.
  __device__ double number(std::int64_t r, int j) const {
    const Philox4 words = philox({static_cast<std::uint32_t>(j / 4), static_cast<std::uint32_t>(position[r]),
                                  static_cast<std::uint32_t>(sentence[r]), update},
                                 {key0, key1});
    return uniform(words[j % 4]);
  }
};

// The key with the largest value over the keys of a warp, the first of equal ones. It starts with the lane's first key,
// so that it is a key also if no value is a number.
template <class T>
struct Largest {
  T value = -INFINITY;
  int key = threadIdx.x % kWarp;

  __device__ void add(T other, int other_key) {
    if (other > value || (other == value && other_key < key)) {
      value = other;
      key = other_key;
    }
  }
  __device__ void join() {
    for (int step = kWarp / 2; step > 0; step /= 2) {
      const T other = __shfl_xor_sync(kAllLanes, value, step);
      const int other_key = __shfl_xor_sync(kAllLanes, key, step);
      add(other, other_key);
    }
  }
};

__device__ int largest_key(const float* weights, int keys, int lane) {
  Largest<float> largest;
  for (int j = lane; j < keys; j += kWarp) largest.add(weights[j], j);
  largest.join();
  return largest.key;
}

// All lanes add the weights in the order of the keys, as the CPU does, so that both choose the same key.
__device__ int drawn_key(const float* weights, int keys, double u, int lane) {
  double cumulative = 0;
  int last = 0;  // the last key with a weight, in case rounding leaves the sum below u
  for (int first = 0; first < keys; first += kWarp) {
    const float mine = first + lane < keys ? weights[first + lane] : 0.0f;
#pragma unroll 8
    for (int i = 0; i < kWarp; ++i) {
      const float weight = __shfl_sync(kAllLanes, mine, i);
      cumulative += weight;
      if (weight != 0) last = first + i;
      if (weight != 0 && cumulative >= u) return last;
    }
  }
  return last;
}

// Computes in double: random numbers near 1 would be rounded to 1 in float. Passes: 1. the largest sum, 2. the
// exponentials, stored in `relaxed`, and their sum, 3. the quotients. The sums are computed again in pass 2.
__device__ int gumbel_key(const Choice& choice, std::int64_t r, const float* weights, int keys, std::int64_t cols,
                          float* relaxed, int lane) {
  const auto noisy = [&](int j) {
    const double u = fmin(choice.number(r, j), 1 - 0x1p-33);
    return log(static_cast<double>(weights[j])) - log(-log(u));
  };
  Largest<double> largest;
  for (int j = lane; j < keys; j += kWarp) largest.add(noisy(j), j);
  largest.join();
  double sum = 0;
  for (int j = lane; j < keys; j += kWarp) {
    const double power = exp((noisy(j) - largest.value) / choice.temperature);
    relaxed[j] = static_cast<float>(power);
    sum += power;
  }
  sum = warp_sum(sum);
  // A lane reads only what it has written.
  for (std::int64_t j = lane; j < cols; j += kWarp) {
    relaxed[j] = j < keys ? static_cast<float>(relaxed[j] / sum) : 0.0f;
  }
  return largest.key;
}

__global__ void __launch_bounds__(kWarps* kWarp)
    choose_keys_kernel(Matrix<const float> weights, KeysOfRows memory, Choice choice, std::int32_t* chosen,
                       Matrix<float> relaxed) {
  const std::int64_t r = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kWarp;
  if (r >= weights.rows) return;
  const int keys = memory.count[r], lane = threadIdx.x % kWarp;
  const float* row = weights.row(r);
  int key = -1;
  switch (choice.kind) {
    case Kind::kLargest: key = largest_key(row, keys, lane); break;
    case Kind::kDrawn: key = choice.soft(r) ? -1 : drawn_key(row, keys, choice.number(r, 0), lane); break;
    case Kind::kGumbel: key = gumbel_key(choice, r, row, keys, weights.cols, relaxed.row(r), lane); break;
  }
  if (lane == 0) chosen[r] = keys > 0 ? key : -1;  // a row without keys has none to choose
}

}  // namespace

void MemoryAttention::do_choose_keys(const Array& weights, const MemoryRows& memory, const KeyChoice& choice,
                                     Array& chosen, Array& relaxed) const {
  const bool random = choice.kind != Kind::kLargest;
  const Choice choose{.kind = choice.kind,
                      .key0 = choice.key[0],
                      .key1 = choice.key[1],
                      .update = choice.update,
                      .soft_share = choice.soft_share,
                      .temperature = choice.temperature,
                      .sentence = random ? elements<const std::int32_t>(choice.sentence) : nullptr,
                      .position = random ? elements<const std::int32_t>(choice.position) : nullptr};
  launch(*this, choose_keys_kernel, divide_up(weights.rows(), kWarps), kWarps * kWarp, 0, matrix<const float>(weights),
         keys_of_rows(memory), choose, elements<std::int32_t>(chosen),
         relaxed ? matrix<float>(relaxed) : Matrix<float>{});
}

}  // namespace dragoman::cuda
