// The best words of an output projection on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class WordRanking : public virtual Context {
  void do_best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const override;
  void do_best_words_packed(const Array& Y, const PackedMatrix& E, const Array& b,
                            const BestWords& best) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
