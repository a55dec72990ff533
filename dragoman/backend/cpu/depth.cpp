#include "dragoman/backend/cpu/depth.h"

#include <functional>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// A sink of one number for each row; null if it is not wanted.
template <class T>
struct SinkColumn {
  T* data;
  bool accumulates;

  explicit SinkColumn(const Sink& sink)
      : data(sink.wanted() ? sink.array.data<T>() : nullptr), accumulates(sink.accumulates()) {}
  void put(std::int64_t r, T value) const {
    if (data != nullptr) data[r] = (accumulates ? data[r] : T{0}) + value;
  }
};

template <class T>
const T* optional_data(const Array& x) {
  return x ? x.data<const T>() : nullptr;
}
template <class T>
Matrix<T> sink_matrix(const Sink& sink) {
  return sink.wanted() ? matrix<T>(sink.array) : Matrix<T>{};
}

template <class Body>
void launch_rows(const Context& on, std::int64_t rows, const Body& body) {
  on.launch(divide_up(rows, kRowBlock), [&](std::int64_t block) { for_rows(rows, block, body); });
}

}  // namespace

void Depth::do_add_coordinates(const Array& x, const Array& position, const Array& P, const Array& s, double scale,
                               Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x), table = matrix<const T>(P);
    const auto Y = matrix<T>(y);
    const auto* place = position.data<std::int32_t>();
    const T *signal = s.data<const T>(), factor = static_cast<T>(scale);
    const auto sum = [factor](Vec<T> v, Vec<T> p, Vec<T> t) { return v + (p + factor * t); };
    launch_rows(*this, X.rows,
                [&](std::int64_t r) { map_vectors(X.cols, Y.row(r), sum, X.row(r), table.row(place[r]), signal); });
  });
}

void Depth::do_halt(const Array& x, const Array& w, const Array& b, const HaltStep& step, const Array& rest,
                    Array& steps, Array& p, Array& weight, Array& rest_after, Array& running) const {
  dispatch(x.dtype(), [&]<class T>() {
    expect_elements<T>({&w, &b, &rest, &steps, &p, &weight, &rest_after, &running});
    const auto X = matrix<const T>(x);
    const T *W = w.data<const T>(), *bias = b.data<const T>(), *before = rest.data<const T>();
    T *N = steps.data<T>(), *P = p.data<T>(), *out = weight.data<T>(), *after = rest_after.data<T>(),
      *runs = running.data<T>();
    launch_rows(*this, X.rows, [&](std::int64_t r) {
      after[r] = before[r];
      runs[r] = N[r] == 0 ? T{1} : T{0};
      P[r] = out[r] = 0;
      if (N[r] != 0) return;
      const T logit = sum_vectors<T>(X.cols, std::multiplies<>(), X.row(r), W) + *bias;
      P[r] = DRAGOMAN_CPU_BODY::sigmoid(broadcast<T>(logit))[0];
      const bool halts = step.last || before[r] - P[r] < static_cast<T>(step.threshold);
      out[r] = halts ? before[r] : P[r];
      if (halts) {
        N[r] = static_cast<T>(step.t);
      } else {
        after[r] = before[r] - P[r];
      }
    });
  });
}

void Depth::do_halt_backward(const Array& dweight, const Array& drest_after, const Array& w, const Array& p,
                             const Array& steps, int t, Sink dx, Sink drest, Array& dlogit) const {
  dispatch(p.dtype(), [&]<class T>() {
    expect_elements<T>({&dweight, &drest_after, &w, &steps, &dlogit});
    const auto dX = sink_matrix<T>(dx);
    const SinkColumn<T> d_before(drest);
    const T *d_weight = optional_data<T>(dweight), *d_after = optional_data<T>(drest_after), *W = w.data<const T>(),
            *P = p.data<const T>(), *N = steps.data<const T>();
    T* d_logit = dlogit.data<T>();
    launch_rows(*this, p.count(), [&](std::int64_t r) {
      const T of_weight = d_weight != nullptr ? d_weight[r] : T{0}, of_rest = d_after != nullptr ? d_after[r] : T{0};
      // Before the last step the weight is p and the rest falls by p. In the last one the weight is the rest.
      const bool goes_on = static_cast<T>(t) < N[r], halts = static_cast<T>(t) == N[r];
      d_before.put(r, halts ? of_rest + of_weight : of_rest);
      const T dz = goes_on ? (of_weight - of_rest) * P[r] * (1 - P[r]) : T{0};
      d_logit[r] = dz;
      if (dX.data == nullptr) return;
      const auto times = [dz](Vec<T> v) { return v * dz; };
      put_vectors(dX.cols, dx.accumulates(), dX.row(r), times, W);
    });
  });
}

void Depth::do_blend_rows(const Array& a, const Array& x, const Array& w, OldRows old, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto A = a ? matrix<const T>(a) : Matrix<const T>{}, X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    const T* weights = w.data<const T>();
    launch_rows(*this, X.rows, [&](std::int64_t r) {
      const T weight = weights[r], kept = old == OldRows::kFade ? 1 - weight : T{1};
      if (A.data == nullptr) {
        const auto times = [weight](Vec<T> v) { return weight * v; };
        map_vectors(X.cols, Y.row(r), times, X.row(r));
      } else if (weight == 0) {
        std::copy_n(A.row(r), X.cols, Y.row(r));
      } else {
        const auto mix = [weight, kept](Vec<T> u, Vec<T> v) { return kept * u + weight * v; };
        map_vectors(X.cols, Y.row(r), mix, A.row(r), X.row(r));
      }
    });
  });
}

void Depth::do_blend_rows_backward(const Array& dy, const Array& a, const Array& x, const Array& w, OldRows old,
                                   Sink da, Sink dx, Sink dw) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto A = a ? matrix<const T>(a) : Matrix<const T>{}, X = matrix<const T>(x), dY = matrix<const T>(dy);
    const auto dA = sink_matrix<T>(da), dX = sink_matrix<T>(dx);
    const SinkColumn<T> dW(dw);
    const T* weights = w.data<const T>();
    launch_rows(*this, X.rows, [&](std::int64_t r) {
      const bool fades = old == OldRows::kFade;
      const T weight = weights[r], kept = fades ? 1 - weight : T{1};
      const auto put_times = [&](const Matrix<T>& to, bool accumulates, T factor) {
        if (to.data == nullptr) return;
        const auto times = [factor](Vec<T> v) { return factor * v; };
        put_vectors(X.cols, accumulates, to.row(r), times, dY.row(r));
      };
      put_times(dA, da.accumulates(), kept);
      put_times(dX, dx.accumulates(), weight);
      if (dW.data == nullptr) return;
      if (fades && A.data != nullptr) {
        const auto product = [](Vec<T> d, Vec<T> v, Vec<T> u) { return d * (v - u); };
        dW.put(r, sum_vectors<T>(X.cols, product, dY.row(r), X.row(r), A.row(r)));
      } else {
        dW.put(r, sum_vectors<T>(X.cols, std::multiplies<>(), dY.row(r), X.row(r)));
      }
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
