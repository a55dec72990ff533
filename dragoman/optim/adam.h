// Adam (Section 5.3 of the paper), over the flat parameter block.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dragoman/params/parameter_block.h"

namespace dragoman::optim {

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double weight_decay = 0;     // decoupled: acts on the parameter, not on the gradient
  bool decays_vectors = true;  // whether biases and the vectors of norms decay too
};

// The moments m and v have the same layout as the block. The block must outlive this object.
class Adam {
 public:
  Adam(params::ParameterBlock& block, const AdamSettings& settings);

  // Updates every parameter in one pass from the block's gradients times `scale` (float64 [1]; 1 if absent). If the
  // scale is NaN, nothing changes, but the update is counted.
  void step(double rate, const Array& scale = {});

  // Continues after `steps` updates. The caller must have restored their moments in m() and v().
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
  // If vectors do not decay: ranges of matrices and of vectors in alternation. Otherwise one range with everything.
  std::vector<params::BlockRange> ranges_;
};

}  // namespace dragoman::optim
