// How many steps tokens took in a model with adaptive computation time.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/nn/sites.h"

namespace dragoman::decode {

// The tokens of both sides of a pair: N, the number of steps of each, and R, what was left of its weight 1 in the last
// of them. All are empty if the model does not halt. A target token's numbers are those of the position that chose it.
struct Pondering {
  struct Side {
    std::vector<float> steps, rest;
  };
  Side source, target;

  bool empty() const { return source.steps.empty(); }
  Side& side(nn::Side which) { return which == nn::Side::kSource ? source : target; }
};

// The sum of N + R over the tokens of a side, and their number.
struct PonderTime {
  double sum = 0;
  std::int64_t tokens = 0;

  double mean() const { return tokens > 0 ? sum / static_cast<double>(tokens) : 0; }
  PonderTime& operator+=(const PonderTime& other);
};
PonderTime ponder_time(const Pondering::Side& side);

// Appends what an observer was shown.
void add_pondering(Backend& on, const Array& steps, const Array& rest, Pondering::Side& side);

}  // namespace dragoman::decode
