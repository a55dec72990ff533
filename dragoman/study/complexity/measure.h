// What one call of a layer takes: multiply-adds, counted by the kernels, and seconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/study/complexity/layer.h"

namespace dragoman::study {

struct Operations {
  std::int64_t counted = 0;   // by the formulas, from the sentences and masks of the calls
  std::int64_t executed = 0;  // in the tiles that the kernels computed; 0 if they do not report it
};

struct LayerOperations {
  Operations forward, with_backward;
};

// Runs the layer on sentences of these lengths and counts.
LayerOperations count_operations(Backend& on, DType dtype, Layer& layer, std::span<const std::int64_t> lengths);

struct TimingOptions {
  int rounds = 5;
  double seconds_a_round = 0.002;  // a short call is repeated, so that its part of a round lasts at least so long
};

// Seconds of one call; the median of the rounds.
struct LayerTimes {
  double forward = 0, with_backward = 0;
};

// A layer, and the lengths of the sentences that it reads.
struct TimedLayer {
  Layer* layer;
  std::vector<std::int64_t> lengths;
};

// The times of all cases. They take turns in each round, so that what else the machine does meanwhile slows all of them
// and does not look like a slope.
std::vector<LayerTimes> time_layers(Backend& on, DType dtype, std::span<const TimedLayer> cases,
                                    const TimingOptions& options);

// The slope of the least-squares line through (log x, log y). NaN with fewer than two different x.
double log_slope(std::span<const double> x, std::span<const double> y);

}  // namespace dragoman::study
