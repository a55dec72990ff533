// What the decoder did for one sentence: the attention of every layer and head, as the kernels computed it, and every
// candidate of the search.
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

// Attention weights of one site, [layers, heads, queries, keys]; a query's sum to one.
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

// Weights as an observer sees them (float32, or float64 in models of double precision), on the host.
std::vector<float> weights_on_host(Backend& on, const Array& weights);

// Adds `share` of the weights to the sums.
void add_share(std::span<float> sums, const float* weights, float share);

class Trace {
 public:
  enum class Extent : std::uint8_t {
    kAll,
    kLinks,  // the mean over layers and heads of the attention to the source, as if there were one of each; nothing
             // else
  };

  // Of a model with these sites; of these layers, counted from 0, in order, or of all if there are none.
  explicit Trace(nn::AttentionSites sites_ = {}, std::vector<int> layers_ = {}, Extent extent = Extent::kAll)
      : sites(std::move(sites_)), layers(std::move(layers_)), extent_(extent), encoded_(sites.size()) {}

  nn::AttentionSites sites;
  std::vector<int> layers;
  std::vector<std::vector<Candidate>> candidates;  // by step; of a beam search

  // The weights of a site. Where the translation looks, query j is what chose token j of the hypothesis, EOS included;
  // its keys are the tokens that it had read, the start token first, or the tokens of the source.
  Attention attention(std::size_t site, const Hypothesis& hypothesis) const;
  // That of the site from which word alignments are read; none if the model has no such site.
  Attention cross(const Hypothesis& hypothesis) const;

  // No more steps come.
  void close() { reduce_last(); }
  // Forgets what it knows of all hypotheses but this one.
  void keep_only(const Hypothesis& hypothesis);

 private:
  friend class TraceObserver;
  // A step of the decoder: the weights of its rows in each layer, [rows, heads, keys].
  struct Step {
    struct Layer {
      std::int64_t heads = 0, keys = 0;
      std::vector<float> weights;
    };
    std::vector<std::vector<Layer>> sites;  // those where the source looks stay empty
  };

  bool wants(int site, int layer) const {
    if (extent_ == Extent::kLinks && site != nn::cross_site(sites)) return false;
    return layers.empty() || std::ranges::binary_search(layers, layer);
  }
  void begin_step();
  void reduce_last();

  Extent extent_ = Extent::kAll;
  std::vector<Attention> encoded_;  // by site: those where the source looks
  std::vector<Step> steps_;
  bool single_ = false;  // the steps have the row of one hypothesis only
};

// Looks on while a batch is encoded or takes a step, and gives each sentence's trace its part.
class TraceObserver final : public nn::Observer {
 public:
  struct Part {
    Trace* trace;       // or nothing, for a sentence that nobody looks at
    std::int64_t rows;  // of the step, in order; when encoding, the tokens of the sentence
    std::int64_t past;  // tokens that the rows have read, this step's included
    std::int64_t sources;
  };

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
