// Attention of decoding steps: one query per row, over cached keys or over the memory. The bits of a row do not depend
// on the other rows. Heads of more than kMaxWidth channels have a kernel of their own, attention/step_wide.cuh. This is
// the kernel of all others; it uses no shared memory: all is in registers.
//
// A warp owns one query of one head. Its lanes form groups of 8, 16 or 32; a group works on one key at a time, and each
// lane has a slice of the channels. For bf16 heads of 64 channels (groups of 8 lanes):
//
//     lanes      0 .. 7       8 .. 15      16 .. 23     24 .. 31
//     keys       0, 4, 8 ..   1, 5, 9 ..   2, 6, 10 ..  3, 7, 11 ..
//     channels   lane i of a group has [8 i, 8 i + 8) of the query, the keys and the values
//
// A block has 8 warps: 4 neighbouring rows times 2 heads. The passes of a warp:
//   1. Load the query, times the scale.
//   2. Self-attention only: take the new token's key and value from the inputs, and group 0 writes them into their
//      cell.
//   3. Go through the keys 32 at a time: lane i looks up the place of key i, and the groups load their keys and values,
//      4 or 2 each at once, so that the loads are under way together. Each group has its own running softmax.
//   4. Join the groups, divide by the sum, and group 0 writes the output.
//   5. If the caller wants the weights: turn the scores that passes 2 and 3 stored into weights.
#include <algorithm>

#include "dragoman/backend/cuda/attention.h"
#include "dragoman/backend/cuda/attention/step_wide.cuh"

namespace dragoman::cuda {

namespace {

// Neighbouring rows are usually hypotheses of one sentence. In one block they read the same keys at about the same
// time, so that these come from the cache.
constexpr int kBlockRows = 4, kBlockHeads = 2, kThreads = kBlockRows * kBlockHeads * kWarp;
constexpr int kMaxWidth = 256;  // the widest head that a warp has in its registers

// A lane's share of a vector of d channels if the vectors are aligned: 16 neighbouring bytes. A lane whose channels lie
// beyond the last one loads other channels instead, which are then multiplied by 0 or not stored. A group has
// kGroupLanes lanes.
template <class T, int kGroupLanes>
struct PackSlice {
  static constexpr int kLanes = kGroupLanes, kCount = Pack<T>::kCount;
  Pack<unsigned> words;  // unpacked only where they are used: bf16 then takes half the registers

  __device__ void load(const T* from, int lane, int d) {
    words = *reinterpret_cast<const Pack<unsigned>*>(from + min(lane * kCount, d - kCount));
  }
  static __device__ bool has(int, int lane, int d) { return lane * kCount < d; }
  __device__ void store(T* to, int lane, int d) const {
    if (!has(0, lane, d)) return;
    const uint4 all = make_uint4(words.at[0], words.at[1], words.at[2], words.at[3]);
    __stwb(reinterpret_cast<uint4*>(to + lane * kCount), all);  // a plain assignment becomes four stores
  }
  __device__ float get(int j) const {
    if constexpr (std::is_same_v<T, float>) return __uint_as_float(words.at[j]);
    return __uint_as_float(j % 2 == 0 ? words.at[j / 2] << 16 : words.at[j / 2] & 0xFFFF0000u);
  }
  __device__ void set(const float (&x)[kCount]) {
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if constexpr (std::is_same_v<T, float>) {
        words.at[w] = __float_as_uint(x[w]);
      } else {
        words.at[w] = static_cast<unsigned>(__bfloat16_as_ushort(__float2bfloat16_rn(x[2 * w + 1]))) << 16 |
                      __bfloat16_as_ushort(__float2bfloat16_rn(x[2 * w]));
      }
    }
  }
};

// A lane's share if the vectors are not aligned: every 32nd channel. The whole warp is one group.
template <class T>
struct StridedSlice {
  static constexpr int kLanes = kWarp, kCount = kMaxWidth / kWarp;
  T at[kCount];

  __device__ void load(const T* from, int lane, int d) {
#pragma unroll
    for (int j = 0; j < kCount; ++j) at[j] = has(j, lane, d) ? from[lane + j * kWarp] : from_float<T>(0.0f);
  }
  static __device__ bool has(int j, int lane, int d) { return lane + j * kWarp < d; }
  __device__ void store(T* to, int lane, int d) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      if (has(j, lane, d)) to[lane + j * kWarp] = at[j];
    }
  }
  __device__ float get(int j) const { return to_float(at[j]); }
  __device__ void set(const float (&x)[kCount]) {
#pragma unroll
    for (int j = 0; j < kCount; ++j) at[j] = from_float<T>(x[j]);
  }
};

// One query of a head. `lane` is the lane's number within its group, and q its slice of the query, times the scale.
template <class T, class Slice>
struct Query {
  static constexpr int kCount = Slice::kCount, kGroups = kWarp / Slice::kLanes;
  const Step<T>& step;
  std::int64_t row;
  int head, lane, group;
  float q[kCount];

  __device__ float score(const Slice& key) const {
    float sum = 0;
#pragma unroll
    for (int j = 0; j < kCount; ++j) sum += q[j] * key.get(j);
    return group_sum<Slice::kLanes>(sum);
  }
  // Stores a score where the weight of the key goes, if the caller wants the weights.
  __device__ void store_score(float score, int key) const {
    if (step.weights != nullptr && lane == 0) step.weights_of(row, head)[key] = score;
  }

  // Adds n keys for each group, from `key` on; keys from `end` on are loaded but do not count. Lane i of the warp knows
  // the place of key first + i.
  template <int n, class Rows>
  __device__ void add_keys(int key, int end, int first, int place, const Rows& K, const Rows& V,
                           RunningSoftmax<Slice>& running) const {
    Slice keys[n], values[n];
#pragma unroll
    for (int u = 0; u < n; ++u) {
      const std::int64_t at = __shfl_sync(kAllLanes, place, key - first + u * kGroups + group);
      keys[u].load(K.data + at * K.stride, lane, step.d_k);
      values[u].load(V.data + at * V.stride, lane, step.d_v);
    }
    float scores[n];
#pragma unroll
    for (int u = 0; u < n; ++u) {
      const int mine = key + u * kGroups + group;
      scores[u] = score(keys[u]);
      if (mine < end) {
        store_score(scores[u], mine);
      } else {
        scores[u] = -INFINITY;
      }
    }
    running.add(scores, values);
  }
};

template <class T, class Slice, class Source>
__global__ void __launch_bounds__(kThreads, Slice::kLanes == kWarp ? 2 : 3)
    attention_step_kernel(Step<T> step, Source source) {
  const int head_blocks = (step.h + kBlockHeads - 1) / kBlockHeads, warp = threadIdx.x / kWarp;
  const std::int64_t r = static_cast<std::int64_t>(blockIdx.x / head_blocks) * kBlockRows + warp % kBlockRows;
  const int head = blockIdx.x % head_blocks * kBlockHeads + warp / kBlockRows;
  if (r >= step.Q.rows || head >= step.h) return;

  // Pass 1.
  const int warp_lane = threadIdx.x % kWarp, d_k = step.d_k, d_v = step.d_v;
  Query<T, Slice> query{step, r, head, warp_lane % Slice::kLanes, warp_lane / Slice::kLanes, {}};
  Slice slice;
  slice.load(step.Q.row(r) + head * d_k, query.lane, d_k);
#pragma unroll
  for (int j = 0; j < Slice::kCount; ++j) {
    query.q[j] = Slice::has(j, query.lane, d_k) ? slice.get(j) * step.scale : 0.0f;
  }

  // Pass 2.
  RunningSoftmax<Slice> running;
  const int from = source.first_key(r), to = source.keys(r);
  if constexpr (Source::kCached) {
    Slice values[1];
    slice.load(source.new_K.row(r) + head * d_k, query.lane, d_k);
    values[0].load(source.new_V.row(r) + head * d_v, query.lane, d_v);
    const float score = query.score(slice);
    if (query.group == 0) {
      const std::int64_t cell = source.place(r, to);
      slice.store(source.K.row(cell) + head * d_k, query.lane, d_k);
      values[0].store(source.V.row(cell) + head * d_v, query.lane, d_v);
      query.store_score(score, to);
      running.add({score}, values);
    }
  }
  // Pass 3.
  auto K = source.K, V = source.V;
  K.data += head * d_k;
  V.data += head * d_v;
  constexpr int kManyKeys = 4 * Query<T, Slice>::kGroups, kFewKeys = kManyKeys / 2;  // keys per call of `add_keys`
  for (int first = from; first < to; first += kWarp) {
    // Lanes beyond the last key repeat the last one, so that every load is valid.
    const int place = static_cast<int>(source.place(r, min(first + warp_lane, to - 1)));
    const int end = min(first + kWarp, to);
    int key = first;
    for (; end - key > kFewKeys; key += kManyKeys) query.template add_keys<4>(key, end, first, place, K, V, running);
    if (key < end) query.template add_keys<2>(key, end, first, place, K, V, running);
  }
  // Pass 4.
  running.join();
  const float factor = running.sum > 0 ? 1 / running.sum : 0.0f;
#pragma unroll
  for (int j = 0; j < Slice::kCount; ++j) running.values[j] *= factor;
  slice.set(running.values);
  if (query.group == 0) slice.store(step.O.row(r) + head * d_v, query.lane, d_v);
  // Pass 5.
  if (step.weights != nullptr) {  // in self-attention the new token is key number `to`
    finish_weights(step.weights_of(r, head), step.longest, from, to + Source::kCached,
                   running.maximum + log2f(running.sum));
  }
}

template <class T, class Source>
void launch_step(const Context& on, const Step<T>& step, const Source& source,
                 std::initializer_list<const Array*> arrays) {
  const int width = std::max(step.d_k, step.d_v);
  if (width > kMaxWidth) return launch_wide_step(on, step, source, arrays);
  constexpr int kCount = Pack<T>::kCount;
  const bool packs = step.d_k % kCount == 0 && step.d_v % kCount == 0 && packable<T>(arrays);
  const auto kernel = !packs || width > 32 * kCount ? attention_step_kernel<T, StridedSlice<T>, Source>
                      : width > 16 * kCount         ? attention_step_kernel<T, PackSlice<T, 32>, Source>
                      : width > 8 * kCount          ? attention_step_kernel<T, PackSlice<T, 16>, Source>
                                                    : attention_step_kernel<T, PackSlice<T, 8>, Source>;
  const std::int64_t blocks = divide_up(step.Q.rows, kBlockRows) * divide_up(step.h, kBlockHeads);
  launch(on, kernel, blocks, kThreads, 0, step, source);
}

template <class T>
Step<T> make_step(const Array& Q, const Array& V, const Heads& heads, const Array& O, const Array& weights,
                  std::int64_t longest) {
  return {.Q = matrix<const T>(Q),
          .O = matrix<T>(O),
          .h = static_cast<int>(heads.h),
          .d_k = static_cast<int>(Q.cols() / heads.h),
          .d_v = static_cast<int>(V.cols() / heads.h),
          .scale = static_cast<float>(heads.scale) * ExpSum::kLog2E,
          .weights = elements<float>(weights),
          .longest = longest};
}

}  // namespace

void Attention::do_attention_cached(const Array& Q, const Array& K, const Array& V, const CachedKeys& cache,
                                    const Mask& mask, const Heads& heads, Array& O, Array& weights) const {
  const std::int64_t steps = cache.cells.cols();
  dispatch(Q.dtype(), [&]<class T>() {
    const Step<T> step = make_step<T>(Q, V, heads, O, weights, steps);
    const CachedSource<T> source{.K = matrix<T>(cache.K),
                                 .V = matrix<T>(cache.V),
                                 .new_K = matrix<const T>(K),
                                 .new_V = matrix<const T>(V),
                                 .cells = matrix<const std::int32_t>(cache.cells),
                                 .lengths = elements<const std::int32_t>(cache.lengths),
                                 .mask = mask};
    launch_step(*this, step, source, {&Q, &K, &V, &O, &cache.K, &cache.V});
  });
}

void Attention::do_attention_memory(const Array& Q, const Array& K, const Array& V, const MemoryRows& memory,
                                    const Heads& heads, Array& O, Array& weights) const {
  dispatch(Q.dtype(), [&]<class T>() {
    const Step<T> step = make_step<T>(Q, V, heads, O, weights, memory.longest);
    const MemorySource<T> source{.K = matrix<const T>(K),
                                 .V = matrix<const T>(V),
                                 .first = elements<const std::int32_t>(memory.first),
                                 .count = elements<const std::int32_t>(memory.count)};
    launch_step(*this, step, source, {&Q, &K, &V, &O});
  });
}

}  // namespace dragoman::cuda
