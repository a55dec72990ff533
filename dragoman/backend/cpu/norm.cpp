#include "dragoman/backend/cpu/norm.h"

#include <cmath>
#include <functional>

#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Makes several passes over the row, but only the first reads from memory: the others find it in the first-level cache.
template <class T>
void normalise_row(const T* x, const T* gamma, const T* beta, std::int64_t d, double eps, T* y, T& mean, T& rstd) {
  // The mean of x - rough corrects the rounding error of the first mean. So a constant row has a variance of exactly 0.
  const T rough = sum_vectors<T>(d, std::identity(), x) / static_cast<T>(d);
  const T m = rough + sum_vectors<T>(
                          d, [rough](Vec<T> v) { return v - rough; }, x) /
                          static_cast<T>(d);
  const auto square = [m](Vec<T> v) { return (v - m) * (v - m); };
  const T variance = sum_vectors<T>(d, square, x) / static_cast<T>(d);
  const T r = static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + eps));
  const auto normalised = [m, r](Vec<T> v, Vec<T> g, Vec<T> b) { return g * ((v - m) * r) + b; };
  map_vectors(d, y, normalised, x, gamma, beta);
  mean = m;
  rstd = r;
}

// s = x + dropout(a) for one row.
template <class T>
void add_row(const T* x, const T* a, const RowDropout& dropout, std::int64_t row, std::int64_t d, T* s) {
  if (!dropout.on()) return map_vectors(d, s, std::plus<>(), x, a);
  dropout.for_chunks<T>(row, 0, d, [&](std::int64_t first, std::int64_t count, const T* factors) {
    const auto sum = [](Vec<T> v, Vec<T> w, Vec<T> factor) { return v + w * factor; };
    map_vectors(count, s + first, sum, x + first, a + first, factors);
  });
}

// The gradient that a row of s receives through y = layer_norm(s). With n = (s - mean) rstd and g = dy gamma it is
// (g - average(g) - n average(g n)) rstd.
template <class T>
struct NormGradient {
  T mean = 0, rstd = 0, average_g = 0, average_gn_rstd = 0;

  Vec<T> operator()(Vec<T> dy, Vec<T> gamma, Vec<T> s) const {
    return (dy * gamma - average_g - (s - mean) * average_gn_rstd) * rstd;
  }
};

// Computes the averages of one row and, in the same pass, adds dy n to dgamma and dy to dbeta.
template <class T>
NormGradient<T> sum_row(const T* dy, const T* gamma, const T* s, T mean, T rstd, std::int64_t d, T* dgamma, T* dbeta) {
  struct Sums {
    Vec<T> g{}, gn{};
  } even, odd;  // two of each hide the latency of an addition
  const auto add = [mean, rstd](Sums& sums, Vec<T> u, Vec<T> w, Vec<T> v, Vec<T>& to_dgamma, Vec<T>& to_dbeta) {
    const Vec<T> un = u * ((v - mean) * rstd);
    sums.g += u * w;
    sums.gn += un * w;
    to_dgamma += un;
    to_dbeta += u;
  };
  const auto add_vector = [&](Sums& sums, std::int64_t i) {
    Vec<T> to_dgamma = load(dgamma + i), to_dbeta = load(dbeta + i);
    add(sums, load(dy + i), load(gamma + i), load(s + i), to_dgamma, to_dbeta);
    store(dgamma + i, to_dgamma);
    store(dbeta + i, to_dbeta);
  };
  std::int64_t i = 0;
  for (; i + 2 * kLanes<T> <= d; i += 2 * kLanes<T>) {
    add_vector(even, i);
    add_vector(odd, i + kLanes<T>);
  }
  for_lanes<T>(
      d - i,
      [&](std::int64_t) {
        add_vector(even, i);
        i += kLanes<T>;
      },
      [&](std::int64_t, std::int64_t left) {
        Vec<T> to_dgamma = load_some(dgamma + i, left), to_dbeta = load_some(dbeta + i, left);
        add(odd, load_some(dy + i, left), load_some(gamma + i, left), load_some(s + i, left), to_dgamma, to_dbeta);
        store_some(dgamma + i, to_dgamma, left);
        store_some(dbeta + i, to_dbeta, left);
      });
  const T average_g = sum_lanes<T>(even.g + odd.g) / static_cast<T>(d);
  const T average_gn = sum_lanes<T>(even.gn + odd.gn) / static_cast<T>(d);
  return {mean, rstd, average_g, average_gn * rstd};
}

// add_norm_backward for single rows. The data of a matrix that is absent or unwanted is null.
template <class T>
struct AddNormBackward {
  Matrix<T> ds, dy, s, dx, da;
  const T *gamma, *mean, *rstd;
  bool dx_accumulates, da_accumulates;
  RowDropout dropout;

  void row(std::int64_t r, T* dgamma, T* dbeta) const {
    NormGradient<T> through_y;
    if (dy.data != nullptr) {
      through_y = sum_row<T>(dy.row(r), gamma, s.row(r), mean[r], rstd[r], s.cols, dgamma, dbeta);
    }
    if (dx.data == nullptr && da.data == nullptr) return;
    const auto write = [&](std::int64_t first, std::int64_t count, const T* factors) {
      T value[kDropoutChannels];
      gradient(r, first, count, through_y, value);

      if (dx.data != nullptr) put_vectors(count, dx_accumulates, dx.row(r) + first, std::identity(), value);
      if (da.data == nullptr) return;
      if (factors == nullptr) return put_vectors(count, da_accumulates, da.row(r) + first, std::identity(), value);
      put_vectors(count, da_accumulates, da.row(r) + first, std::multiplies<>(), value, factors);
    };
    if (da.data != nullptr && dropout.on()) return dropout.for_chunks<T>(r, 0, s.cols, write);
    for (std::int64_t first = 0; first < s.cols; first += kDropoutChannels) {
      write(first, std::min(kDropoutChannels, s.cols - first), nullptr);
    }
  }

  // value = the gradient of row r of s, for `count` columns from `first` on: the part through y, plus ds.
  void gradient(std::int64_t r, std::int64_t first, std::int64_t count, NormGradient<T> through_y, T* value) const {
    const T *s_row = s.row(r) + first, *g = gamma + first;
    if (dy.data == nullptr) {
      std::fill_n(value, count, T{0});
      if (ds.data != nullptr) std::copy_n(ds.row(r) + first, count, value);
    } else if (ds.data == nullptr) {
      map_vectors(count, value, through_y, dy.row(r) + first, g, s_row);
    } else {
      const auto sum = [through_y](Vec<T> u, Vec<T> w, Vec<T> v, Vec<T> direct) { return through_y(u, w, v) + direct; };
      map_vectors(count, value, sum, dy.row(r) + first, g, s_row, ds.row(r) + first);
    }
  }
};

template <class T>
Matrix<T> matrix_or_none(const Array& x, bool there) {
  return there ? matrix<T>(x) : Matrix<T>{};
}

}  // namespace

void Norm::do_layer_norm(const Array& x, const Array& gamma, const Array& beta, double eps, Array& y, Array& mean,
                         Array& rstd) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<T>(x), Y = matrix<T>(y);
    const T *g = gamma.data<T>(), *b = beta.data<T>();
    T *means = mean.data<T>(), *rstds = rstd.data<T>();
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block,
               [&](std::int64_t r) { normalise_row(X.row(r), g, b, X.cols, eps, Y.row(r), means[r], rstds[r]); });
    });
  });
}

void Norm::do_add_norm(const Array& x, const Array& a, const Segments& segments, const Dropout& dropout,
                       const Array& gamma, const Array& beta, double eps, Array& s, Array& y, Array& mean,
                       Array& rstd) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<T>(x), A = matrix<T>(a), S = matrix<T>(s), Y = matrix<T>(y);
    const T *g = gamma.data<T>(), *b = beta.data<T>();
    T *means = mean.data<T>(), *rstds = rstd.data<T>();
    const RowDropout dropped(dropout, segments);
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        add_row(X.row(r), A.row(r), dropped, r, X.cols, S.row(r));
        normalise_row(S.row(r), g, b, X.cols, eps, Y.row(r), means[r], rstds[r]);
      });
    });
  });
}

void Norm::do_add_norm_backward(const Array& ds, const Array& dy, const Array& s, const Segments& segments,
                                const Dropout& dropout, const Array& gamma, const Array& mean, const Array& rstd,
                                Sink dx, Sink da, Sink dgamma, Sink dbeta) const {
  const std::int64_t blocks = divide_up(s.rows(), kRowBlock), d = s.cols();
  const ArenaScope scratch(arena());
  const Array dgammas = empty({blocks, d}, s.dtype()), dbetas = empty_like(dgammas);  // a row for each block of rows
  dispatch(s.dtype(), [&]<class T>() {
    const AddNormBackward<T> backward{
        .ds = matrix_or_none<T>(ds, !ds.absent()),
        .dy = matrix_or_none<T>(dy, !dy.absent()),
        .s = matrix<T>(s),
        .dx = matrix_or_none<T>(dx.array, dx.wanted()),
        .da = matrix_or_none<T>(da.array, da.wanted()),
        .gamma = gamma.data<T>(),
        .mean = mean.data<T>(),
        .rstd = rstd.data<T>(),
        .dx_accumulates = dx.accumulates(),
        .da_accumulates = da.accumulates(),
        .dropout = RowDropout(da.wanted() ? dropout : Dropout{}, segments),
    };
    launch(blocks, [&](std::int64_t block) {
      T *block_dgamma = matrix<T>(dgammas).row(block), *block_dbeta = matrix<T>(dbetas).row(block);
      std::fill_n(block_dgamma, d, T{0});
      std::fill_n(block_dbeta, d, T{0});
      for_rows(s.rows(), block, [&](std::int64_t r) { backward.row(r, block_dgamma, block_dbeta); });
    });
  });
  sum_rows(dgammas, dgamma);
  sum_rows(dbetas, dbeta);
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
