#include "dragoman/nn/positions.h"

#include <algorithm>
#include <cmath>

namespace dragoman::nn {

namespace {

constexpr double kBase = 10000.0;       // wavelengths form a geometric progression from 2 pi to kBase * 2 pi
constexpr std::int64_t kMinRows = 256;  // the smallest table; a larger one is computed this many rows at a time

}  // namespace

double sinusoid(Sinusoids layout, std::int64_t position, std::int64_t channel, std::int64_t d_model) {
  const auto pos = static_cast<double>(position);
  if (layout == Sinusoids::kPaper) {
    const double two_i = static_cast<double>(channel / 2 * 2);
    const double angle = pos * std::pow(kBase, -two_i / static_cast<double>(d_model));
    return channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
  if (layout == Sinusoids::kHalves) {
    const std::int64_t half = d_model / 2;
    return sinusoid(Sinusoids::kPaper, position, channel < half ? 2 * channel : 2 * (channel - half) + 1, d_model);
  }
  const std::int64_t half = d_model / 2, j = channel % std::max<std::int64_t>(1, half);
  if (channel >= 2 * half) return 0.0;
  const double step = half > 1 ? std::log(kBase) / static_cast<double>(half - 1) : 0.0;
  const double angle = pos * std::exp(-static_cast<double>(j) * step);
  return channel < half ? std::sin(angle) : std::cos(angle);
}

std::vector<float> sinusoids(Sinusoids layout, std::int64_t positions, std::int64_t d_model, std::int64_t first) {
  std::vector<float> values;
  for (std::int64_t position = 0; position < positions; ++position) {
    for (std::int64_t channel = 0; channel < d_model; ++channel) {
      values.push_back(static_cast<float>(sinusoid(layout, first + position, channel, d_model)));
    }
  }
  return values;
}

// Called for at most kMinRows rows at a time, so that the scratch memory does not grow with the table.
void SinusoidTable::fill(Backend& on, std::int64_t first_row, const Array& rows) const {
  const ArenaScope scratch(on.arena());
  std::vector<double> values(on.dry() ? 0 : rows.count());
  for (std::int64_t r = 0; r < rows.rows() && !on.dry(); ++r) {
    const std::int64_t position = first_ + first_row + r;
    for (std::int64_t c = 0; c < d_model_; ++c) values[r * d_model_ + c] = sinusoid(layout_, position, c, d_model_);
  }
  Array staged = on.empty(rows.shape(), DType::kFloat64);
  on.copy_in(values.data(), staged);
  on.scaled(staged, 1.0, Sink::overwrite(rows));
}

Tensor SinusoidTable::rows(Backend& on, std::int64_t positions, DType dtype) {
  const std::lock_guard lock(mutex_);
  if (!table_ || table_.rows() < positions) {
    const std::int64_t count =
        std::max<std::int64_t>(kMinRows, table_ ? std::max(2 * table_.rows(), positions) : positions);
    memory_.push_back(on.reserve(static_cast<std::size_t>(count * d_model_) * size_of(dtype)));
    const Array grown(memory_.back()->base(), {count, d_model_}, dtype, on.device());
    for (std::int64_t first = 0; first < count; first += kMinRows) {
      fill(on, first, grown.row_range(first, std::min(kMinRows, count - first)));
    }
    on.wait();  // other workers read the table with their own backends
    table_ = grown;
  }
  return Tensor(on, table_);
}

}  // namespace dragoman::nn
