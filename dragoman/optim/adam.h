// Adam (Section 5.3 of the paper), over the flat parameter block.
#pragma once

#include <vector>

#include "dragoman/optim/optimiser.h"

namespace dragoman::optim {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  WeightDecay decay = {};
};

class Adam final : public Optimiser {
 public:
  Adam(params::ParameterBlock& block, const AdamSettings& settings);

  std::vector<Moment> moments() const override { return {{"m", m_}, {"v", v_}}; }
  const Array& m() const { return m_; }
  const Array& v() const { return v_; }

 private:
  void run(const Update& update) override;

  AdamSettings settings_;
  Array m_, v_;
};

}  // namespace dragoman::optim
