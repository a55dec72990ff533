#include "dragoman/optim/adam.h"

namespace dragoman::optim {

Adam::Adam(params::ParameterBlock& block, const AdamSettings& settings)
    : Optimiser(block, settings.decay), settings_(settings), m_(make_moment()), v_(make_moment()) {}

void Adam::run(const Update& update) {
  Array theta = update.part(block().values()), copy = update.part(block().copies());
  Array m = update.part(m_), v = update.part(v_);
  block().backend().adam(update.part(block().gradients()), update.scale,
                         {.rate = update.rate,
                          .beta1 = settings_.beta1,
                          .beta2 = settings_.beta2,
                          .epsilon = settings_.epsilon,
                          .weight_decay = update.weight_decay,
                          .t = update.t},
                         theta, m, v, copy);
}

}  // namespace dragoman::optim
