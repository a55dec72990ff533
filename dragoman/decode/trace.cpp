#include "dragoman/decode/trace.h"

#include <algorithm>

namespace dragoman::decode {
namespace {

std::vector<float> floats_of(Backend& on, const Array& weights) {
  std::vector<float> host(static_cast<std::size_t>(weights.count()));
  if (weights.dtype() == DType::kFloat32) {
    on.copy_out(weights, host.data());
  } else {
    std::vector<double> doubles(host.size());
    on.copy_out(weights, doubles.data());
    std::ranges::transform(doubles, host.begin(), [](double weight) { return static_cast<float>(weight); });
  }
  return host;
}

}  // namespace

Attention Trace::follow(const Hypothesis& hypothesis, nn::AttentionKind kind) const {
  Attention attention;
  attention.queries = static_cast<std::int64_t>(hypothesis.rows.size());
  for (std::int64_t query = 0; query < attention.queries; ++query) {
    const auto& seen_layers = kind == nn::AttentionKind::kCross ? steps_[query].cross : steps_[query].self;
    if (query == 0) {
      attention.layers = static_cast<std::int64_t>(seen_layers.size());
      attention.heads = seen_layers.empty() ? 0 : seen_layers.front().heads;
      attention.keys =
          kind == nn::AttentionKind::kCross && !seen_layers.empty() ? seen_layers.front().keys : attention.queries;
      attention.weights.assign(attention.layers * attention.heads * attention.queries * attention.keys, 0.0f);
    }
    for (std::int64_t layer = 0; layer < attention.layers; ++layer) {
      const Step::Layer& seen = seen_layers[layer];
      const float* row = seen.weights.data() + hypothesis.rows[query] * seen.heads * seen.keys;
      for (std::int64_t head = 0; head < seen.heads; ++head) {
        std::copy_n(row + head * seen.keys, seen.keys, &attention.at(layer, head, query, 0));
      }
    }
  }
  return attention;
}

void TraceObserver::begin_step() {
  for (const Part& part : parts_) {
    if (part.trace != nullptr) part.trace->steps_.emplace_back();
  }
}

void TraceObserver::see(nn::AttentionKind, int layer, const Array& weights, const Reach&) {
  const std::vector<float> host = floats_of(on_, weights);
  std::int64_t squares = 0;
  for (const Part& part : parts_) squares += part.sources * part.sources;
  const std::int64_t heads = static_cast<std::int64_t>(host.size()) / squares;
  auto from = host.begin();
  for (const Part& part : parts_) {
    const auto first = from;
    from += heads * part.sources * part.sources;
    if (part.trace == nullptr || !part.trace->wants(layer)) continue;
    Attention& encoder = part.trace->encoder;
    ++encoder.layers;
    encoder.heads = heads;
    encoder.queries = encoder.keys = part.sources;
    encoder.weights.insert(encoder.weights.end(), first, from);
  }
}

void TraceObserver::see_step(nn::AttentionKind kind, int number, const Array& weights) {
  const std::vector<float> host = floats_of(on_, weights);
  const std::int64_t heads = weights.dim(1), width = weights.dim(2);
  const float* end = host.data();
  for (const Part& part : parts_) {
    const float* from = end;
    end += part.rows * heads * width;
    if (part.trace == nullptr || !part.trace->wants(number)) continue;
    Trace::Step& step = part.trace->steps_.back();
    Trace::Step::Layer& layer = (kind == nn::AttentionKind::kCross ? step.cross : step.self).emplace_back();
    layer.heads = heads;
    layer.keys = kind == nn::AttentionKind::kCross ? part.sources : part.past;
    for (std::int64_t i = 0; i < part.rows * heads; ++i, from += width) {
      layer.weights.insert(layer.weights.end(), from, from + layer.keys);
    }
  }
}

}  // namespace dragoman::decode
