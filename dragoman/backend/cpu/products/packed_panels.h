// The memory layout of packed matrices on the CPU: panels of columns, in the order in which the register tiles (tile.h,
// int8.h) read them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dragoman/backend/cpu/common/context.h"
#include "dragoman/backend/cpu/products/bf16.h"
#include "dragoman/backend/cpu/products/int8.h"
#include "dragoman/backend/cpu/products/interleave.h"
#include "dragoman/backend/cpu/products/tile.h"
#include "dragoman/backend/packed.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

struct PackedLayout {
  DType dtype;                           // of the panels' elements
  std::int64_t width, panels, apart;     // columns per panel; number of panels; elements from one panel to the next
  std::size_t scales_at = 0, bytes = 0;  // byte offset of the scales; total size
};
PackedLayout layout_of(WeightForm form, std::int64_t in, std::int64_t out);

inline Panels<float> float_panels(const PackedMatrix& W) {
  return {W.panels.data<float>(), panel_stride(W.in, kTileCols<float>)};
}

inline std::uint16_t* bf16_panels(const PackedMatrix& W) { return static_cast<std::uint16_t*>(W.panels.raw()); }

// The columns of a plain matrix that is to be packed. W is [in, n], or [n, in] if it is transposed; its n columns
// become the columns [first, end()) of the packed matrix. If the elements are int8, `scales` holds a scale for each
// column; otherwise it is null.
template <class From>
struct PlainColumns {
  Matrix<const From> W;
  bool transposed;
  const float* scales;
  std::int64_t first;

  From at(std::int64_t k, std::int64_t column) const {
    const std::int64_t c = column - first;
    return transposed ? W.row(c)[k] : W.row(k)[c];
  }
  std::int64_t end() const { return first + (transposed ? W.rows : W.cols); }
};

// Packs those of the source columns that belong to one panel of `to`.
template <class From>
void pack_panel(const PlainColumns<From>& from, std::int64_t panel, const PackedMatrix& to);

// The rows of x as panels: in place, or packed in the arena.
template <class T>
RowPanels<T> row_panels(const Context& on, Matrix<const T> x);
// The rows of x, rounded to integers and packed, in the arena.
Int8Rows quantised_rows(const Context& on, Matrix<const float> x);

// The rows of x, rounded to bfloat16 and packed, in the arena.
Bf16Rows bf16_rows(const Context& on, Matrix<const float> x);

// to[k] = W[k, column] for all k.
void unpack_column(const PackedMatrix& W, std::int64_t column, float* to);

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
