// Stochastic gradient descent with Nesterov's momentum, over the flat parameter block.
#pragma once

#include <vector>

#include "dragoman/optim/optimiser.h"

namespace dragoman::optim {

struct NesterovSettings {
  double momentum = 0.99;
  WeightDecay decay = {};
};

// The velocity v was computed with the rate of the update before. It is multiplied by the ratio of the two rates, so
// that a change of the rate acts on all earlier gradients too.
class Nesterov final : public Optimiser {
 public:
  Nesterov(params::ParameterBlock& block, const NesterovSettings& settings);

  std::vector<Moment> moments() const override { return {{"velocity", v_}}; }

 private:
  void run(const Update& update) override;

  double momentum_;
  Array v_;
};

}  // namespace dragoman::optim
