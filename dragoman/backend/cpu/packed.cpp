#include "dragoman/backend/cpu/packed.h"

#include <algorithm>
#include <string>

#include "dragoman/backend/cpu/products/finish.h"
#include "dragoman/backend/cpu/products/packed_panels.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

template <class T>
RowPanels<T> row_panels(const Context& on, Matrix<const T> x) {
  if constexpr (kReadsInPlace<T>) return rows_in_place(x);
  const std::int64_t apart = panel_stride(x.cols, kTileRows), panels = divide_up(x.rows, kTileRows);
  const Array memory = on.empty({panels * apart}, kDTypeOf<T>);
  T* packed = static_cast<T*>(memory.raw());
  constexpr std::int64_t kAtOnce = 4;  // panels per piece of work
  on.launch(divide_up(panels, kAtOnce), [&](std::int64_t piece) {
    for (std::int64_t i = piece * kAtOnce; i < std::min(panels, (piece + 1) * kAtOnce); ++i) {
      const std::int64_t first = i * kTileRows, count = std::min(kTileRows, x.rows - first);
      interleave_rows<kTileRows>(x.row(first), x.stride, count, x.cols, packed + i * apart);
    }
  });
  return packed_rows(packed, apart);
}

template RowPanels<float> row_panels(const Context&, Matrix<const float>);
template RowPanels<double> row_panels(const Context&, Matrix<const double>);

Int8Rows quantised_rows(const Context& on, Matrix<const float> x) {
  const std::int64_t depth = kInt8.depth(x.cols), panels = divide_up(x.rows, kInt8.rows);
  const std::int64_t padded = panels * kInt8.rows;
  const Array integers = on.empty({padded, depth}, DType::kInt8);
  const Array scales = on.empty({padded}, DType::kFloat32), sums = on.empty({padded}, DType::kInt32);
  const Int8Rows rows{.kernel = on.int8_kernel(),
                      .rows = x.rows,
                      .depth = depth,
                      .panels = integers.data<std::int8_t>(),
                      .scales = scales.data<float>(),
                      .sums = sums.data<std::int32_t>()};
  constexpr std::int64_t kAtOnce = 8;  // rows per piece of work
  const std::int64_t count = panels == 0 ? 0 : (panels - 1) * kInt8.rows + rows.height(panels - 1);
  on.launch(divide_up(count, kAtOnce), [&](std::int64_t piece) {
    for (std::int64_t r = piece * kAtOnce; r < std::min(count, (piece + 1) * kAtOnce); ++r) quantise_row(x, r, rows);
  });
  return rows;
}

Bf16Rows bf16_rows(const Context& on, Matrix<const float> x) {
  const std::int64_t depth = kBf16.depth(x.cols);
  const Array memory = on.empty({divide_up(x.rows, kBf16.together) * kBf16.together, depth}, DType::kBFloat16);
  auto* panels = static_cast<std::uint16_t*>(memory.raw());
  constexpr std::int64_t kAtOnce = kBf16.together;  // rows per piece of work
  on.launch(divide_up(x.rows, kAtOnce), [&](std::int64_t piece) {
    const std::int64_t first = piece * kAtOnce;
    pack_bf16_rows<kBf16>({x.row(first), x.stride, false}, std::min(kAtOnce, x.rows - first), x.cols,
                          panels + first * depth);
  });
  return {*bf16_kernel(), x.rows, depth, panels};
}

namespace {

// Rows of x that are multiplied at a time, which limits the memory for their packed copy, if there is one.
constexpr std::int64_t kSliceRows = 256;

// A part of a product: some of its rows, and the columns of some panels of W.
struct Part {
  std::int64_t top, rows, first_panel, panels;
};

// Calls work(part) for parts that together cover all rows and all panels of W. There are enough of them to keep every
// thread busy. Each has a multiple of `unit` panels, except for the last ones; if the panels alone do not give enough
// parts, then the rows are split too, into multiples of `least_rows`. The bits of the results do not depend on the
// parts.
template <class Work>
void for_parts(const Context& on, std::int64_t rows, const PackedMatrix& W, std::int64_t unit, std::int64_t least_rows,
               const Work& work) {
  constexpr std::int64_t kPartsPerThread = 4;
  const std::int64_t panels = layout_of(W.form, W.in, W.out).panels;
  if (panels == 0 || rows == 0) return;
  const std::int64_t units = divide_up(panels, unit), wanted = kPartsPerThread * on.threads();
  const std::int64_t width = unit * divide_up(units, std::min(units, wanted)), across = divide_up(panels, width);
  const std::int64_t down = std::min(divide_up(rows, least_rows), divide_up(wanted, across));
  const std::int64_t height = divide_up(divide_up(rows, down), least_rows) * least_rows;
  const auto compute = [&](std::int64_t part) {
    const std::int64_t top = part / across * height, first = part % across * width;
    work(Part{top, std::min(height, rows - top), first, std::min(width, panels - first)});
  };
  on.launch(across * divide_up(rows, height), compute,
            [&] { return join("packed product [", rows, ", ", W.out, "] over ", W.in); });
}

void linear_float(const Context& on, const Array& x, const PackedMatrix& W, const Array& b,
                  const Activation& activation, const Array& y) {
  const ArenaScope scratch(on.arena());
  const RowPanels<float> A = row_panels(on, matrix<const float>(x));
  const Panels<float> B = float_panels(W);
  const auto out = matrix<float>(y);
  const float* bias = b ? b.data<float>() : nullptr;
  // A tile of few rows takes several panels at once. With fewer rows than these, a part would read W for too few rows.
  const std::int64_t unit = panels_at_once(std::min(out.rows, kTileRows));
  constexpr std::int64_t kLeastRows = 4 * kTileRows;
  for_parts(on, out.rows, W, unit, kLeastRows, [&](const Part& part) {
    const std::int64_t left = part.first_panel * kTileCols<float>;
    const std::int64_t cols = std::min(part.panels * kTileCols<float>, W.out - left);
    multiply_full_depth<float>(W.in, A.from_panel(part.top / kTileRows), B.from_panel(part.first_panel),
                               {out.row(part.top) + left, part.rows, cols, out.stride});
    finish_block({part.top, part.rows, left, cols}, bias, activation, out);
  });
}

void linear_bf16(const Context& on, const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                 const Array& y) {
  const ArenaScope scratch(on.arena());
  const Bf16Rows rows = bf16_rows(on, matrix<const float>(x));
  const auto out = matrix<float>(y);
  const float* bias = b ? b.data<float>() : nullptr;
  const std::int64_t apart = rows.depth * kBf16.cols;
  constexpr std::int64_t kLeastRows = 32;
  for_parts(on, out.rows, W, 1, kLeastRows, [&](const Part& part) {
    const std::int64_t left = part.first_panel * kBf16.cols, cols = std::min(part.panels * kBf16.cols, W.out - left);
    multiply_bf16({rows.kernel, part.rows, rows.depth, rows.panels + part.top * rows.depth},
                  bf16_panels(W) + part.first_panel * apart, apart,
                  {out.row(part.top) + left, part.rows, cols, out.stride}, false);
    finish_block({part.top, part.rows, left, cols}, bias, activation, out);
  });
}

void linear_int8(const Context& on, const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                 const Array& y) {
  const ArenaScope scratch(on.arena());
  const Int8Rows rows = quantised_rows(on, matrix<const float>(x));
  const auto out = matrix<float>(y);
  for_parts(on, out.rows, W, 1, kSliceRows, [&](const Part& part) {
    const std::int64_t left = part.first_panel * kInt8.cols, cols = std::min(part.panels * kInt8.cols, W.out - left);
    multiply_int8(rows, W, part.first_panel, b ? b.data<float>() + left : nullptr, activation.relu,
                  {out.data + left, out.rows, cols, out.stride});
  });
}

}  // namespace

std::size_t Packed::do_packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const {
  if (form == WeightForm::kBFloat16) {
    const std::string reason = bf16_kernel() == nullptr ? why_no_bf16_kernel() : "";
    require<UsageError>(reason.empty(), "weights of bfloat16: ", reason,
                        "; choose fp32 or int8, or add --device cuda.");
  }
  return layout_of(form, in, out).bytes;
}

PackedMatrix Packed::do_packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const {
  const PackedLayout layout = layout_of(form, in, out);
  PackedMatrix W{.form = form, .in = in, .out = out, .panels = {}, .scales = {}};
  W.panels = Array(memory, {layout.panels * layout.apart}, layout.dtype, device());
  if (form == WeightForm::kInt8) {
    W.scales = Array(static_cast<char*>(memory) + layout.scales_at, {out}, DType::kFloat32, device());
  }
  return W;
}

void Packed::do_pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
                     const PackedMatrix& to) const {
  const bool transposed = transpose == Transpose::kYes;
  const std::int64_t n = transposed ? W.rows() : W.cols();
  const PackedLayout layout = layout_of(to.form, to.in, to.out);
  const std::int64_t begin = first / layout.width, end = n == 0 ? begin : divide_up(first + n, layout.width);
  const auto launch_from = [&]<class From>() {
    const auto from = matrix<const From>(W);
    const float* scale = scales ? scales.data<float>() : nullptr;
    launch(end - begin, [&](std::int64_t i) { pack_panel<From>({from, transposed, scale, first}, begin + i, to); });
  };
  W.dtype() == DType::kInt8 ? launch_from.operator()<std::int8_t>() : launch_from.operator()<float>();
}

void Packed::do_linear_packed(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                              Array& y) const {
  expect_elements<float>({&x, &b, &y});
  for (std::int64_t top = 0; top < x.rows(); top += kSliceRows) {
    const std::int64_t rows = std::min(kSliceRows, x.rows() - top);
    const Array slice = x.row_range(top, rows), out = y.row_range(top, rows);
    switch (W.form) {
      case WeightForm::kInt8: linear_int8(*this, slice, W, b, activation, out); break;
      case WeightForm::kBFloat16: linear_bf16(*this, slice, W, b, activation, out); break;
      case WeightForm::kFloat32: linear_float(*this, slice, W, b, activation, out); break;
    }
  }
}

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
