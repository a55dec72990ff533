#include "dragoman/backend/cpu/softmax.h"

#include <cassert>
#include <cmath>
#include <functional>

#include "dragoman/backend/cpu/functions.h"
#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/softmax_row.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

template <class T>
void log_softmax_row(const T* x, std::int64_t n, T* y) {
  const T maximum = row_maximum(x, n);
  const auto exponential = [maximum](Vec<T> v) { return exp(v - maximum); };
  if (maximum == kMinusInfinity<T>) {
    std::fill_n(y, n, kMinusInfinity<T>);
    return;
  }
  const T log_sum = std::log(sum_vectors<T>(n, exponential, x));
  const auto log_p = [=](Vec<T> v) { return v - maximum - log_sum; };
  map_vectors(n, y, log_p, x);
}

}  // namespace

void Softmax::do_masked(const Array& x, const Mask& mask, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t i) {
        const std::int64_t end = mask.end_key(i, X.cols), first = std::min(mask.first_key(i), end);
        std::fill_n(Y.row(i), first, kMinusInfinity<T>);
        std::copy(X.row(i) + first, X.row(i) + end, Y.row(i) + first);
        std::fill(Y.row(i) + end, Y.row(i) + X.cols, kMinusInfinity<T>);
      });
    });
  });
}

void Softmax::do_masked_backward(const Array& dy, const Mask& mask, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy);
    const auto DX = matrix<T>(dx.array);
    launch(divide_up(DY.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(DY.rows, block, [&](std::int64_t i) {
        const std::int64_t end = mask.end_key(i, DY.cols), first = std::min(mask.first_key(i), end);
        if (!dx.accumulates()) {
          std::fill_n(DX.row(i), first, T{0});
          std::fill(DX.row(i) + end, DX.row(i) + DY.cols, T{0});
        }
        put_vectors(end - first, dx.accumulates(), DX.row(i) + first, std::identity(), DY.row(i) + first);
      });
    });
  });
}

void Softmax::do_softmax(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) { softmax_row(X.row(r), X.cols, Y.row(r)); });
    });
  });
}

void Softmax::do_softmax_backward(const Array& dy, const Array& y, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy), Y = matrix<const T>(y);
    const auto DX = matrix<T>(dx.array);
    launch(divide_up(DY.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(DY.rows, block, [&](std::int64_t r) {
        const T sum = sum_vectors<T>(DY.cols, std::multiplies<>(), DY.row(r), Y.row(r));
        const auto gradient = [sum](Vec<T> d, Vec<T> p) { return p * (d - sum); };
        put_vectors(DY.cols, dx.accumulates(), DX.row(r), gradient, DY.row(r), Y.row(r));
      });
    });
  });
}

void Softmax::do_log_softmax(const Array& x, Array& y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y);
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) { log_softmax_row(X.row(r), X.cols, Y.row(r)); });
    });
  });
}

void Softmax::do_log_softmax_backward(const Array& dy, const Array& y, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy), Y = matrix<const T>(y);
    const auto DX = matrix<T>(dx.array);
    launch(divide_up(DY.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(DY.rows, block, [&](std::int64_t r) {
        const T sum = sum_vectors<T>(DY.cols, std::identity(), DY.row(r));
        const auto gradient = [sum](Vec<T> d, Vec<T> log_p) { return d - exp(log_p) * sum; };
        put_vectors(DY.cols, dx.accumulates(), DX.row(r), gradient, DY.row(r), Y.row(r));
      });
    });
  });
}

void Softmax::do_smoothed_nll(const Array& log_p, const Array& targets, const LabelSmoothing& smoothing,
                              Array& losses) const {
  dispatch(log_p.dtype(), [&]<class T>() {
    const auto P = matrix<const T>(log_p);
    const auto* target = targets.data<std::int32_t>();
    T* loss = losses.data<T>();
    const T others = static_cast<T>(smoothing.on_others(P.cols)),
            on_target = static_cast<T>(smoothing.on_target(P.cols));
    launch(divide_up(P.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(P.rows, block, [&](std::int64_t r) {
        loss[r] = 0;
        if (target[r] < 0) return;
        assert(target[r] < P.cols && "a target is a class or negative");
        const T target_log_p = P.row(r)[target[r]];
        // Without smoothing the other classes do not count; 0 * -infinity would be NaN.
        if (others > 0) loss[r] = -others * (sum_vectors<T>(P.cols, std::identity(), P.row(r)) - target_log_p);
        loss[r] -= on_target * target_log_p;
      });
    });
  });
}

void Softmax::do_smoothed_nll_backward(double dloss, const Array& targets, const LabelSmoothing& smoothing,
                                       Sink dlog_p) const {
  dispatch(dlog_p.array.dtype(), [&]<class T>() {
    const auto D = matrix<T>(dlog_p.array);
    const auto* target = targets.data<std::int32_t>();
    const T others = static_cast<T>(-dloss * smoothing.on_others(D.cols));
    const T on_target = static_cast<T>(-dloss * smoothing.on_target(D.cols));
    launch(divide_up(D.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(D.rows, block, [&](std::int64_t r) {
        T* row = D.row(r);
        if (!dlog_p.accumulates()) std::fill_n(row, D.cols, T{0});
        if (target[r] < 0) return;
        assert(target[r] < D.cols && "a target is a class or negative");
        const T target_gradient = row[target[r]] + on_target;
        const auto shifted = [others](Vec<T> v) { return v + others; };
        map_vectors(D.cols, row, shifted, row);
        row[target[r]] = target_gradient;
      });
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
