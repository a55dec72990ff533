#include "dragoman/optim/nesterov.h"

namespace dragoman::optim {

Nesterov::Nesterov(params::ParameterBlock& block, const NesterovSettings& settings)
    : Optimiser(block, settings.decay), momentum_(settings.momentum), v_(make_moment()) {}

void Nesterov::run(const Update& update) {
  Array theta = update.part(block().values()), copy = update.part(block().copies()), v = update.part(v_);
  block().backend().nesterov(update.part(block().gradients()), update.scale,
                             {.rate = update.rate,
                              .momentum = momentum_,
                              .rate_ratio = update.rate_before > 0 ? update.rate / update.rate_before : 1,
                              .weight_decay = update.weight_decay},
                             theta, v, copy);
}

}  // namespace dragoman::optim
