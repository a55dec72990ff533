#include "dragoman/optim/adam.h"

#include <algorithm>

namespace dragoman::optim {

Adam::Adam(nn::ParameterBlock& block, const AdamSettings& settings) : block_(block), settings_(settings) {
  const Backend& on = block.backend();
  const Array& values = block.values();
  const std::size_t bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(1, values.count())) * size_of(values.dtype());
  m_memory_ = on.reserve(bytes);  // fresh memory is zero
  v_memory_ = on.reserve(bytes);
  m_ = Array(m_memory_->base(), values.shape(), values.dtype(), on.device());
  v_ = Array(v_memory_->base(), values.shape(), values.dtype(), on.device());
}

void Adam::step(double rate, const Array& scale) {
  ++t_;
  Array theta = block_.values(), copy = block_.copies();
  block_.backend().adam(block_.gradients(), scale,
                        {.rate = rate,
                         .beta1 = settings_.beta1,
                         .beta2 = settings_.beta2,
                         .epsilon = settings_.epsilon,
                         .weight_decay = settings_.weight_decay,
                         .t = t_},
                        theta, m_, v_, copy);
}

}  // namespace dragoman::optim
