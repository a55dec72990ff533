#include "dragoman/backend/cpu/products/gemm.h"

#include "dragoman/backend/cpu/products/interleave.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

// Packs some rows of op(A) and k in [k, k + depth) into panels of kTileRows rows, which are `apart` elements apart.
template <class T>
void pack_rows(const Product<T>& p, std::int64_t top, std::int64_t rows, std::int64_t k, std::int64_t depth,
               std::int64_t apart, T* packed) {
  if (p.transposed_A) {
    return split_rows<kTileRows>(p.A.row(k) + top, p.A.stride, rows, depth, apart, packed);
  }
  for (std::int64_t i = 0; i < rows; i += kTileRows, packed += apart) {
    const std::int64_t count = std::min(kTileRows, rows - i);
    interleave_rows<kTileRows>(p.A.row(top + i) + k, p.A.stride, count, depth, packed);
  }
}

}  // namespace

template <class T>
void FloatOperands<T>::pack_A(const Product<T>& p, std::int64_t piece, T* packed) const {
  const std::int64_t ranges = divide_up(p.K, kDepth), k = piece % ranges * kDepth;
  const std::int64_t top = piece / ranges * kPackRows, apart = panel_stride(p.K, kTileRows);
  pack_rows(p, top, std::min(kPackRows, p.M - top), k, std::min(kDepth, p.K - k), apart,
            packed + top / kTileRows * apart + k * kTileRows);
}

template <class T>
void FloatOperands<T>::pack_B(const Product<T>& p, std::int64_t piece, T* packed) const {
  const std::int64_t ranges = divide_up(p.K, kPackDepth), k = piece % ranges * kPackDepth,
                     panels = divide_up(p.N, kWidth);
  const std::int64_t begin = piece / ranges * kPackPanels, end = std::min(panels, begin + kPackPanels);
  const std::int64_t apart = panel_stride(p.K, kWidth), depth = std::min(kPackDepth, p.K - k);
  T* to = packed + begin * apart + k * kWidth;
  // A panel holds, for each k, its columns of op(B). If B is stored as [K, N], these lie side by side in row k of B; if
  // it is stored as [N, K], a column of op(B) is a row of B and has to be transposed.
  if (!p.transposed_B) {
    const std::int64_t columns = std::min(p.N, end * kWidth) - begin * kWidth;
    return split_rows<kWidth>(p.B.row(k) + begin * kWidth, p.B.stride, columns, depth, apart, to);
  }
  for (std::int64_t panel = begin; panel < end; ++panel, to += apart) {
    const std::int64_t first = panel * kWidth;
    interleave_rows<kWidth>(p.B.row(first) + k, p.B.stride, std::min(kWidth, p.N - first), depth, to);
  }
}

template <class T>
void FloatOperands<T>::multiply_block(const Product<T>& p, const T* packed_A, const T* packed_B, const Extent& e,
                                      Matrix<T> C, bool accumulate) const {
  const Matrix<T> block{C.row(e.top) + e.left, e.rows, e.cols, C.stride};
  if (p.K == 0 && !accumulate) {  // then the loop below does not write C
    for (std::int64_t i = 0; i < e.rows; ++i) std::fill_n(block.row(i), e.cols, T{0});
  }
  const Panels<T> B{packed_B + e.left / kWidth * panel_stride(p.K, kWidth), panel_stride(p.K, kWidth)};
  // The first range of k overwrites C (unless the caller accumulates); the others add to it. rows(k, depth) are the
  // panels of A.
  const auto multiply = [&](const auto& rows) {
    for (std::int64_t k = 0; k < p.K; k += kDepth) {
      const std::int64_t depth = std::min(kDepth, p.K - k);
      multiply_panels(depth, rows(k, depth), B.from(k), block, accumulate || k > 0);
    }
  };
  const auto multiply_from = [&](const RowPanels<T>& all_rows) {
    const RowPanels<T> rows = all_rows.from_panel(e.top / kTileRows);
    multiply([&](std::int64_t k, std::int64_t) { return rows.from(k); });
  };
  if constexpr (kReadsInPlace<T>) {
    if (reads_in_place(p)) return multiply_from(rows_in_place(p.A));
  }
  if (packed_A != nullptr) return multiply_from(packed_rows(packed_A, panel_stride(p.K, kTileRows)));
  on_stack<T, kBlockRows / kTileRows * panel_stride(kDepth, kTileRows)>([&](T* own_rows) {
    multiply([&](std::int64_t k, std::int64_t depth) {
      const std::int64_t apart = panel_stride(depth, kTileRows);
      pack_rows(p, e.top, e.rows, k, depth, apart, own_rows);
      return packed_rows<T>(own_rows, apart);
    });
  });
}

template struct FloatOperands<float>;
template struct FloatOperands<double>;

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
