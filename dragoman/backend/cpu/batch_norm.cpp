// The kernels of Norm for batch normalisation.
#include <cmath>
#include <functional>

#include "dragoman/backend/cpu/kernel.h"
#include "dragoman/backend/cpu/norm.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Calls body(first, count) on the threads for tiles of the columns [0, d).
template <class Body>
void launch_columns(const Context& on, std::int64_t d, const Body& body) {
  constexpr std::int64_t kTile = 64;
  on.launch(divide_up(d, kTile), [&](std::int64_t tile) { body(tile * kTile, std::min(kTile, d - tile * kTile)); });
}

// mean and M2, the sum of (x - mean)^2, of one block of rows.
template <class T>
void block_moments(const Matrix<const T>& x, std::int64_t block, T* mean, T* M2) {
  const std::int64_t rows = std::min(x.rows, (block + 1) * kRowBlock) - block * kRowBlock, d = x.cols;
  std::fill_n(mean, d, T{0});
  std::fill_n(M2, d, T{0});
  for_rows(x.rows, block, [&](std::int64_t r) { map_vectors(d, mean, std::plus<>(), mean, x.row(r)); });
  map_vectors(
      d, mean, [share = T{1} / static_cast<T>(rows)](Vec<T> sum) { return sum * share; }, mean);
  const auto add_square = [](Vec<T> sum, Vec<T> v, Vec<T> m) { return sum + (v - m) * (v - m); };
  for_rows(x.rows, block, [&](std::int64_t r) { map_vectors(d, M2, add_square, M2, x.row(r), mean); });
}

// Joins `count` columns of the moments of n rows with those of m more rows. The other moments are null for rows of
// zeros.
template <class T>
void join_moments(std::int64_t n, T* mean, T* M2, std::int64_t m, const T* other_mean, const T* other_M2,
                  std::int64_t count) {
  const T share = static_cast<T>(m) / static_cast<T>(n + m), both = static_cast<T>(n) * share;
  for (std::int64_t c = 0; c < count; ++c) {
    const T apart = (other_mean != nullptr ? other_mean[c] : T{0}) - mean[c];
    mean[c] += apart * share;
    M2[c] += (other_M2 != nullptr ? other_M2[c] : T{0}) + apart * apart * both;
  }
}

// Joins `count` columns of the moments of all blocks of R rows, as the contract says. Row 0 of `means` and `squares`
// gets the result.
template <class T>
void join_blocks(std::int64_t R, std::int64_t first, std::int64_t count, const Matrix<T>& means,
                 const Matrix<T>& squares) {
  for (std::int64_t size = 1; size < means.rows; size *= 2) {
    for (std::int64_t left = 0, right = size; right < means.rows; left += 2 * size, right += 2 * size) {
      join_moments(size * kRowBlock, means.row(left) + first, squares.row(left) + first,
                   std::min(R - right * kRowBlock, size * kRowBlock), means.row(right) + first,
                   squares.row(right) + first, count);
    }
  }
}

template <class T>
T inverse_deviation(T variance, double eps) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(variance) + eps));
}

template <class T>
void move_towards(T& running, double value, double share) {
  running = static_cast<T>((1 - share) * static_cast<double>(running) + share * value);
}

}  // namespace

void Norm::do_batch_statistics(const Array& x, std::int64_t padding, Array& mean, Array& variance) const {
  const std::int64_t R = x.rows(), blocks = divide_up(R, kRowBlock);
  const ArenaScope scratch(arena());
  const Array means = empty({blocks, x.cols()}, x.dtype()), squares = empty_like(means);  // of each block of rows
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto M = matrix<T>(means), S = matrix<T>(squares);
    T *m = mean.data<T>(), *v = variance.data<T>();
    launch(blocks, [&](std::int64_t block) { block_moments(X, block, M.row(block), S.row(block)); });
    launch_columns(*this, X.cols, [&](std::int64_t first, std::int64_t count) {
      if (blocks == 0) {
        std::fill_n(m + first, count, T{0});
        std::fill_n(v + first, count, T{0});
      } else {
        join_blocks(R, first, count, M, S);
        std::copy_n(M.row(0) + first, count, m + first);
        std::copy_n(S.row(0) + first, count, v + first);
      }
      if (padding > 0) join_moments<T>(R, m + first, v + first, padding, nullptr, nullptr, count);
      for (std::int64_t c = first; c < first + count; ++c) v[c] /= static_cast<T>(R + padding);
    });
  });
}

void Norm::do_batch_norm(const Array& x, const Array& mean, const Array& variance, const Array& gamma,
                         const Array& beta, double eps, Array& y) const {
  const ArenaScope scratch(arena());
  const Array rstds = empty({x.cols()}, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<T>(x), Y = matrix<T>(y);
    const T *m = mean.data<T>(), *v = variance.data<T>(), *g = gamma.data<T>(), *b = beta.data<T>();
    T* rstd = rstds.data<T>();
    launch(1, [&](std::int64_t) {
      for (std::int64_t c = 0; c < X.cols; ++c) rstd[c] = inverse_deviation(v[c], eps);
    });
    const auto normalised = [](Vec<T> value, Vec<T> mu, Vec<T> r, Vec<T> w, Vec<T> bias) {
      return w * ((value - mu) * r) + bias;
    };
    launch(divide_up(X.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(X.rows, block,
               [&](std::int64_t r) { map_vectors(X.cols, Y.row(r), normalised, X.row(r), m, rstd, g, b); });
    });
  });
}

void Norm::do_batch_norm_backward(const Array& dy, const Array& x, const Array& mean, const Array& variance,
                                  const Array& gamma, double eps, std::int64_t N, Sink dx, Sink dgamma,
                                  Sink dbeta) const {
  const std::int64_t blocks = divide_up(x.rows(), kRowBlock), d = x.cols();
  const ArenaScope scratch(arena());
  const Array rstds = empty({d}, x.dtype()), sums = empty({d}, x.dtype()), sums_n = empty({d}, x.dtype());
  const Array block_sums = empty({blocks, d}, x.dtype()), block_sums_n = empty_like(block_sums);
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<T>(x), DY = matrix<T>(dy);
    const T *m = mean.data<T>(), *v = variance.data<T>(), *g = gamma.data<T>();
    T* rstd = rstds.data<T>();
    launch(1, [&](std::int64_t) {
      for (std::int64_t c = 0; c < d; ++c) rstd[c] = inverse_deviation(v[c], eps);
    });
    const auto add_product = [](Vec<T> sum, Vec<T> u, Vec<T> value, Vec<T> mu, Vec<T> r) {
      return sum + u * ((value - mu) * r);
    };
    launch(blocks, [&](std::int64_t block) {
      T *of_dy = matrix<T>(block_sums).row(block), *of_dyn = matrix<T>(block_sums_n).row(block);
      std::fill_n(of_dy, d, T{0});
      std::fill_n(of_dyn, d, T{0});
      for_rows(X.rows, block, [&](std::int64_t r) {
        map_vectors(d, of_dy, std::plus<>(), of_dy, DY.row(r));
        map_vectors(d, of_dyn, add_product, of_dyn, DY.row(r), X.row(r), m, rstd);
      });
    });
    sum_rows(block_sums, Sink::overwrite(sums));
    sum_rows(block_sums_n, Sink::overwrite(sums_n));
    if (!dx.wanted()) return;
    const auto DX = matrix<T>(dx.array);
    const T *of_dy = sums.data<T>(), *of_dyn = sums_n.data<T>();
    const T share = N > 0 ? T{1} / static_cast<T>(N) : T{0};
    const auto gradient = [share](Vec<T> u, Vec<T> value, Vec<T> mu, Vec<T> r, Vec<T> w, Vec<T> sum, Vec<T> sum_n) {
      return w * r * (u - share * (sum + (value - mu) * r * sum_n));
    };
    launch(blocks, [&](std::int64_t block) {
      for_rows(X.rows, block, [&](std::int64_t r) {
        put_vectors(d, dx.accumulates(), DX.row(r), gradient, DY.row(r), X.row(r), m, rstd, g, of_dy, of_dyn);
      });
    });
  });
  if (dgamma.wanted()) scaled(sums_n, 1.0, dgamma);
  if (dbeta.wanted()) scaled(sums, 1.0, dbeta);
}

void Norm::do_update_running_statistics(const Array& mean, const Array& variance, std::int64_t N, double share,
                                        const Array& running_mean, const Array& running_variance) const {
  const double unbiased = N > 1 ? static_cast<double>(N) / static_cast<double>(N - 1) : 1;
  dispatch(mean.dtype(), [&]<class T>() {
    const T *m = mean.data<T>(), *v = variance.data<T>();
    T *to_mean = running_mean.data<T>(), *to_variance = running_variance.data<T>();
    launch(1, [&](std::int64_t) {
      for (std::int64_t c = 0; c < mean.count(); ++c) {
        if (!std::isfinite(m[c]) || !std::isfinite(v[c])) continue;
        move_towards(to_mean[c], static_cast<double>(m[c]), share);
        move_towards(to_variance[c], static_cast<double>(v[c]) * unbiased, share);
      }
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
