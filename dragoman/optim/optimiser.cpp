#include "dragoman/optim/optimiser.h"

#include <algorithm>

namespace dragoman::optim {

Optimiser::Optimiser(params::ParameterBlock& block, const WeightDecay& decay) : block_(block), decay_(decay) {
  const bool all_decay_alike = decay.of_vectors || decay.amount == 0;
  ranges_ = all_decay_alike ? std::vector<params::BlockRange>{{0, block.values().count(), false}} : block.ranges();
}

Array Optimiser::make_moment() {
  const Backend& on = block_.backend();
  const Array& values = block_.values();
  const std::size_t bytes =
      static_cast<std::size_t>(std::max<std::int64_t>(1, values.count())) * size_of(values.dtype());
  memory_.push_back(on.reserve(bytes));  // fresh memory is zero
  return {memory_.back()->base(), values.shape(), values.dtype(), on.device()};
}

void Optimiser::step(double rate, const Array& scale) {
  ++t_;
  for (const params::BlockRange& range : ranges_) {
    run({.range = range,
         .rate = rate,
         .weight_decay = range.is_vectors ? 0 : decay_.amount,
         .rate_before = last_rate_,
         .t = t_,
         .scale = scale});
  }
  last_rate_ = rate;
}

void Optimiser::limit_to(std::span<const params::BlockRange> parts) {
  std::vector<params::BlockRange> limited;
  for (const params::BlockRange& part : parts) {
    for (const params::BlockRange& range : ranges_) {
      const std::int64_t begin = std::max(range.first, part.first);
      const std::int64_t end = std::min(range.first + range.count, part.first + part.count);
      if (begin < end) limited.push_back({begin, end - begin, range.is_vectors});
    }
  }
  ranges_ = limited;
}

void Optimiser::resume(std::int64_t steps, double last_rate) {
  t_ = steps;
  last_rate_ = last_rate;
}

}  // namespace dragoman::optim
