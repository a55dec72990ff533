// Beam search on a CUDA device.
#pragma once

#include "dragoman/backend/cuda/context.h"

namespace dragoman::cuda {

class Beam : public virtual Context {
  void do_beam_start(const Array& entering, const Array& prefixes, std::int32_t start,
                     const BeamTables& tables) const override;
  void do_beam_move(const Array& moves, const BeamTables& tables) const override;
  void do_beam_step(const BestWords& best, const BeamRules& rules, const BeamTables& tables) const override;
};

}  // namespace dragoman::cuda
