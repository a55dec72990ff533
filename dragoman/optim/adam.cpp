#include "dragoman/optim/adam.h"

#include <algorithm>

namespace dragoman::optim {

Adam::Adam(params::ParameterBlock& block, const AdamSettings& settings) : block_(block), settings_(settings) {
  const Backend& on = block.backend();
  const Array& values = block.values();
  const std::size_t bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(1, values.count())) * size_of(values.dtype());
  m_memory_ = on.reserve(bytes);  // fresh memory is zero
  v_memory_ = on.reserve(bytes);
  m_ = Array(m_memory_->base(), values.shape(), values.dtype(), on.device());
  v_ = Array(v_memory_->base(), values.shape(), values.dtype(), on.device());
  const bool all_decay_alike = settings.decays_vectors || settings.weight_decay == 0;
  ranges_ = all_decay_alike ? std::vector<params::BlockRange>{{0, values.count(), false}} : block.ranges();
}

void Adam::step(double rate, const Array& scale) {
  ++t_;
  for (const params::BlockRange& range : ranges_) {
    const auto part = [&](const Array& flat) { return flat.absent() ? flat : flat.columns(range.first, range.count); };
    Array theta = part(block_.values()), copy = part(block_.copies()), m = part(m_), v = part(v_);
    block_.backend().adam(part(block_.gradients()), scale,
                          {.rate = rate,
                           .beta1 = settings_.beta1,
                           .beta2 = settings_.beta2,
                           .epsilon = settings_.epsilon,
                           .weight_decay = range.is_vectors ? 0 : settings_.weight_decay,
                           .t = t_},
                          theta, m, v, copy);
  }
}

}  // namespace dragoman::optim
