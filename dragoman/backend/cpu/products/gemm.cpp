#include "dragoman/backend/cpu/products/gemm.h"

#include "dragoman/backend/cpu/products/interleave.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

template <class T>
void pack_B(const Product<T>& p, std::int64_t piece, T* packed) {
  constexpr std::int64_t width = kTileCols<T>;
  const std::int64_t ranges = divide_up(p.K, kPackDepth), k = piece % ranges * kPackDepth;
  const std::int64_t begin = piece / ranges * kPackPanels, end = std::min(panels_of_B(p), begin + kPackPanels);
  const std::int64_t apart = panel_stride(p.K, width), depth = std::min(kPackDepth, p.K - k);
  T* to = packed + begin * apart + k * width;
  // A panel holds, for each k, its columns of op(B). If B is stored as [K, N], these lie side by side in row k of B; if
  // it is stored as [N, K], a column of op(B) is a row of B and has to be transposed.
  if (!p.transposed_B) {
    const std::int64_t columns = std::min(p.N, end * width) - begin * width;
    return split_rows<width>(p.B.row(k) + begin * width, p.B.stride, columns, depth, apart, to);
  }
  for (std::int64_t panel = begin; panel < end; ++panel, to += apart) {
    const std::int64_t first = panel * width;
    interleave_rows<width>(p.B.row(first) + k, p.B.stride, std::min(width, p.N - first), depth, to);
  }
}

namespace {

// Packs rows [e.top, e.top + e.rows) and k in [k, k + depth) of op(A) into panels of kTileRows rows, each
// [depth, kTileRows].
template <class T>
void pack_A(const Product<T>& p, const Extent& e, std::int64_t k, std::int64_t depth, T* packed) {
  const std::int64_t apart = panel_stride(depth, kTileRows);
  if (p.transposed_A) {
    return split_rows<kTileRows>(p.A.row(k) + e.top, p.A.stride, e.rows, depth, apart, packed);
  }
  for (std::int64_t i = 0; i < e.rows; i += kTileRows, packed += apart) {
    const std::int64_t count = std::min(kTileRows, e.rows - i);
    interleave_rows<kTileRows>(p.A.row(e.top + i) + k, p.A.stride, count, depth, packed);
  }
}

}  // namespace

template <class T>
void multiply_block(const Product<T>& p, const T* packed_B, const Extent& e, Matrix<T> C, bool accumulate) {
  // All panels of A for kDepth values of k, on the stack: a block packs its own rows of A and shares them with nobody.
  alignas(kVectorBytes) T packed_A[kBlockRows / kTileRows * panel_stride(kDepth, kTileRows)];
  const Matrix<T> block{C.row(e.top) + e.left, e.rows, e.cols, C.stride};
  if (p.K == 0 && !accumulate) {  // then the loop below does not write C
    for (std::int64_t i = 0; i < e.rows; ++i) std::fill_n(block.row(i), e.cols, T{0});
  }
  const Panels<T> B{packed_B + e.left / kTileCols<T> * panel_stride(p.K, kTileCols<T>),
                    panel_stride(p.K, kTileCols<T>)};
  // The first range of k overwrites C (unless the caller accumulates); the others add to it.
  for (std::int64_t k = 0; k < p.K; k += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.K - k);
    pack_A(p, e, k, depth, packed_A);
    const Panels<T> A{packed_A, panel_stride(depth, kTileRows)};
    multiply_panels(depth, A, B.from(k * kTileCols<T>), block, accumulate || k > 0);
  }
}

template void pack_B(const Product<float>&, std::int64_t, float*);
template void pack_B(const Product<double>&, std::int64_t, double*);
template void multiply_block(const Product<float>&, const float*, const Extent&, Matrix<float>, bool);
template void multiply_block(const Product<double>&, const double*, const Extent&, Matrix<double>, bool);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
