#include "dragoman/study/complexity/layer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/ops/attention.h"
#include "dragoman/ops/cell.h"
#include "dragoman/ops/convolution.h"

namespace dragoman::study {

Mask LayerSizes::mask(LayerKind kind) const {
  return {.kind = causal ? Mask::Kind::kCausal : Mask::Kind::kAll, .r = kind == LayerKind::kRestricted ? r : 0};
}

Taps LayerSizes::taps(LayerKind kind, std::int64_t depth) const {
  if (kind != LayerKind::kDilated) return causal ? Taps::causal(k, 1) : Taps::centred(k, 1);
  std::int64_t dilation = 1;
  for (std::int64_t l = 0; l < depth; ++l) dilation *= k;
  return Taps::causal(k, dilation);
}

namespace {

// The pairs of positions of which the second is at most w positions before the first, or itself.
std::int64_t pairs_within(std::int64_t n, std::int64_t w) {
  const std::int64_t reach = std::min(w, n - 1);
  return n * (reach + 1) - reach * (reach + 1) / 2;
}

std::int64_t seen_pairs(LayerKind kind, const LayerSizes& sizes, std::int64_t n) {
  if (kind != LayerKind::kRestricted) return sizes.causal ? n * (n + 1) / 2 : n * n;
  if (sizes.causal) return pairs_within(n, sizes.r - 1);
  return 2 * pairs_within(n, sizes.r / 2) - n;  // to either side; a position itself counts once
}

}  // namespace

ClosedForm closed_form(LayerKind kind, const LayerSizes& sizes, std::int64_t n) {
  const std::int64_t d = sizes.d, k = sizes.k;
  const auto core = [&] { return 2 * seen_pairs(kind, sizes, n) * d; };
  switch (kind) {
    case LayerKind::kSelf:
    case LayerKind::kRestricted: return {.core = core()};
    case LayerKind::kProjections: return {.core = core(), .products = 4 * n * d * d};
    case LayerKind::kRecurrent: return {.products = 2 * n * d * d};
    case LayerKind::kLstm: return {.products = 8 * n * d * d};
    case LayerKind::kConvolution:
    case LayerKind::kDilated: return {.products = k * n * d * d};
    case LayerKind::kSeparable: return {.products = k * n * d + n * d * d};
  }
  return {};
}

std::string formula(LayerKind kind, const LayerSizes& sizes) {
  const std::string all = sizes.causal ? "n (n + 1) d" : "2 n² d";
  switch (kind) {
    case LayerKind::kSelf: return all;
    case LayerKind::kProjections: return all + " + 4 n d²";
    case LayerKind::kRestricted: return join("2 r n d less the ends, r = ", sizes.r);
    case LayerKind::kRecurrent: return "2 n d²";
    case LayerKind::kLstm: return "8 n d²";
    case LayerKind::kConvolution:
    case LayerKind::kDilated: return join("k n d², k = ", sizes.k);
    case LayerKind::kSeparable: return join("k n d + n d², k = ", sizes.k);
  }
  return {};
}

Batch make_batch(Backend& on, std::span<const std::int64_t> lengths) {
  std::vector<data::Sentence> sentences;
  for (const std::int64_t n : lengths) sentences.emplace_back(static_cast<std::size_t>(n), 1);
  const Segments segments = data::make_tokens(on, sentences, {.V = 2, .index = false}).segments;
  return {segments, data::time_rows(on, segments, segments)};
}

Layer::Parts::Parts(LayerKind kind_, const LayerSizes& sizes_) : kind(kind_), sizes(sizes_) {
  using params::Initial;
  const std::int64_t d = sizes.d;
  const auto matrix = [d](std::int64_t in) {
    return params::Parameter({in, d}, Initial::normal(1 / std::sqrt(static_cast<double>(in))));
  };
  if (kind == LayerKind::kProjections) {
    attention = nn::SelfAttention({.d_model = d, .h = d / sizes.d_k, .d_k = sizes.d_k, .d_v = sizes.d_k}, 0, 0);
  } else if (is_recurrent(kind)) {
    const CellKind cell = kind == LayerKind::kLstm ? CellKind::kLstm : CellKind::kVanilla;
    recurrent = nn::RecurrentLayer({.kind = cell, .in = d, .H = d}, false);
  } else if (kind == LayerKind::kSeparable) {
    depthwise = params::Parameter({sizes.k, d}, Initial::normal(1 / std::sqrt(static_cast<double>(sizes.k))));
    product.W = matrix(d);
  } else if (!is_core(kind)) {
    product.W = matrix(sizes.k * d);
  }
}

void Layer::Parts::parameters(params::ParameterVisitor& visit) {
  if (kind == LayerKind::kProjections) visit.inside("attention", attention);
  if (is_recurrent(kind)) visit.inside("recurrent", recurrent);
  visit("depthwise", depthwise);
  visit("W", product.W);
}

Layer::Layer(Backend& on, DType dtype, LayerKind kind, const LayerSizes& sizes)
    : on_(on), parts_(kind, sizes), block_(on, dtype, parts_, params::Purpose::kTraining) {
  block_.initialise(1);
  block_.refresh();
}

Tensor Layer::operator()(const Tensor& x, const Batch& batch, std::int64_t depth) const {
  const LayerSizes& sizes = parts_.sizes;
  const std::int64_t d = sizes.d;
  const Reach reach{batch.segments, batch.segments, sizes.mask(kind())};
  nn::Pass pass{.on = on_};
  switch (kind()) {
    case LayerKind::kSelf:
    case LayerKind::kRestricted: {
      const Heads heads{.h = d / sizes.d_k, .scale = 1 / std::sqrt(static_cast<double>(sizes.d_k)), .dropout = {}};
      if (x.dim(-1) == d) return ops::attention(x, x, x, reach, heads);
      return ops::attention(columns(x, 0, d), columns(x, d, d), columns(x, 2 * d, d), reach, heads);
    }
    case LayerKind::kProjections: return parts_.attention(x, reach, pass);
    case LayerKind::kRecurrent:
    case LayerKind::kLstm: return parts_.recurrent(x, batch.rows).states;
    case LayerKind::kConvolution:
    case LayerKind::kDilated: return parts_.product(ops::unfold_rows(x, batch.segments, sizes.taps(kind(), depth)));
    case LayerKind::kSeparable:
      return parts_.product(ops::depthwise(x, batch.segments, sizes.taps(kind(), depth), parts_.depthwise.tensor()));
  }
  return {};
}

nn::CellState Layer::step(const Tensor& x, const Batch& batch, const nn::CellState& states) const {
  const nn::Cell& cell = parts_.recurrent.forwards;
  const auto before = [&](const Tensor& all) {
    return all ? ops::unfold_rows(all, batch.segments, {.k = 1, .dilation = 1, .left = 1}) : Tensor();
  };
  const nn::CellState previous{before(states.h), before(states.c)};
  return ops::plain::cell(cell.sizes.kind, {cell.W(x), {}, cell.U(previous.h), {}}, previous);
}

}  // namespace dragoman::study
