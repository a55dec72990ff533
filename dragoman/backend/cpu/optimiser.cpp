#include "dragoman/backend/cpu/optimiser.h"

#include <cmath>

#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

constexpr std::int64_t kPieceElements = 16384;  // elements of a piece of work

// The factors of one step, the same for every element.
template <class T>
struct AdamFactors {
  T scale;                                // factor of the gradients
  T beta1, rest1, beta2, rest2, epsilon;  // rest1 = 1 - beta1, rest2 = 1 - beta2
  T rate;                                 // step.rate / (1 - beta1^t), which includes the correction of m
  T v_correction;                         // 1 / (1 - beta2^t)
  T decay;                                // 1 - step.rate * step.weight_decay

  AdamFactors(const AdamStep& step, double scale_)
      : scale(static_cast<T>(scale_)),
        beta1(static_cast<T>(step.beta1)),
        rest1(static_cast<T>(1 - step.beta1)),
        beta2(static_cast<T>(step.beta2)),
        rest2(static_cast<T>(1 - step.beta2)),
        epsilon(static_cast<T>(step.epsilon)),
        rate(static_cast<T>(step.rate / (1 - std::pow(step.beta1, static_cast<double>(step.t))))),
        v_correction(static_cast<T>(1 / (1 - std::pow(step.beta2, static_cast<double>(step.t))))),
        decay(static_cast<T>(1 - step.rate * step.weight_decay)) {}
};

template <class T>
void adam_vector(const AdamFactors<T>& a, Vec<T> g, Vec<T>& theta, Vec<T>& m, Vec<T>& v) {
  g = a.scale * g;
  m = a.beta1 * m + a.rest1 * g;
  v = a.beta2 * v + a.rest2 * (g * g);
  theta = a.decay * theta - a.rate * m / (sqrt<T>(v * a.v_correction) + a.epsilon);
}

// Takes the factors by value, so that they stay in registers: the compiler knows that no store changes them.
template <class T>
void adam_piece(AdamFactors<T> a, std::int64_t count, const T* g, T* theta, T* m, T* v) {
  for_lanes<T>(
      count,
      [&](std::int64_t i) {
        Vec<T> new_theta = load(theta + i), new_m = load(m + i), new_v = load(v + i);
        adam_vector<T>(a, load(g + i), new_theta, new_m, new_v);
        store(theta + i, new_theta);
        store(m + i, new_m);
        store(v + i, new_v);
      },
      [&](std::int64_t i, std::int64_t left) {
        Vec<T> new_theta = load_some(theta + i, left), new_m = load_some(m + i, left), new_v = load_some(v + i, left);
        adam_vector<T>(a, load_some(g + i, left), new_theta, new_m, new_v);
        store_some(theta + i, new_theta, left);
        store_some(m + i, new_m, left);
        store_some(v + i, new_v, left);
      });
}

// theta = decay theta + ahead v - pull g;  v = kept v - taken g.
template <class T>
struct NesterovFactors {
  T ahead, pull, kept, taken, decay;

  NesterovFactors(const NesterovStep& step, double scale)
      : ahead(static_cast<T>(step.momentum * step.momentum * step.rate_ratio)),
        pull(static_cast<T>((1 + step.momentum) * step.rate * scale)),
        kept(static_cast<T>(step.momentum * step.rate_ratio)),
        taken(static_cast<T>(step.rate * scale)),
        decay(static_cast<T>(1 - step.rate * step.weight_decay)) {}
};

template <class T>
void nesterov_piece(NesterovFactors<T> a, std::int64_t count, const T* g, T* theta, T* v) {
  for (std::int64_t i = 0; i < count; ++i) {
    theta[i] = a.decay * theta[i] + a.ahead * v[i] - a.pull * g[i];
    v[i] = a.kept * v[i] - a.taken * g[i];
  }
}

}  // namespace

void Optimiser::do_update_scale(const Array& losses, const Array& squares, double clip, Array& scale) const {
  const auto all = matrix<const double>(losses);
  const double* sum = squares ? squares.data<double>() : nullptr;
  double* out = scale.data<double>();
  launch(1, [&](std::int64_t) {
    double zero_or_nan = 0;  // stays 0, or becomes NaN if any term is NaN or infinite
    for (std::int64_t i = 0; i < losses.count(); ++i) zero_or_nan += 0 * all.data[i];
    if (sum != nullptr) zero_or_nan += 0 * *sum;
    *out = zero_or_nan + (clip > 0 && sum != nullptr ? std::min(1.0, clip / std::sqrt(*sum)) : 1.0);
  });
}

void Optimiser::do_adam(const Array& g, const Array& scale, const AdamStep& step, Array& theta, Array& m, Array& v,
                        Array& copy) const {
  const std::int64_t count = theta.count();
  dispatch(theta.dtype(), [&]<class T>() {
    const double factor = scale && !dry() ? *scale.data<double>() : 1.0;
    if (std::isnan(factor)) return;  // this update is skipped
    const AdamFactors<T> factors(step, factor);
    const T* gradients = g.data<T>();
    T *thetas = theta.data<T>(), *ms = m.data<T>(), *vs = v.data<T>();
    launch(divide_up(count, kPieceElements), [&](std::int64_t piece) {
      const std::int64_t i = piece * kPieceElements;
      adam_piece(factors, std::min(kPieceElements, count - i), gradients + i, thetas + i, ms + i, vs + i);
    });
  });
  if (copy) scaled(theta, 1.0, Sink::overwrite(copy));
}

void Optimiser::do_nesterov(const Array& g, const Array& scale, const NesterovStep& step, Array& theta, Array& v,
                            Array& copy) const {
  const std::int64_t count = theta.count();
  dispatch(theta.dtype(), [&]<class T>() {
    const double factor = scale && !dry() ? *scale.data<double>() : 1.0;
    if (std::isnan(factor)) return;  // this update is skipped
    const NesterovFactors<T> factors(step, factor);
    const T* gradients = g.data<T>();
    T *thetas = theta.data<T>(), *vs = v.data<T>();
    launch(divide_up(count, kPieceElements), [&](std::int64_t piece) {
      const std::int64_t i = piece * kPieceElements;
      nesterov_piece(factors, std::min(kPieceElements, count - i), gradients + i, thetas + i, vs + i);
    });
  });
  if (copy) scaled(theta, 1.0, Sink::overwrite(copy));
}

void Optimiser::do_moving_average(const Array& x, const Array& scale, double decay, Array& mean) const {
  const std::int64_t count = mean.count();
  if (scale && !dry() && std::isnan(*scale.data<double>())) return;
  dispatch(mean.dtype(), [&]<class T>() {
    const T kept = static_cast<T>(decay), taken = static_cast<T>(1 - decay);
    const T* xs = x.data<T>();
    T* means = mean.data<T>();
    launch(divide_up(count, kPieceElements), [&](std::int64_t piece) {
      const std::int64_t end = std::min(count, (piece + 1) * kPieceElements);
      for (std::int64_t i = piece * kPieceElements; i < end; ++i) means[i] = kept * means[i] + taken * xs[i];
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
