// The best words of an output projection on a CUDA device.
#pragma once

#include "dragoman/backend/cuda/context.h"

namespace dragoman::cuda {

class WordRanking : public virtual Context {
  void do_best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const override;
  void do_best_words_packed(const Array& Y, const PackedMatrix& E, const Array& b,
                            const BestWords& best) const override;
};

}  // namespace dragoman::cuda
