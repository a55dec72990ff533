#include "dragoman/backend/packed.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

std::size_t PackedKernels::packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const {
  return do_packed_bytes(form, in, out);
}

PackedMatrix PackedKernels::packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const {
  require<ShapeError>(reinterpret_cast<std::uintptr_t>(memory) % kPackedAlignment == 0,
                      "a packed matrix must start at a multiple of ", kPackedAlignment, " bytes");
  return do_packed_in(memory, form, in, out);
}

void PackedKernels::pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
                         const PackedMatrix& to) const {
  const bool transposed = transpose == Transpose::kYes;
  const std::int64_t in = transposed ? W.cols() : W.rows(), n = transposed ? W.rows() : W.cols();
  require<ShapeError>(in == to.in && first >= 0 && n <= to.out - first, "pack: ", n, " columns of ", in,
                      " elements from column ", first, " on do not fit [", to.in, ", ", to.out, "]");
  require<ShapeError>(W.dtype() == DType::kInt8 ? scales && scales.count() == n : !scales,
                      "pack: int8 weights need one scale for each column, and other weights must have none");
  do_pack(W, transpose, scales, first, to);
}

void PackedKernels::linear(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                           Array& y) const {
  require<ShapeError>(x.cols() == W.in && y.cols() == W.out && x.rows() == y.rows() && (!b || b.count() == W.out),
                      "linear: x is ", x.shape(), ", b ", b.shape(), ", y ", y.shape(), ", and W is packed as [", W.in,
                      ", ", W.out, "]");
  require<ShapeError>(!activation.dropout.on(), "linear: packed weights are for inference; dropout must be off");
  do_linear_packed(x, W, b, activation, y);
}

void PackedKernels::embed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P,
                          double scale, Array& y) const {
  check_lookup(ids, segments, {E.out, E.in}, P, y);
  do_embed_packed(ids, segments, E, P, scale, y);
}

}  // namespace dragoman
