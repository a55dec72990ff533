// Kernels that compute each element from the elements at the same place, dropout, and transposition.
#include "dragoman/backend/cuda/elementwise.h"

#include <algorithm>

#include "dragoman/backend/cuda/kernel.cuh"
#include "dragoman/backend/cuda/runs.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256;

template <class C>
struct Constant {
  C value;
  __device__ C operator()(C) const { return value; }
};
template <class C>
struct Multiple {
  C factor;
  __device__ C operator()(C x) const { return factor * x; }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Times {
  __device__ float operator()(float a, float b) const { return a * b; }
};
struct Tanh {
  __device__ float operator()(float x) const { return tanhf(x); }
};
struct TanhGradient {
  __device__ float operator()(float dy, float y) const { return dy * (1 - y * y); }
};
struct Sigmoid {
  __device__ float operator()(float x) const { return sigmoid(x); }
};
struct SigmoidGradient {
  __device__ float operator()(float dy, float y) const { return dy * y * (1 - y); }
};
struct Relu {
  __device__ float operator()(float x) const { return x < 0 ? 0 : x; }
};
struct ReluGradient {
  __device__ float operator()(float dy, float y) const { return y > 0 ? dy : 0; }
};

// The gates of x g(x), as on the CPU: g(x), and its slope g'(x) from x and g = g(x).
struct SigmoidGate {
  float a, b;
  __device__ float value(float x) const { return sigmoid(x * (a + b * x * x)); }
  __device__ float slope(float x, float g) const { return g * (1 - g) * (a + 3 * b * x * x); }
};
struct NormalGate {
  __device__ float value(float x) const { return normcdff(x); }
  __device__ float slope(float x, float) const { return 0.39894228f * expf(-0.5f * x * x); }
};
template <class G>
struct Gated {
  G g;
  __device__ float operator()(float x) const { return x * g.value(x); }
};
template <class G>
struct GatedGradient {
  G g;
  __device__ float operator()(float dy, float x) const {
    const float open = g.value(x);
    return dy * (open + x * g.slope(x, open));
  }
};

// Calls use(g) with the gate g.
template <class Use>
void with_gate(SelfGate gate, const Use& use) {
  const GateCurve curve = curve_of(gate);
  gate == SelfGate::kGelu ? use(NormalGate{})
                          : use(SigmoidGate{static_cast<float>(curve.a), static_cast<float>(curve.b)});
}

// Writes f of the runs x... to the run at y, or adds it.
template <int kCount, class F, class To, class... From>
__device__ void put_run(const F& f, To* y, bool accumulates, const Run<From, kCount>&... x) {
  using C = Computed<To>;
  Run<To, kCount> out{};
  if (accumulates) out = run_at<kCount>(y);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const C value = f(converted<C>(x.at[i])...);
    out.at[i] = converted<To>(accumulates ? converted<C>(out.at[i]) + value : value);
  }
  *reinterpret_cast<Run<To, kCount>*>(y) = out;
}

// y = f(x...), or y += f(x...) if `accumulates`, for every element. One thread per run of kCount elements.
template <int kCount, class F, class To, class... From>
__global__ void __launch_bounds__(kThreads) map_runs(F f, Matrix<To> y, bool accumulates, Matrix<const From>... x) {
  const std::int64_t runs = y.cols / kCount, index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= y.rows * runs) return;
  const std::int64_t r = index / runs, c = (index - r * runs) * kCount;
  put_run<kCount>(f, y.row(r) + c, accumulates, run_at<kCount>(x.row(r) + c)...);
}

template <int kCount, class F, class To, class... From>
void launch_map(const Context& on, const F& f, const Matrix<To>& y, bool accumulates, const Matrix<const From>&... x) {
  void (*kernel)(F, Matrix<To>, bool, Matrix<const From>...) = map_runs<kCount, F, To, From...>;
  const auto blocks = divide_up(y.rows * (y.cols / kCount), kThreads);
  launch(on, kernel, blocks, kThreads, 0, f, y, accumulates, x...);
}

// Launches map_runs. If no array has gaps between its rows, each is treated as one long row. A run has as many elements
// as fit into 16 bytes of the largest element type, or one element if some array cannot be read in such runs.
template <class F, class To, class... From>
void map(const Context& on, const F& f, const Matrix<To>& y, bool accumulates, const Matrix<const From>&... x) {
  if (y.rows > 1 && flat(y) && (flat(x) && ...)) return map(on, f, flattened(y), accumulates, flattened(x)...);
  constexpr int kCount = static_cast<int>(16 / std::max({sizeof(To), sizeof(From)...}));
  if (in_runs<kCount>(y) && (in_runs<kCount>(x) && ...)) return launch_map<kCount>(on, f, y, accumulates, x...);
  launch_map<1>(on, f, y, accumulates, x...);
}

// sink = f(a, b). The sink is often a gradient, which may have another element type than a and b: with bfloat16 values,
// the gradients of parameters are float32.
template <class F>
void map_to_sink(const Context& on, const F& f, const Array& a, const Array& b, const Sink& sink) {
  dispatch(a.dtype(), [&]<class T>() {
    dispatch(sink.array.dtype(), [&]<class D>() {
      map(on, f, matrix<D>(sink.array), sink.accumulates(), matrix<const T>(a), matrix<const T>(b));
    });
  });
}

// Dropout. One thread per eight columns of a row, which share one random draw. kPacked is as in load_eight().
template <bool kPacked, class T>
__global__ void __launch_bounds__(kThreads) drop_eights(Matrix<const T> x, DropoutMask mask, SinkRows<T> y) {
  const std::int64_t eights = divide_up(x.cols, 8), index = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (index >= x.rows * eights) return;
  const std::int64_t r = index / eights, group = index - r * eights;
  const Eight<T> values = load_eight<kPacked>(x.row(r), 8 * group, x.cols);
  const Philox4 words = mask.words(r, static_cast<std::uint32_t>(group));
  Eight<float> kept;
#pragma unroll
  for (int i = 0; i < 8; ++i) kept.at[i] = mask.factor(words, i) * values[i];
  put_eight<kPacked>(kept, y, r, 8 * group, x.cols);
}

// One block per 32 x 32 tile. The tile passes through shared memory, so that x is read and y is written along rows. The
// padding column puts the elements of a column into different banks.
constexpr int kTile = 32, kTileWarps = 8;
template <class T, class To>
__global__ void __launch_bounds__(kTile* kTileWarps) transpose_tiles(Matrix<const T> x, SinkRows<To> y) {
  __shared__ float tile[kTile][kTile + 1];
  const int lane = threadIdx.x % kTile, warp = threadIdx.x / kTile;
  const std::int64_t tiles_across = divide_up(x.cols, kTile);
  const std::int64_t top = blockIdx.x / tiles_across * kTile, left = blockIdx.x % tiles_across * kTile;
  for (int i = warp; i < kTile; i += kTileWarps) {
    if (top + i < x.rows && left + lane < x.cols) tile[i][lane] = to_float(x.row(top + i)[left + lane]);
  }
  __syncthreads();
  for (int i = warp; i < kTile; i += kTileWarps) {
    if (left + i < x.cols && top + lane < x.rows) y.put(left + i, top + lane, tile[lane][i]);
  }
}

}  // namespace

void Elementwise::do_fill(Array& x, double value) const {
  dispatch_any(x.dtype(), [&]<class T>() {
    using C = Computed<T>;
    map(*this, Constant<C>{static_cast<C>(value)}, matrix<T>(x), false, matrix<const T>(x));  // the input is not used
  });
}

void Elementwise::do_scaled(const Array& x, double alpha, Sink y) const {
  dispatch_any(x.dtype(), [&]<class From>() {
    dispatch_any(y.array.dtype(), [&]<class To>() {
      using C = Computed<To>;
      map(*this, Multiple<C>{static_cast<C>(alpha)}, matrix<To>(y.array), y.accumulates(), matrix<const From>(x));
    });
  });
}

void Elementwise::do_add(const Array& a, const Array& b, Array& y) const {
  dispatch(a.dtype(),
           [&]<class T>() { map(*this, Sum{}, matrix<T>(y), false, matrix<const T>(a), matrix<const T>(b)); });
}

void Elementwise::do_add_bias(const Array& x, const Array& b, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(b.dtype(), [&]<class B>() {
      const Matrix<const B> in_every_row{elements<const B>(b), x.rows(), x.cols(), 0};  // the stride 0 repeats b
      map(*this, Sum{}, matrix<T>(y), false, matrix<const T>(x), in_every_row);
    });
  });
}

void Elementwise::do_relu(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() { map(*this, Relu{}, matrix<T>(y), false, matrix<const T>(x)); });
}

void Elementwise::do_relu_backward(const Array& dy, const Array& y, Sink dx) const {
  map_to_sink(*this, ReluGradient{}, dy, y, dx);
}

void Elementwise::do_multiply(const Array& a, const Array& b, Sink y) const { map_to_sink(*this, Times{}, a, b, y); }

void Elementwise::do_tanh(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() { map(*this, Tanh{}, matrix<T>(y), false, matrix<const T>(x)); });
}

void Elementwise::do_tanh_backward(const Array& dy, const Array& y, Sink dx) const {
  map_to_sink(*this, TanhGradient{}, dy, y, dx);
}

void Elementwise::do_sigmoid(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() { map(*this, Sigmoid{}, matrix<T>(y), false, matrix<const T>(x)); });
}

void Elementwise::do_sigmoid_backward(const Array& dy, const Array& y, Sink dx) const {
  map_to_sink(*this, SigmoidGradient{}, dy, y, dx);
}

void Elementwise::do_gated(const Array& x, SelfGate gate, Array& y) const {
  with_gate(gate, [&]<class G>(G g) {
    dispatch(x.dtype(), [&]<class T>() { map(*this, Gated<G>{g}, matrix<T>(y), false, matrix<const T>(x)); });
  });
}

void Elementwise::do_gated_backward(const Array& dy, const Array& x, SelfGate gate, Sink dx) const {
  with_gate(gate, [&]<class G>(G g) { map_to_sink(*this, GatedGradient<G>{g}, dy, x, dx); });
}

void Elementwise::do_dropout(const Array& x, const Segments& segments, const Dropout& dropout, Sink y) const {
  const auto blocks = divide_up(x.rows() * divide_up(x.cols(), 8), kThreads);
  const bool packed = in_eights({&x, &y.array});
  dispatch(x.dtype(), [&]<class T>() {
    launch(*this, packed ? drop_eights<true, T> : drop_eights<false, T>, blocks, kThreads, 0, matrix<const T>(x),
           dropout_mask(dropout, segments), sink_rows<T>(y));
  });
}

void Elementwise::do_transpose(const Array& x, Sink y) const {
  const auto blocks = divide_up(x.rows(), kTile) * divide_up(x.cols(), kTile);
  dispatch(x.dtype(), [&]<class T>() {
    dispatch(y.array.dtype(), [&]<class To>() {
      launch(*this, transpose_tiles<T, To>, blocks, kTile * kTileWarps, 0, matrix<const T>(x), sink_rows<To>(y));
    });
  });
}

}  // namespace dragoman::cuda
