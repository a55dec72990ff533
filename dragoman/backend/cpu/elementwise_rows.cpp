// The kernels of the element-wise family that gather or scatter whole rows.
#include <cstring>
#include <functional>

#include "dragoman/backend/cpu/elementwise.h"
#include "dragoman/backend/cpu/kernel.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

void Elementwise::do_take_rows(const Array& x, const RowIndex& index, Sink y) const {
  dispatch(x.dtype(), [&]<class T>() {
    const auto X = matrix<const T>(x);
    const auto Y = matrix<T>(y.array);
    const auto* taken = index.taken.data<std::int32_t>();
    launch(divide_up(Y.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(Y.rows, block, [&](std::int64_t i) {
        put_vectors(Y.cols, y.accumulates(), Y.row(i), std::identity(), X.row(taken[i]));
      });
    });
  });
}

void Elementwise::do_take_rows_backward(const Array& dy, const RowIndex& index, Sink dx) const {
  dispatch(dy.dtype(), [&]<class T>() {
    const auto DY = matrix<const T>(dy);
    const auto DX = matrix<T>(dx.array);
    const auto *starts = index.starts.data<std::int32_t>(), *takers = index.takers.data<std::int32_t>();
    launch(divide_up(DX.rows, kRowBlock), [&](std::int64_t block) {
      for_rows(DX.rows, block, [&](std::int64_t r) {
        // The first row that is added overwrites, unless the sink accumulates.
        bool accumulates = dx.accumulates();
        if (!accumulates && starts[r] == starts[r + 1]) std::fill_n(DX.row(r), DX.cols, T{0});
        for (std::int32_t k = starts[r]; k < starts[r + 1]; ++k, accumulates = true) {
          put_vectors(DX.cols, accumulates, DX.row(r), std::identity(), DY.row(takers[k]));
        }
      });
    });
  });
}

void Elementwise::do_place_rows(const Array& x, const Array& rows, const Array& y) const {
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  launch(divide_up(x.rows(), kRowBlock), [&](std::int64_t block) {
    for_rows(x.rows(), block, [&](std::int64_t r) {
      std::memcpy(static_cast<char*>(y.raw()) + rows.data<std::int32_t>()[r] * y.row_stride() * size,
                  static_cast<const char*>(x.raw()) + r * x.row_stride() * size,
                  static_cast<std::size_t>(x.cols() * size));
    });
  });
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
