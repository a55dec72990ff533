#include "dragoman/decode/inside/pondering.h"

#include "dragoman/decode/inside/host_values.h"

namespace dragoman::decode {

PonderTime& PonderTime::operator+=(const PonderTime& other) {
  sum += other.sum;
  tokens += other.tokens;
  return *this;
}

PonderTime ponder_time(const Pondering::Side& side) {
  PonderTime time;
  for (std::size_t i = 0; i < side.steps.size(); ++i) time += {static_cast<double>(side.steps[i]) + side.rest[i], 1};
  return time;
}

void add_pondering(Backend& on, const Array& steps, const Array& rest, Pondering::Side& side) {
  const std::vector<float> N = floats_on_host(on, steps), R = floats_on_host(on, rest);
  side.steps.insert(side.steps.end(), N.begin(), N.end());
  side.rest.insert(side.rest.end(), R.begin(), R.end());
}

}  // namespace dragoman::decode
