#include "dragoman/backend/cpu/products/packed_panels.h"

#include <algorithm>
#include <bit>

#include "dragoman/backend/quantise.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

namespace {

std::size_t aligned(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
}

// Distance in a panel of 8-bit integers from element 0 of a column to its element k.
constexpr std::int64_t int8_place(std::int64_t k) { return kInt8.in_columns(k, 0); }

template <class From>
void pack_float(const PlainColumns<From>& from, std::int64_t column, std::int64_t in, float* to) {
  const float scale = from.scales != nullptr ? from.scales[column - from.first] : 1;
  for (std::int64_t k = 0; k < in; ++k) to[k * kTileCols<float>] = static_cast<float>(from.at(k, column)) * scale;
}

template <class From>
void pack_int8(const PlainColumns<From>& from, std::int64_t column, std::int64_t in, std::int8_t* to, float* scale) {
  for (std::int64_t k = in; k < kInt8.depth(in); ++k) to[int8_place(k)] = 0;
  if constexpr (std::is_same_v<From, std::int8_t>) {
    *scale = from.scales[column - from.first];
    for (std::int64_t k = 0; k < in; ++k) to[int8_place(k)] = from.at(k, column);
  } else {
    LargestMagnitude largest;
    for (std::int64_t k = 0; k < in; ++k) largest.add(from.at(k, column));
    const Quantiser quantiser = Quantiser::for_largest(largest.value());
    *scale = quantiser.scale;
    for (std::int64_t k = 0; k < in; ++k)
      to[int8_place(k)] = quantiser.inverse == 0 ? 0 : quantiser(from.at(k, column));
  }
}

template <class From>
void pack_bf16(const PlainColumns<From>& from, std::int64_t column, std::int64_t in, std::uint16_t* to) {
  const float scale = from.scales != nullptr ? from.scales[column - from.first] : 1;
  for (std::int64_t k = 0; k < kBf16.depth(in); ++k) {
    to[kBf16.in_columns(k, 0)] = k < in ? bf16_bits(static_cast<float>(from.at(k, column)) * scale) : 0;
  }
}

}  // namespace

PackedLayout layout_of(WeightForm form, std::int64_t in, std::int64_t out) {
  if (form == WeightForm::kFloat32) {
    const std::int64_t width = kTileCols<float>, panels = divide_up(out, width), apart = panel_stride(in, width);
    return {DType::kFloat32, width, panels, apart, 0, aligned(panels * apart * 4)};
  }
  if (form == WeightForm::kBFloat16) {
    const std::int64_t apart = kBf16.depth(in) * kBf16.cols, panels = divide_up(out, kBf16.cols);
    return {DType::kBFloat16, kBf16.cols, panels, apart, 0, aligned(panels * apart * 2)};
  }
  require<ShapeError>(in <= kInt8MaxDepth, "a matrix of ", in, " rows is too large for 8-bit integers; at most ",
                      kInt8MaxDepth, " rows are possible");
  const std::int64_t apart = kInt8.depth(in) * kInt8.cols, panels = divide_up(out, kInt8.cols);
  const std::size_t elements = aligned(panels * apart);
  return {DType::kInt8, kInt8.cols, panels, apart, elements, elements + aligned(out * 4)};
}

template <class From>
void pack_panel(const PlainColumns<From>& from, std::int64_t panel, const PackedMatrix& to) {
  const PackedLayout layout = layout_of(to.form, to.in, to.out);
  const std::int64_t left = panel * layout.width;
  const std::int64_t begin = std::max(left, from.first), end = std::min(left + layout.width, from.end());
  for (std::int64_t c = begin; c < end; ++c) {
    if (to.form == WeightForm::kFloat32) {
      pack_float(from, c, to.in, to.panels.data<float>() + panel * layout.apart + (c - left));
    } else if (to.form == WeightForm::kBFloat16) {
      pack_bf16(from, c, to.in, bf16_panels(to) + panel * layout.apart + kBf16.in_columns(0, c - left));
    } else {
      pack_int8(from, c, to.in, to.panels.data<std::int8_t>() + panel * layout.apart + kInt8.in_columns(0, c - left),
                to.scales.data<float>() + c);
    }
  }
}

template void pack_panel(const PlainColumns<float>&, std::int64_t, const PackedMatrix&);
template void pack_panel(const PlainColumns<std::int8_t>&, std::int64_t, const PackedMatrix&);

void unpack_column(const PackedMatrix& W, std::int64_t column, float* to) {
  const PackedLayout layout = layout_of(W.form, W.in, W.out);
  const std::int64_t panel = column / layout.width * layout.apart, within = column % layout.width;
  if (W.form == WeightForm::kFloat32) {
    const float* from = W.panels.data<float>() + panel + within;
    for (std::int64_t k = 0; k < W.in; ++k) to[k] = from[k * layout.width];
    return;
  }
  if (W.form == WeightForm::kBFloat16) {
    const std::uint16_t* from = bf16_panels(W) + panel + kBf16.in_columns(0, within);
    for (std::int64_t k = 0; k < W.in; ++k) {
      to[k] = std::bit_cast<float>(std::uint32_t{from[kBf16.in_columns(k, 0)]} << 16);
    }
    return;
  }
  const std::int8_t* from = W.panels.data<std::int8_t>() + panel + kInt8.in_columns(0, within);
  const float scale = W.scales.data<float>()[column];
  for (std::int64_t k = 0; k < W.in; ++k) to[k] = static_cast<float>(from[int8_place(k)]) * scale;
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
