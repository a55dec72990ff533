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

// Words below this id (PAD and BOS) are never among the best.
inline constexpr std::int32_t kFirstWord = 2;
// The id that stands where there is no word left to name.
inline constexpr std::int32_t kNoWord = -1;

// The outputs of best_words, for Y of R rows.
struct BestWords {
  Array ids;       // int32 [R, k]: by falling logit, the lower id first among equals; kNoWord if fewer can be named
  Array logits;    // [R, k]: theirs; -infinity for kNoWord
  Array log_sums;  // [R]: log sum_v exp(logit of v) over the whole vocabulary
  Array all = {};  // [R, V]: every logit; absent if nobody wants them
};

struct PackedKernels {
  virtual ~PackedKernels() = default;

  // Bytes that a packed matrix takes, a multiple of kPackedAlignment.
  virtual std::size_t packed_bytes(WeightForm form, std::int64_t in, std::int64_t out) const = 0;
  // A matrix in this memory, whose columns are yet to be packed.
  virtual PackedMatrix packed_in(void* memory, WeightForm form, std::int64_t in, std::int64_t out) const = 0;
  // Columns first up to first + n of `to` become those of W: [in, n], or [n, in] if it is transposed. W is float32, or
  // int8 with scales [n]; either is brought to the form of `to`.
  virtual void pack(const Array& W, Transpose transpose, const Array& scales, std::int64_t first,
                    const PackedMatrix& to) const = 0;

  // y = activation(x W + b) for float32 x [R, in] and b [out] or absent; without dropout. With kFloat32 these are the
  // bits of MatmulKernels::linear. With kInt8, y = float(sum) * (scale of the row * scale of the column) + b; a row
  // that holds a NaN or an infinity gives NaN.
  virtual void linear(const Array& x, const PackedMatrix& W, const Array& b, const Activation& activation,
                      Array& y) const = 0;

  // y[r] = scale E[ids[r]] + P[position of r], from E [V, d] packed as its transpose: in is d and out is V. P is
  // [positions, d], or absent. Id 0 looks up zero.
  virtual void embed(const Array& ids, const Segments& segments, const PackedMatrix& E, const Array& P, double scale,
                     Array& y) const = 0;

  // The k best of the logits Y E^T + b, and their log sum, for Y [R, d] and b [V] or absent; k is the width of
  // best.ids. E is [V, d], or packed as its transpose, with the same bits in kFloat32. A logit that is NaN or
  // -infinity is never among the best; NaN makes the log sum NaN.
  virtual void best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const = 0;
  virtual void best_words(const Array& Y, const PackedMatrix& E, const Array& b, const BestWords& best) const = 0;
};

}  // namespace dragoman
