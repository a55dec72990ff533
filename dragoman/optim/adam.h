// Adam (Section 5.3 of the paper), over the flat parameter block.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dragoman/params/parameter_block.h"

namespace dragoman::optim {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double weight_decay = 0;     // decoupled from the gradient
  bool decays_vectors = true;  // biases and norms too
};

// The moments m and v have the layout of the block, which must outlive this.
class Adam {
 public:
  Adam(params::ParameterBlock& block, const AdamSettings& settings);

  // One update of every parameter from the block's gradients, taken times `scale` (float64 [1]; 1 if absent), in one
  // pass. If the scale is NaN nothing changes, but the update is counted.
  void step(double rate, const Array& scale = {});

  // Goes on after `steps` updates, whose moments the caller has put into m() and v().
  void resume(std::int64_t steps) { t_ = steps; }

  std::int64_t steps() const { return t_; }
  const Array& m() const { return m_; }
  const Array& v() const { return v_; }

 private:
  params::ParameterBlock& block_;
  AdamSettings settings_;
  std::unique_ptr<Reservation> m_memory_, v_memory_;
  Array m_, v_;
  std::int64_t t_ = 0;
  std::vector<params::BlockRange>
      ranges_;  // of matrices and of vectors by turns, where these do not decay; else one of all
};

}  // namespace dragoman::optim
