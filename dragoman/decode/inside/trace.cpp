#include "dragoman/decode/inside/trace.h"

#include <algorithm>

namespace dragoman::decode {

std::vector<float> weights_on_host(Backend& on, const Array& weights) {
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

void add_share(std::span<float> sums, const float* weights, float share) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += share * weights[i];
}

void Trace::begin_step() {
  reduce_last();
  steps_.emplace_back().sites.resize(sites.size());
}

// For Extent::kLinks: replaces the layers of the last step by their mean. Called when the next step begins or when the
// trace is closed, because only then all layers of the step have been seen.
void Trace::reduce_last() {
  const int site = nn::cross_site(sites);
  if (extent_ != Extent::kLinks || site < 0 || steps_.empty() || steps_.back().sites[site].empty()) return;
  std::vector<Step::Layer>& cross = steps_.back().sites[site];
  const std::int64_t heads = cross.front().heads, keys = cross.front().keys;
  const std::int64_t rows = std::ssize(cross.front().weights) / (heads * keys);
  const float share = 1.0f / static_cast<float>(std::ssize(cross) * heads);
  Step::Layer mean{.heads = 1, .keys = keys, .weights = std::vector<float>(static_cast<std::size_t>(rows * keys))};
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto sums =
        std::span(mean.weights).subspan(static_cast<std::size_t>(row * keys), static_cast<std::size_t>(keys));
    for (const Step::Layer& layer : cross) {
      for (std::int64_t head = 0; head < heads; ++head) {
        add_share(sums, layer.weights.data() + (row * heads + head) * keys, share);
      }
    }
  }
  cross.assign(1, std::move(mean));
}

void Trace::keep_only(const Hypothesis& hypothesis) {
  if (std::exchange(single_, true)) return;
  steps_.resize(std::min(steps_.size(), hypothesis.rows.size()));
  for (std::size_t query = 0; query < steps_.size(); ++query) {
    for (std::vector<Step::Layer>& seen_layers : steps_[query].sites) {
      for (Step::Layer& layer : seen_layers) {
        const auto first = layer.weights.begin() + hypothesis.rows[query] * layer.heads * layer.keys;
        layer.weights = std::vector<float>(first, first + layer.heads * layer.keys);
      }
    }
  }
}

Attention Trace::attention(std::size_t site, const Hypothesis& hypothesis) const {
  if (sites[site].queries == nn::Side::kSource) return encoded_[site];
  Attention attention;
  attention.queries = static_cast<std::int64_t>(hypothesis.rows.size());
  for (std::int64_t query = 0; query < attention.queries; ++query) {
    const std::vector<Step::Layer>& seen_layers = steps_[query].sites[site];
    if (query == 0) {
      attention.layers = static_cast<std::int64_t>(seen_layers.size());
      attention.heads = seen_layers.empty() ? 0 : seen_layers.front().heads;
      attention.keys =
          sites[site].keys == nn::Side::kSource && !seen_layers.empty() ? seen_layers.front().keys : attention.queries;
      attention.weights.assign(attention.layers * attention.heads * attention.queries * attention.keys, 0.0f);
    }
    for (std::int64_t layer = 0; layer < attention.layers; ++layer) {
      const Step::Layer& seen = seen_layers[layer];
      const float* row = seen.weights.data() + (single_ ? 0 : hypothesis.rows[query]) * seen.heads * seen.keys;
      for (std::int64_t head = 0; head < seen.heads; ++head) {
        std::copy_n(row + head * seen.keys, seen.keys, &attention.at(layer, head, query, 0));
      }
    }
  }
  return attention;
}

Attention Trace::cross(const Hypothesis& hypothesis) const {
  const int site = nn::cross_site(sites);
  return site < 0 ? Attention() : attention(static_cast<std::size_t>(site), hypothesis);
}

void TraceObserver::begin_step() {
  for (const Part& part : parts_) {
    if (part.trace != nullptr) part.trace->begin_step();
  }
}

// Only the encoder shows whole sentences: the weights are [heads, sources, sources] for each sentence, one after the
// other.
void TraceObserver::see(int site, int layer, const Array& weights, const Reach&) {
  if (!wanted(site, layer)) return;
  const std::vector<float> host = weights_on_host(on_, weights);
  std::int64_t squares = 0;
  for (const Part& part : parts_) squares += part.sources * part.sources;
  const std::int64_t heads = static_cast<std::int64_t>(host.size()) / squares;
  auto from = host.begin();
  for (const Part& part : parts_) {
    const auto first = from;
    from += heads * part.sources * part.sources;
    if (part.trace == nullptr || !part.trace->wants(site, layer)) continue;
    Attention& seen = part.trace->encoded_[site];
    ++seen.layers;
    seen.heads = heads;
    seen.queries = seen.keys = part.sources;
    seen.weights.insert(seen.weights.end(), first, from);
  }
}

bool TraceObserver::wanted(int site, int layer) const {
  return std::ranges::any_of(parts_,
                             [&](const Part& part) { return part.trace != nullptr && part.trace->wants(site, layer); });
}

void TraceObserver::see_step(int site, int layer, const Array& weights) {
  if (!wanted(site, layer)) return;
  const std::vector<float> host = weights_on_host(on_, weights);
  const std::int64_t heads = weights.dim(1), width = weights.dim(2);
  const float* end = host.data();
  for (const Part& part : parts_) {
    const float* from = end;
    end += part.rows * heads * width;
    if (part.trace == nullptr || !part.trace->wants(site, layer)) continue;
    Trace::Step::Layer& seen = part.trace->steps_.back().sites[site].emplace_back();
    seen.heads = heads;
    seen.keys = part.trace->sites[site].keys == nn::Side::kSource ? part.sources : part.past;
    for (std::int64_t i = 0; i < part.rows * heads; ++i, from += width) {
      seen.weights.insert(seen.weights.end(), from, from + seen.keys);
    }
  }
}

}  // namespace dragoman::decode
