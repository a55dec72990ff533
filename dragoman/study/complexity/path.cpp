#include "dragoman/study/complexity/path.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dragoman/base/random.h"

namespace dragoman::study {
namespace {

using Flags = std::vector<char>;  // for each position: whether the first position of the input reaches it

// The positions that the layer reaches from those of `below`.
Flags reached_by_layer(LayerKind kind, const LayerSizes& sizes, std::int64_t depth, const Flags& below) {
  const auto n = std::ssize(below);
  Flags reached(below.size(), 0);
  if (kind == LayerKind::kSelf || kind == LayerKind::kProjections || kind == LayerKind::kRestricted) {
    const Mask mask = sizes.mask(kind);
    for (std::int64_t p = 0; p < n; ++p) {
      const auto first = below.begin() + mask.first_key(p), end = below.begin() + mask.end_key(p, n);
      reached[static_cast<std::size_t>(p)] = std::find(first, end, 1) != end;
    }
    return reached;
  }
  const Taps taps = sizes.taps(kind, depth);
  for (std::int64_t p = 0; p < n; ++p) {
    for (std::int64_t j = 0; j < taps.k; ++j) {
      const std::int64_t read = p + taps.offset(j);
      if (read >= 0 && read < n && below[static_cast<std::size_t>(read)]) reached[static_cast<std::size_t>(p)] = 1;
    }
  }
  return reached;
}

// The same for a step at all positions: a position reads its own input, and the state of the position before it.
Flags reached_by_step(const Flags& states) {
  Flags reached(states.size(), 0);
  for (std::size_t p = 0; p < states.size(); ++p) reached[p] = p == 0 || states[p - 1];
  return reached;
}

// The smallest number of layers that each look `reach` positions back, so that together they look back n - 1.
std::int64_t layers_for(std::int64_t n, std::int64_t reach) { return (n - 1 + reach - 1) / reach; }

}  // namespace

std::int64_t path_length(LayerKind kind, const LayerSizes& sizes, std::int64_t n) {
  require<UsageError>(n >= 2, "a path needs a sentence of at least 2 positions, not ", n, ".");
  Flags reached(static_cast<std::size_t>(n), 0);
  if (!is_recurrent(kind)) reached.front() = 1;
  for (std::int64_t depth = 0;; ++depth) {
    if (reached.back()) return depth;
    reached = is_recurrent(kind) ? reached_by_step(reached) : reached_by_layer(kind, sizes, depth, reached);
    require<Error>(depth < n, "the first of ", n, " positions never reaches the last one.");
  }
}

std::int64_t expected_path(LayerKind kind, const LayerSizes& sizes, std::int64_t n) {
  const std::int64_t window = sizes.causal ? sizes.r - 1 : sizes.r / 2;
  const std::int64_t taps = sizes.causal ? sizes.k - 1 : sizes.k / 2;
  switch (kind) {
    case LayerKind::kSelf:
    case LayerKind::kProjections: return 1;
    case LayerKind::kRestricted: return layers_for(n, window);
    case LayerKind::kRecurrent:
    case LayerKind::kLstm: return n;
    case LayerKind::kConvolution:
    case LayerKind::kSeparable: return layers_for(n, taps);
    case LayerKind::kDilated: {
      std::int64_t layers = 0;
      for (std::int64_t seen = 1; seen < n; seen *= sizes.k) ++layers;
      return layers;
    }
  }
  return 0;
}

double path_gradient(LayerKind kind, const LayerSizes& sizes, std::int64_t n, std::int64_t depth) {
  require<UsageError>(n >= 2 && n <= kLongestGradient, "gradients along a path need a sentence of 2 to ",
                      kLongestGradient, " positions, not ", n, ".");
  const auto made = make_backend(Device{}, {.threads = 1});
  Backend& on = *made;
  // Narrow layers: which elements are zero does not depend on the width.
  LayerSizes narrow = sizes;
  narrow.d = 8;
  narrow.d_k = 4;
  Layer layer(on, DType::kFloat64, kind, narrow);
  layer.begin_update();
  const std::int64_t lengths[] = {n};
  const Batch batch = make_batch(on, lengths);
  const Shape shape{n, narrow.d};
  const auto filled = [&](const auto& value) {
    std::vector<double> values(static_cast<std::size_t>(shape.count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    Array x = on.empty(shape, DType::kFloat64);
    on.copy_in(values.data(), x);
    return x;
  };
  RandomStream random(2);
  const Array x = filled([&](std::size_t) { return random.normal(); });
  const auto last = static_cast<std::size_t>((n - 1) * narrow.d);
  const Array dy = filled([&](std::size_t i) { return i >= last ? 1.0 : 0.0; });
  const Array zeros = filled([](std::size_t) { return 0.0; });

  const Recording recording(on);
  const Tensor input = leaf(on, x);
  Tensor y = is_recurrent(kind) ? Tensor(on, zeros) : input;
  nn::CellState states{Tensor(on, zeros), kind == LayerKind::kLstm ? Tensor(on, zeros) : Tensor()};
  for (std::int64_t l = 0; l < depth; ++l) {
    if (is_recurrent(kind)) {
      states = layer.step(input, batch, states);
      y = states.h;
    } else {
      y = layer(y, batch, l);
    }
  }
  if (y.variable() == nullptr) return 0;  // no step has read the input
  backward(y, dy);
  const Array dx = finished_gradient(on, *input.variable());
  if (!dx) return 0;
  std::vector<double> first(static_cast<std::size_t>(narrow.d));
  on.copy_out(dx.row_range(0, 1), first.data());
  double largest = 0;
  for (const double value : first) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace dragoman::study
