// The contract of the kernel that finds the best words of every row of an output projection.
//
// On the CPU the bits of a row of the result depend on that row and on the weights alone, never on the number or order
// of rows or on the number of threads.
#pragma once

#include <cstdint>

#include "dragoman/array/array.h"
#include "dragoman/backend/packed.h"

namespace dragoman {

// Words below this id (PAD and BOS) are never among the best.
inline constexpr std::int32_t kFirstWord = 2;
// Fills up the list of best words if there are fewer than k.
inline constexpr std::int32_t kNoWord = -1;

// The outputs of best_words, for Y of R rows.
struct BestWords {
  Array ids;       // int32 [R, k]: by logit, largest first, then by id; kNoWord at the end if there are fewer than k
  Array logits;    // [R, k]: the logits of `ids`; -infinity for kNoWord
  Array log_sums;  // [R]: log sum_v exp(logit of v) over the whole vocabulary
  Array all = {};  // [R, V]: every logit; optional
  // Optional, both or neither:
  Array asked = {};         // int32 [R], an input: for each row a word whose logit is wanted too, or kNoWord
  Array asked_logits = {};  // [R]: the logits of `asked`; -infinity for kNoWord
};

class BestWordsKernels {
 public:
  virtual ~BestWordsKernels() = default;

  // The k largest logits of each row of Y E^T + b, and the log sum of the row. Y is [R, d]; b is [V], or absent; k is
  // the width of best.ids. E is [V, d], or its transpose as a packed matrix; if its form is WeightForm::kFloat32,
  // both give the same bits. A logit that is NaN or -infinity is never among the best; a NaN makes the log sum NaN.
  void best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const;
  void best_words(const Array& Y, const PackedMatrix& E, const Array& b, const BestWords& best) const;

 private:
  virtual void do_best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const = 0;
  virtual void do_best_words_packed(const Array& Y, const PackedMatrix& E, const Array& b,
                                    const BestWords& best) const = 0;
};

}  // namespace dragoman
