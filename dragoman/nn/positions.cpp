#include "dragoman/nn/positions.h"

#include <algorithm>
#include <cmath>

namespace dragoman::nn {

namespace {

constexpr double kLongest = 10000.0;  // the base of the geometric progression of wavelengths

}  // namespace

double sinusoid(Sinusoids layout, std::int64_t position, std::int64_t channel, std::int64_t d_model) {
  const auto pos = static_cast<double>(position);
  if (layout == Sinusoids::kPaper) {
    const double two_i = static_cast<double>(channel / 2 * 2);
    const double angle = pos * std::pow(kLongest, -two_i / static_cast<double>(d_model));
    return channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
  const std::int64_t half = d_model / 2, j = channel % std::max<std::int64_t>(1, half);
  if (channel >= 2 * half) return 0.0;
  const double step = half > 1 ? std::log(kLongest) / static_cast<double>(half - 1) : 0.0;
  const double angle = pos * std::exp(-static_cast<double>(j) * step);
  return channel < half ? std::sin(angle) : std::cos(angle);
}

Tensor SinusoidTable::rows(Backend& on, std::int64_t positions, DType dtype) {
  const std::lock_guard lock(mutex_);
  if (!table_ || table_.rows() < positions) {
    const std::int64_t count = std::max<std::int64_t>(256, table_ ? std::max(2 * table_.rows(), positions) : positions);
    const ArenaScope scratch(on.arena());
    std::vector<double> values(on.dry() ? 0 : count * d_model_);
    for (std::int64_t pos = 0; pos < count && !on.dry(); ++pos) {
      for (std::int64_t c = 0; c < d_model_; ++c) values[pos * d_model_ + c] = sinusoid(layout_, pos, c, d_model_);
    }
    Array staged = on.empty({count, d_model_}, DType::kFloat64);
    on.copy_in(values.data(), staged);
    memory_.push_back(on.reserve(static_cast<std::size_t>(count * d_model_) * size_of(dtype)));
    table_ = Array(memory_.back()->base(), {count, d_model_}, dtype, on.device());
    on.scaled(staged, 1.0, Sink::overwrite(table_));
  }
  return Tensor(on, table_);
}

}  // namespace dragoman::nn
