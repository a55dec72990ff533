// The places where a model uses attention. A model lists these sites once. Traces, head masks, alignments, the server
// and the web page use only that list and know nothing else about the model's layers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/array/segments.h"

namespace dragoman::nn {

// The sentence that tokens belong to: the source sentence or the translation.
enum class Side : std::uint8_t { kSource, kTarget };
constexpr std::array<std::string_view, 2> names(Side) { return {"source", "target"}; }

// How attention compares a query q with a key k. The softmax of the scores gives the weights.
enum class SiteScore : std::uint8_t {
  kScaledProduct,  // q . k / sqrt(d_k), as in equation (1)
  kProduct,        // q . k
  kAdditive,       // v . tanh(q + k), with one vector v for all queries and keys
};
constexpr std::array<std::string_view, 3> names(SiteScore) { return {"scaled-product", "product", "additive"}; }

// One kind of attention, such as the decoder's self-attention, in all layers of its stack.
struct AttentionSite {
  std::string name;              // in the Transformer "encoder", "decoder" or "cross"
  Side queries = Side::kSource;  // the tokens that attend
  Side keys = Side::kSource;     // the tokens that they attend to
  int layers = 0, heads = 0;
  int d_k = 0;     // width of a head's queries and keys; 0 if the model does not show them
  int window = 0;  // the largest number of keys that a query may see; 0 for no limit
  Mask::Window window_kind = Mask::Window::kSliding;
  SiteScore score = SiteScore::kScaledProduct;
  // The score in terms of the decoder's state s and the encoder's state h, for readers; optional.
  std::string formula = {};
  // Hard attention: the key with the largest weight is chosen. The weights that an observer sees are 1 for it and 0 for
  // all others.
  bool chooses_one = false;

  // Whether query i sees only the keys 0 to i, as in the decoder's self-attention.
  bool is_causal() const { return queries == Side::kTarget && keys == Side::kTarget; }
  // Whether the translation attends to the source; then the weights tell which words belong together.
  bool is_cross() const { return queries == Side::kTarget && keys == Side::kSource; }
};
using AttentionSites = std::vector<AttentionSite>;

// The index of the first cross-attention site, from which word alignments are read; -1 if there is none.
inline int cross_site(const AttentionSites& sites) {
  for (std::size_t site = 0; site < sites.size(); ++site) {
    if (sites[site].is_cross()) return static_cast<int>(site);
  }
  return -1;
}

// One attention head. All three numbers are counted from 0; `site` is an index into the model's list.
struct Head {
  int site = 0, layer = 0, head = 0;

  bool operator==(const Head&) const = default;
};

}  // namespace dragoman::nn
