// The contract of packed weights: matrices that are rearranged once and then multiplied many times, for inference.
//
// On the CPU all products here are batch-invariant: the bits of row r of the result depend on row r of the input
// and on the weights alone, never on the number or order of the other rows or on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/array/segments.h"
#include "dragoman/backend/matmul.h"

namespace dragoman {

// The element type of packed weights. kInt8 is for the CPU; kBFloat16 is for CUDA devices and for CPUs with
// instructions for it (instructions.h, why_no_bf16_products), where x is rounded too and sums are in float32. With
// kInt8, column c of W is scales[c] times integers from -127 to 127. In a product x W, each row of x is rounded to such
// integers too, with its own scale (backend/quantise.h says how). The sums of the integer products are exact.
enum class WeightForm : std::uint8_t { kFloat32, kInt8, kBFloat16 };

// A matrix W [in, out] in the layout that a backend multiplies fastest. Like an Array it does not own its memory.
struct PackedMatrix {
  WeightForm form = WeightForm::kFloat32;
  std::int64_t in = 0, out = 0;
  Array panels;  // the elements, in an order that each backend defines for itself
  Array scales;  // kInt8: float32 [out]

  explicit operator bool() const { return static_cast<bool>(panels); }
};

// A packed matrix starts at a multiple of this many bytes.
inline constexpr std::size_t kPackedAlignment = 128;

class PackedKernels {
 public:
  virtual ~PackedKernels() = default;

  // Bytes that a packed matrix takes, a multiple of kPackedAlignment.
  std::size_t packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const;
  // A packed matrix that uses this memory. Its columns are uninitialised until `pack` writes them.
  PackedMatrix packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const;
  // Writes the columns of W into columns [first, first + n) of `to`. W is [in, n], or [n, in] if it is transposed. Its
  // elements are float32, or int8 with scales [n]; they are converted to the form of `to`.
  void pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first, const PackedMatrix& to) const;

  // y = activation(x W + b) for float32 x [R, in] and b [out] or absent; dropout must be off. With kFloat32 the result
  // has the same bits as MatmulKernels::linear. With kInt8, x W is float(sum) * (scale of the row * scale of the
  // column), and a row that holds a NaN or an infinity gives NaN.
  void linear(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation, Array& y) const;

  // y[r] = scale E[ids[r]] + P[position of r]. E [V, d] is packed as its transpose, so E.in is d and E.out is V. P is
  // [positions, d], or absent. Id 0 (PAD) gives a zero vector in place of E[0].
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
