// A record of what the model did for one sentence: the attention of every layer and head, as the kernels computed it,
// and every candidate of the search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dragoman/decode/search/beam.h"
#include "dragoman/decode/search/search.h"
#include "dragoman/nn/pass.h"

namespace dragoman::decode {

// Attention weights of one site, [layers, heads, queries, keys]. The weights of a query sum to one.
struct Attention {
  std::int64_t layers = 0, heads = 0, queries = 0, keys = 0;
  std::vector<float> weights;

  float& at(std::int64_t layer, std::int64_t head, std::int64_t query, std::int64_t key) {
    return weights[((layer * heads + head) * queries + query) * keys + key];
  }
  float at(std::int64_t layer, std::int64_t head, std::int64_t query, std::int64_t key) const {
    return weights[((layer * heads + head) * queries + query) * keys + key];
  }
};

// Copies weights that an observer was shown to the host. They are float32, or float64 in models of double precision.
std::vector<float> weights_on_host(Backend& on, const Array& weights);

// sums += share * weights
void add_share(std::span<float> sums, const float* weights, float share);

class Trace {
 public:
  enum class Extent : std::uint8_t {
    kAll,
    kLinks,  // only the cross-attention, averaged over all layers and heads and stored as one layer with one head
  };

  // For a model with these attention sites. `layers_` are the layers to record, counted from 0, in ascending order;
  // empty for all.
  explicit Trace(nn::AttentionSites sites_ = {}, std::vector<int> layers_ = {}, Extent extent = Extent::kAll)
      : sites(std::move(sites_)), layers(std::move(layers_)), extent_(extent), encoded_(sites.size()) {}

  nn::AttentionSites sites;
  std::vector<int> layers;
  std::vector<std::vector<Candidate>> candidates;  // of each step; only a beam search fills it

  // The weights of a site. At sites of the decoder, query j is the one that chose token j of the hypothesis, EOS
  // included; its keys are the tokens that the decoder had read by then, beginning with the start token, or the tokens
  // of the source.
  Attention attention(std::size_t site, const Hypothesis& hypothesis) const;
  // The weights of the cross-attention site, from which word alignments are read; empty if the model has none.
  Attention cross(const Hypothesis& hypothesis) const;

  // To be called after the last step. With kLinks, averages the weights of that step; begin_step() does this for the
  // steps before it.
  void close() { reduce_last(); }
  // Drops the attention of all hypotheses except this one.
  void keep_only(const Hypothesis& hypothesis);

 private:
  friend class TraceObserver;
  // One step of the decoder.
  struct Step {
    struct Layer {
      std::int64_t heads = 0, keys = 0;
      std::vector<float> weights;  // [rows, heads, keys]
    };
    std::vector<std::vector<Layer>> sites;  // by site; empty for the sites of the encoder
  };

  bool wants(int site, int layer) const {
    if (extent_ == Extent::kLinks && site != nn::cross_site(sites)) return false;
    return layers.empty() || std::ranges::binary_search(layers, layer);
  }
  void begin_step();
  void reduce_last();

  Extent extent_ = Extent::kAll;
  std::vector<Attention> encoded_;  // by site; only the sites of the encoder are filled
  std::vector<Step> steps_;
  bool single_ = false;  // after keep_only(): each step has one row only
};

// Observes a batch while it is encoded or takes a step, and distributes the weights to the traces of its sentences.
class TraceObserver final : public nn::Observer {
 public:
  struct Part {
    Trace* trace;          // null for a sentence that is not traced
    std::int64_t rows;     // number of its rows in the step; when encoding, of its source tokens
    std::int64_t past;     // number of tokens that each row has read, including that of this step; 0 when encoding
    std::int64_t sources;  // number of its source tokens, EOS included
  };

  // `parts` has one entry for each sentence of the batch, in the order of their rows.
  TraceObserver(Backend& on, std::vector<Part> parts) : on_(on), parts_(std::move(parts)) {}

  void begin_step();
  void see(int site, int layer, const Array& weights, const Reach& reach) override;
  void see_step(int site, int layer, const Array& weights) override;

 private:
  bool wanted(int site, int layer) const;

  Backend& on_;
  std::vector<Part> parts_;
};

}  // namespace dragoman::decode
