// Beam search on the CPU.
#pragma once

#include "dragoman/backend/cpu/common/context.h"

namespace dragoman::cpu::DRAGOMAN_CPU_BODY {

class Beam : public virtual Context {
  void do_beam_start(const Array& entering, const Array& prefixes, std::int32_t start,
                     const BeamTables& tables) const override;
  void do_beam_move(const Array& moves, const BeamTables& tables) const override;
  void do_beam_step(const BestWords& best, const BeamRules& rules, const BeamTables& tables) const override;
};

}  // namespace dragoman::cpu::DRAGOMAN_CPU_BODY
