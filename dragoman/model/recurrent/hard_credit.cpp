#include "dragoman/model/recurrent/hard_credit.h"

#include <cmath>

namespace dragoman::model::recurrent {
namespace {

// Calls f(T()) with the element type of x.
template <class F>
void with_type(const Array& x, const F& f) {
  x.dtype() == DType::kFloat64 ? f(double{}) : f(float{});
}

std::vector<double> values_in(Backend& on, const Array& x) {
  std::vector<double> values;
  with_type(x, [&]<class T>(T) {
    std::vector<T> elements(static_cast<std::size_t>(x.count()));
    on.copy_out(x, elements.data());
    values.assign(elements.begin(), elements.end());
  });
  return values;
}

void put_values(Backend& on, const std::vector<double>& values, Array x) {
  with_type(x, [&]<class T>(T) {
    const std::vector<T> elements(values.begin(), values.end());
    on.copy_in(elements.data(), x);
  });
}

}  // namespace

std::vector<double> returns_of(std::span<const double> nll, std::span<const std::int32_t> offsets, ReturnName name) {
  std::vector<double> returns;
  for (const double value : nll) returns.push_back(-value);
  if (name == ReturnName::kStep) return returns;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    for (std::int32_t r = offsets[b + 1] - 2; r >= offsets[b]; --r) returns[r] += returns[r + 1];
  }
  return returns;
}

Baseline::Baseline(Backend& on, const params::Buffer& buffer) : on_(on), values_(buffer.values()) {}

double Baseline::add(std::uint32_t update, std::span<const double> returns) {
  constexpr double kKept = 0.9;
  std::vector<double> now = values_in(on_, values_);
  if (now[kUpdate] != update) {
    if (now[kCount] > 0) {
      const double mean = now[kSum] / now[kCount];
      now[kMean] = now[kHasMean] > 0 ? kKept * now[kMean] + (1 - kKept) * mean : mean;
      now[kHasMean] = 1;
    }
    now[kSum] = now[kCount] = 0;
    now[kUpdate] = update;
  }
  double sum = 0, count = 0;
  for (const double value : returns) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  now[kSum] += sum;
  now[kCount] += count;
  put_values(on_, now, values_);
  return now[kHasMean] > 0 ? now[kMean] : count > 0 ? sum / count : 0;
}

std::function<void(const Array& nll)> credit_after_loss(Backend& on, const HardCredits& settings,
                                                        const params::Buffer& baseline, const data::TimeRows& rows,
                                                        const Array& credits, std::uint32_t update, double weight) {
  return [&on, settings, &baseline, counts = rows.counts, order = rows.order, offsets = rows.offsets, credits, update,
          weight](const Array& nll) {
    if (on.dry()) return;
    const std::vector<double> returns = returns_of(values_in(on, nll), offsets, settings.returns);
    const double b = Baseline(on, baseline).add(update, returns);
    std::vector<double> in_time;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      for (std::int64_t j = 0; j < counts[t]; ++j) {
        in_time.push_back(-settings.strength * weight * (returns[offsets[order[j]] + t] - b));
      }
    }
    put_values(on, in_time, credits);
  };
}

}  // namespace dragoman::model::recurrent
