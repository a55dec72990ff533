// The best words of every row of an output projection: the contract.
//
// The bits of a row of the result depend on that row and on the weights alone, never on how many rows there are, on
// their order, or on threads.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/packed.h"

namespace dragoman {

// Words below this id (PAD and BOS) are never among the best.
inline constexpr std::int32_t kFirstWord = 2;
// The id that stands where there is no word left to name.
inline constexpr std::int32_t kNoWord = -1;

// The outputs of best_words, for Y of R rows.
struct BestWords {
  Array ids;       // int32 [R, k]: by falling logit, the lower id first among equals; kNoWord if fewer can be named
  Array logits;    // [R, k]: theirs; -infinity for kNoWord
  Array log_sums;  // [R]: log sum_v exp(logit of v) over the whole vocabulary
  Array all = {};  // [R, V]: every logit; optional
};

class BestWordsKernels {
 public:
  virtual ~BestWordsKernels() = default;

  // The k best of the logits Y E^T + b, and their log sum, for Y [R, d] and b [V] or absent; k is the width of
  // best.ids. E is [V, d], or packed as its transpose, with the same bits in kFloat32. A logit that is NaN or
  // -infinity is never among the best; NaN makes the log sum NaN.
  void best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const;
  void best_words(const Array& Y, const PackedMatrix& E, const Array& b, const BestWords& best) const;

 private:
  virtual void do_best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const = 0;
  virtual void do_best_words_packed(const Array& Y, const PackedMatrix& E, const Array& b,
                                    const BestWords& best) const = 0;
};

}  // namespace dragoman
