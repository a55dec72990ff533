#include "dragoman/model/recurrent/bridge.h"

#include <algorithm>
#include <string>

#include "dragoman/data/time_rows.h"
#include "dragoman/data/tokens.h"
#include "dragoman/model/recurrent/sizes.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/memory_attention.h"

namespace dragoman::model::recurrent {

Bridge::Bridge(const RecurrentConfig& config)
    : kind(config.bridge),
      encoder_layers_(static_cast<std::size_t>(config.N_enc)),
      decoder_layers_(static_cast<std::size_t>(config.N_dec)),
      has_c_(config.cell == CellName::kLstm) {
  if (kind != BridgeName::kTanh && kind != BridgeName::kMean) return;
  const auto map = [&] {
    nn::Linear linear;
    linear.W = weights(config, config.d_h(), config.H_dec, config.d_h());
    linear.b = bias(config, config.H_dec);
    return linear;
  };
  for (std::size_t l = 0; l < (kind == BridgeName::kMean ? 1 : decoder_layers_); ++l) {
    h.push_back(map());
    if (has_c_) c.push_back(map());
  }
}

namespace {

// The mean of the states of each sentence: attention with equal weights.
Tensor mean_of(const Encoded& encoded) {
  Backend& on = encoded.states.backend();
  const std::int64_t B = encoded.segments.B, longest = encoded.segments.longest;
  const std::vector<std::int32_t> offsets = data::host_offsets(on, encoded.segments);
  std::vector<double> weights(static_cast<std::size_t>(B * longest));
  std::vector<std::int32_t> first, count;
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int32_t n = offsets[b + 1] - offsets[b];
    first.push_back(offsets[b]);
    count.push_back(n);
    std::fill_n(weights.begin() + b * longest, n, 1.0 / n);
  }
  Array in_double = on.empty({B, longest}, DType::kFloat64);
  on.copy_in(weights.data(), in_double);
  const Array equal = on.empty({B, longest}, accumulation_dtype(encoded.states.array().dtype()));
  on.scaled(in_double, 1.0, Sink::overwrite(equal));
  const MemoryRows rows{data::make_ids(on, first), data::make_ids(on, count), longest};
  const Tensor mean = nn::loop_rows(encoded.states, B, encoded.states.dim(-1), encoded.states.array().dtype());
  const Tensor all = row_range(mean, 0, B);
  ops::memory_mix(Tensor(on, equal), encoded.states, rows, all);
  return all;
}

}  // namespace

std::vector<nn::CellState> Bridge::operator()(const Encoded& encoded) const {
  std::vector<nn::CellState> states(decoder_layers_);
  if (kind == BridgeName::kZero) return states;
  const DType type = encoded.states.array().dtype(), c_type = accumulation_dtype(type);
  const auto mapped = [&](const Tensor& from_h, const Tensor& from_c, std::size_t map) {
    nn::CellState state{ops::tanh(h[map](from_h)), {}};
    if (has_c_) state.c = ops::converted(c[map](ops::converted(from_c, type)), c_type);
    return state;
  };
  if (kind == BridgeName::kMean) {
    const Tensor mean = mean_of(encoded);
    return std::vector<nn::CellState>(decoder_layers_, mapped(mean, mean, 0));
  }
  for (std::size_t l = 0; l < decoder_layers_; ++l) {
    const std::size_t from = std::min(l, encoder_layers_ - 1);
    const nn::CellState last{encoded.summary[from], has_c_ ? encoded.summary[encoder_layers_ + from] : Tensor()};
    states[l] = kind == BridgeName::kCopy ? last : mapped(last.h, last.c, l);
  }
  return states;
}

void Bridge::parameters(params::ParameterVisitor& visit) {
  for (std::size_t l = 0; l < h.size(); ++l) {
    const std::string prefix = h.size() == 1 && kind == BridgeName::kMean ? "" : std::to_string(l) + ".";
    visit(prefix + "W", h[l].W);
    visit(prefix + "b", h[l].b);
    if (c.empty()) continue;
    visit(prefix + "W_c", c[l].W);
    visit(prefix + "b_c", c[l].b);
  }
}

}  // namespace dragoman::model::recurrent
