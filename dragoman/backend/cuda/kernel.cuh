// What every file of CUDA kernels needs: typed matrices, dispatch on the element type, launches, reductions and
// dropout.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/absent_words.h"
#include "dragoman/backend/cuda/context.h"
#include "dragoman/backend/cuda/errors.h"
#include "dragoman/backend/cuda/grid.h"
#include "dragoman/backend/cuda/profile.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"
#include "dragoman/base/error.h"

namespace dragoman::cuda {

using bf16 = __nv_bfloat16;

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// The DType of elements of type T.
template <class T>
inline constexpr DType kDType = std::is_same_v<T, bf16>           ? DType::kBFloat16
                                : std::is_same_v<T, float>        ? DType::kFloat32
                                : std::is_same_v<T, double>       ? DType::kFloat64
                                : std::is_same_v<T, std::int32_t> ? DType::kInt32
                                                                  : DType::kInt8;

// The first element, or null for an absent array. Throws ShapeError if the array's element type is not T.
template <class T>
T* elements(const Array& x) {
  if (x.absent()) return nullptr;
  require<ShapeError>(x.dtype() == kDType<std::remove_const_t<T>>, "a CUDA kernel was given elements of type ",
                      x.dtype(), " but needs ", kDType<std::remove_const_t<T>>);
  return static_cast<T*>(x.raw());
}

// An Array as a matrix of T, in the form that kernels take. `stride` is the distance from row to row, in elements.
template <class T>
struct Matrix {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;

  __device__ T* row(std::int64_t r) const { return data + r * stride; }
};

template <class T>
Matrix<T> matrix(const Array& x) {
  return {elements<T>(x), x.rows(), x.cols(), x.row_stride()};
}

// Calls f.operator()<T>() with T = float or bf16. Throws ShapeError for other element types.
template <class F>
void dispatch(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kFloat32: return f.template operator()<float>();
    case DType::kBFloat16: return f.template operator()<bf16>();
    default:
      throw ShapeError(join("a CUDA kernel was given elements of type ", dtype, " but needs float32 or bfloat16"));
  }
}

__host__ __device__ constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Whether the blocks of a launch run independently, or all at the same time because they wait for each other.
enum class Blocks { kIndependent, kTogether };

// Launches a kernel on the backend's stream; does nothing in a dry backend or for an empty grid. All launches go
// through here.
template <Blocks kBlocks = Blocks::kIndependent, class... Parameters, class... Arguments>
void launch(const Context& on, void (*kernel)(Parameters...), const Grid& blocks, int threads, std::size_t shared_bytes,
            const Arguments&... arguments) {
  blocks.check();
  if (on.dry() || blocks.empty()) return;
  const dim3 grid(static_cast<unsigned>(blocks.x), static_cast<unsigned>(blocks.y), static_cast<unsigned>(blocks.z));
  const cudaStream_t stream = on.stream();
  if (shared_bytes > 48 * 1024) {
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "setting the shared memory of a kernel");
  }
  const Timed timed(on.profiler(), stream, [&] { return Profile::name_of(reinterpret_cast<const void*>(kernel)); });
  if constexpr (kBlocks == Blocks::kIndependent) {
    kernel<<<grid, threads, shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
    check(cudaGetLastError(), "the launch of a kernel");
  } else {
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "the launch of a kernel");
  }
}

// Kernels compute in float: conversions from and to the element type.
__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(bf16 x) { return __bfloat162float(x); }
__device__ inline float to_float(double x) { return static_cast<float>(x); }
template <class T>
__device__ T from_float(float x) {
  if constexpr (std::is_same_v<T, bf16>) {
    return __float2bfloat16_rn(x);
  } else {
    return static_cast<T>(x);
  }
}

// Sixteen bytes of elements that are loaded and stored at once: eight of bf16, four of float.
template <class T>
struct alignas(16) Pack {
  static constexpr int kCount = 16 / sizeof(T);
  T at[kCount];
};
// Whether all these arrays can be read as packs: columns and stride are multiples of Pack::kCount, and the address is
// aligned to 16 bytes. Absent arrays do not count.
template <class T>
bool packable(std::initializer_list<const Array*> arrays) {
  for (const Array* x : arrays) {
    if (x->absent()) continue;
    if (x->cols() % Pack<T>::kCount != 0 || x->row_stride() % Pack<T>::kCount != 0) return false;
    if (reinterpret_cast<std::uintptr_t>(x->raw()) % 16 != 0) return false;
  }
  return true;
}

// Sum and maximum over the threads of a warp, returned to each of them.
template <class T>
__device__ T warp_sum(T x) {
  for (int step = kWarp / 2; step > 0; step /= 2) x += __shfl_xor_sync(kAllLanes, x, step);
  return x;
}
// A NaN does not count. (If it did, some threads would get it and others not, depending on where it came from.)
template <class T>
__device__ T warp_max(T x) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(kAllLanes, x, step);
    x = other > x || x != x ? other : x;
  }
  return x;
}

// The sum over all threads of a block, returned to each of them. `shared` has space for one T per warp. The number of
// threads must be a multiple of kWarp.
template <class T>
__device__ T block_sum(T x, T* shared) {
  x = warp_sum(x);
  const int warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  __syncthreads();
  if (threadIdx.x % kWarp == 0) shared[warp] = x;
  __syncthreads();
  T total = 0;
  for (int w = 0; w < warps; ++w) total += shared[w];
  return total;
}

// Dropout masks of a ragged batch's rows, as backend/dropout.h defines them. If dropout is off, `sentence` and
// `position` are null and must not be read.
struct DropoutMask {
  std::uint32_t threshold = 0, update = 0, key0 = 0, key1 = 0;
  float scale = 1;
  const std::int32_t *sentence = nullptr, *position = nullptr;  // of each row

  __device__ bool on() const { return threshold > 0; }
  // The random draw for the channels [8 group, 8 group + 8) of a row: 16 bits for each.
  __device__ Philox4 words(std::int64_t row, std::uint32_t group) const {
    return philox({group, static_cast<std::uint32_t>(position[row]), static_cast<std::uint32_t>(sentence[row]), update},
                  {key0, key1});
  }
  // The factor of channel 8 group + i, from the words of its group: 0 or the scale.
  __device__ float factor(const Philox4& words, int i) const {
    const std::uint32_t bits = i % 2 == 0 ? words[i / 2] & 0xFFFFu : words[i / 2] >> 16;
    return bits < threshold ? 0.0f : scale;
  }
};

inline DropoutMask dropout_mask(const Dropout& dropout, const Segments& segments) {
  DropoutMask mask;
  if (!dropout.on()) return mask;
  mask.threshold = dropout.threshold;
  mask.update = dropout.update;
  mask.key0 = dropout.key[0];
  mask.key1 = dropout.key[1];
  mask.scale = static_cast<float>(dropout.scale());
  mask.sentence = elements<const std::int32_t>(segments.sentence);
  mask.position = elements<const std::int32_t>(segments.position);
  return mask;
}

// A Sink in the form that kernels take: put() overwrites or adds. `data` is null if the gradient is not wanted; then
// put() must not be called. G is float or bf16.
template <class G>
struct SinkRows {
  G* data = nullptr;
  std::int64_t stride = 0;
  bool accumulates = false;

  __device__ void put(std::int64_t row, std::int64_t column, float value) const {
    G& place = data[row * stride + column];
    place = from_float<G>(accumulates ? to_float(place) + value : value);
  }
};
template <class G>
SinkRows<G> sink_rows(const Sink& sink) {
  if (!sink.wanted()) return {};
  return {elements<G>(sink.array), sink.array.row_stride(), sink.accumulates()};
}
// The element type of a sink's array, or `otherwise` if the gradient is not wanted.
inline DType type_of(const Sink& sink, DType otherwise) { return sink.wanted() ? sink.array.dtype() : otherwise; }

// The same as DropoutMask::words, for a row whose sentence and position have already been read.
__device__ inline Philox4 dropout_words(const DropoutMask& mask, std::int32_t sentence, std::int32_t position,
                                        std::int64_t group) {
  return philox({static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(position),
                 static_cast<std::uint32_t>(sentence), mask.update},
                {mask.key0, mask.key1});
}

// Eight neighbouring channels of a row, as many as one draw of a dropout mask covers. x[i] converts to float.
template <class T>
struct alignas(16) Eight {
  T at[8];
  __device__ float operator[](int i) const { return at[i]; }
};
template <>
struct alignas(16) Eight<bf16> {
  std::uint32_t words[4];  // two channels each, the first in the low half
  __device__ float operator[](int i) const {
    return __uint_as_float(i % 2 == 0 ? words[i / 2] << 16 : words[i / 2] & 0xFFFF0000u);
  }
};
// f(0), ..., f(7).
template <class F>
__device__ Eight<float> eight_of(const F& f) {
  Eight<float> y;
#pragma unroll
  for (int i = 0; i < 8; ++i) y.at[i] = f(i);
  return y;
}
template <class T>
__device__ Eight<T> rounded_to(const Eight<float>& x) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    Eight<T> y;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(x.at[2 * i], x.at[2 * i + 1]);
      y.words[i] = *reinterpret_cast<const std::uint32_t*>(&pair);
    }
    return y;
  }
}
// Whether the rows of all these arrays consist of whole groups of eight, at aligned addresses. Absent arrays do not
// count.
inline bool in_eights(std::initializer_list<const Array*> arrays) {
  for (const Array* x : arrays) {
    if (x->absent()) continue;
    const auto row_bytes = x->row_stride() * static_cast<std::int64_t>(size_of(x->dtype()));
    if (x->cols() % 8 != 0 || row_bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(x->raw()) % 16 != 0) return false;
  }
  return true;
}
// Columns [first, first + 8) of a row of `cols` columns; `first` is a multiple of 8. kPacked says that in_eights()
// holds. Otherwise the row may end before column first + 8; missing columns are read as 0 and not stored.
template <bool kPacked, class T>
__device__ Eight<std::remove_const_t<T>> load_eight(T* row, std::int64_t first, std::int64_t cols) {
  using Value = std::remove_const_t<T>;
  if constexpr (kPacked) {
    return reinterpret_cast<const Eight<Value>*>(row)[first / 8];
  } else {
    Eight<float> x;
#pragma unroll
    for (int i = 0; i < 8; ++i) x.at[i] = first + i < cols ? to_float(row[first + i]) : 0;
    return rounded_to<Value>(x);
  }
}
template <bool kPacked, class T>
__device__ void store_eight(const Eight<T>& x, T* row, std::int64_t first, std::int64_t cols) {
  if constexpr (kPacked) {
    // Cast before indexing: if row + first is cast instead, the compiler stores word by word.
    reinterpret_cast<Eight<T>*>(row)[first / 8] = x;
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (first + i < cols) row[first + i] = from_float<T>(x[i]);
    }
  }
}
// Writes eight values to a sink, which must be wanted.
template <bool kPacked, class G>
__device__ void put_eight(Eight<float> x, const SinkRows<G>& sink, std::int64_t r, std::int64_t first,
                          std::int64_t cols) {
  G* row = sink.data + r * sink.stride;
  if (sink.accumulates) {
    const Eight<G> old = load_eight<kPacked>(row, first, cols);
#pragma unroll
    for (int i = 0; i < 8; ++i) x.at[i] += old[i];
  }
  store_eight<kPacked>(rounded_to<G>(x), row, first, cols);
}

// Sums 32 columns of a matrix over its rows. Lane l of every warp passes the address of column l. Warp w adds rows w,
// w + warps, w + 2 warps ...; then warp 0 adds the sums of the warps in order. Only warp 0 gets the result. `shared`
// has space for one float per thread.
__device__ inline float column_sum(const float* column, std::int64_t rows, std::int64_t stride, float* shared) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  float sum = 0;
  std::int64_t r = warp;
  for (; r + 3 * warps < rows; r += 4 * warps) {  // four loads are under way at once
    const float a = column[r * stride], b = column[(r + warps) * stride], c = column[(r + 2 * warps) * stride],
                d = column[(r + 3 * warps) * stride];
    sum += (a + b) + (c + d);
  }
#pragma unroll 1
  for (; r < rows; r += warps) sum += column[r * stride];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int w = 1; w < warps && warp == 0; ++w) sum += shared[w * kWarp + lane];
  return sum;
}

__device__ inline float sigmoid(float x) { return 1 / (1 + expf(-x)); }

// 2^x in one instruction, accurate to two units in the last place; 0 if the result is below the smallest normal number.
__device__ inline float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// A running sum of e^x over many x: the sum is `sum` times e^maximum, where `maximum` is the largest x so far. So it
// does not overflow. A NaN or +infinity among the x makes the sum NaN.
struct ExpSum {
  static constexpr float kLog2E = 1.44269504f;
  float maximum = -INFINITY, sum = 0;

  template <int n>
  __device__ void add(const float (&x)[n]) {
    float largest = x[0];
#pragma unroll
    for (int i = 1; i < n; ++i) largest = fmaxf(largest, x[i]);
    if (largest > maximum) {
      sum *= relative_to(largest);
      maximum = largest;
    }
    // If all numbers are those of absent words, the sum is 0. Else the rounding of `base` could make it infinite.
    const float base = maximum < kAbsentBias ? 0.0f : maximum * kLog2E;
#pragma unroll
    for (int i = 0; i < n; ++i) sum += power_of_two(x[i] * kLog2E - base);
  }
  // e^maximum / e^larger: the factor that relates `sum` to a larger maximum.
  __device__ float relative_to(float larger) const {
    return maximum == larger ? 1.0f : power_of_two((maximum - larger) * kLog2E);
  }
  __device__ float log() const { return maximum + logf(sum); }
};
// The sum over all numbers of a warp, returned to each thread.
__device__ inline ExpSum warp_join(const ExpSum& mine) {
  const float maximum = warp_max(mine.maximum);
  return {maximum, warp_sum(mine.sum * mine.relative_to(maximum))};
}
// The sum over all numbers of a block, returned to each thread. `shared` has space for one float2 per warp.
__device__ inline ExpSum block_join(ExpSum mine, float2* shared) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  mine = warp_join(mine);
  __syncthreads();
  if (lane == 0) shared[warp] = {mine.maximum, mine.sum};
  __syncthreads();
  const float2 joined = lane < warps ? shared[lane] : make_float2(-INFINITY, 0.0f);
  return warp_join({joined.x, joined.y});
}

}  // namespace dragoman::cuda
