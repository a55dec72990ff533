// Weights that are packed once and multiplied often: the contract of inference.
//
// Everything here keeps the promise of batch invariance: the bits of a row of the result depend on that row and on the
// weights alone, never on how many rows there are, on their order, or on threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/matmul.h"

namespace dragoman {

// What weights for inference are made of. kBFloat16 is for CUDA devices, kInt8 for the CPU. With kInt8 a column c of W
// is scales[c] times integers from -127 to 127, and a row of what it multiplies is rounded to such integers too, with a
// scale of its own (backend/quantise.h says how); the sums of their products are exact.
enum class WeightForm : std::uint8_t { kFloat32, kInt8, kBFloat16 };

// A matrix W [in, out] in the layout that a backend multiplies fastest. It describes memory as an Array does.
struct PackedMatrix {
  WeightForm form = WeightForm::kFloat32;
  std::int64_t in = 0, out = 0;
  Array panels;  // the elements, in an order that is the backend's own
  Array scales;  // kInt8: float32 [out]

  explicit operator bool() const { return static_cast<bool>(panels); }
};

// Where a packed matrix may start.
inline constexpr std::size_t kPackedAlignment = 128;

class PackedKernels {
 public:
  virtual ~PackedKernels() = default;

  // Bytes that a packed matrix takes, a multiple of kPackedAlignment.
  std::size_t packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const;
  // A matrix in this memory, whose columns are yet to be packed.
  PackedMatrix packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const;
  // Columns first up to first + n of `to` become those of W: [in, n], or [n, in] if it is transposed. W is float32, or
  // int8 with scales [n]; either is brought to the form of `to`.
  void pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first, const PackedMatrix& to) const;

  // y = activation(x W + b) for float32 x [R, in] and b [out] or absent; without dropout. With kFloat32 these are the
  // bits of MatmulKernels::linear. With kInt8, y = float(sum) * (scale of the row * scale of the column) + b; a row
  // that holds a NaN or an infinity gives NaN.
  void linear(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation, Array& y) const;

  // y[r] = scale E[ids[r]] + P[position of r], from E [V, d] packed as its transpose: in is d and out is V. P is
  // [positions, d], or absent. Id 0 looks up zero.
  void embed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P, double scale,
             Array& y) const;

 private:
  virtual std::size_t do_packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const = 0;
  virtual PackedMatrix do_packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const = 0;
  virtual void do_pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
                       const PackedMatrix& to) const = 0;
  virtual void do_linear_packed(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                                Array& y) const = 0;
  virtual void do_embed_packed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P,
                               double scale, Array& y) const = 0;
};

}  // namespace dragoman
