// Packed weights on a CUDA device. The device multiplies plain matrices fastest, so a packed matrix is just W [in,
// out], by rows. Models are loaded as plain arrays there; this file only serves callers that pack nevertheless, and is
// not optimised.
#include "dragoman/backend/cuda/packed.h"

#include "dragoman/backend/cuda/kernel.cuh"

namespace dragoman::cuda {

namespace {

constexpr int kThreads = 256;

DType elements_of(WeightForm form) {
  require<DeviceError>(form != WeightForm::kInt8,
                       "weights of 8-bit integers are for the CPU; a CUDA device translates in bf16 or fp32.");
  return form == WeightForm::kBFloat16 ? DType::kBFloat16 : DType::kFloat32;
}

// Copies the n columns of W, or of its transpose, to columns [first, first + n) of `to`, each times its scale if there
// are scales.
template <class From, class To>
__global__ void pack_kernel(Matrix<const From> W, bool transposed, const float* scales, std::int64_t first,
                            std::int64_t n, Matrix<To> to) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= to.rows * n) return;
  const std::int64_t i = index / n, column = index % n;
  const auto value = static_cast<float>(transposed ? W.row(column)[i] : W.row(i)[column]);
  to.row(i)[first + column] = from_float<To>(scales != nullptr ? value * scales[column] : value);
}

}  // namespace

std::size_t Packed::do_packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const {
  const auto bytes = static_cast<std::int64_t>(size_of(elements_of(form))) * in * out;
  return static_cast<std::size_t>(divide_up(bytes, kPackedAlignment)) * kPackedAlignment;
}

PackedMatrix Packed::do_packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const {
  return {.form = form,
          .in = in,
          .out = out,
          .panels = Array(memory, {in, out}, elements_of(form), device()),
          .scales = {}};
}

void Packed::do_pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
                     const PackedMatrix& to) const {
  const bool transposed = transpose == Transpose::kYes;
  const std::int64_t in = transposed ? W.cols() : W.rows(), n = transposed ? W.rows() : W.cols();
  const auto grid = divide_up(in * n, kThreads);
  dispatch(to.panels.dtype(), [&]<class To>() {
    const auto pack_from = [&]<class From>() {
      launch(*this, pack_kernel<From, To>, grid, kThreads, 0, matrix<const From>(W), transposed,
             elements<const float>(scales), first, n, matrix<To>(to.panels));
    };
    W.dtype() == DType::kInt8 ? pack_from.template operator()<std::int8_t>() : pack_from.template operator()<float>();
  });
}

void Packed::do_linear_packed(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                              Array& y) const {
  linear(x, W.panels, b, activation, y);
}

void Packed::do_embed_packed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P,
                             double scale, Array& y) const {
  const ArenaScope scratch(arena());
  const Array plain = empty({E.out, E.in}, E.panels.dtype());
  transpose(E.panels, Sink::overwrite(plain));
  embed(ids, segments, plain, P, scale, {}, y);
}

}  // namespace dragoman::cuda
