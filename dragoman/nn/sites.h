// Where a model attends. A model lists its sites once; traces, head masks, alignments, the server and the page go by
// that list and know nothing else of the model's layers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::nn {

// Whose tokens: those of the source sentence or those of the translation.
enum class Side : std::uint8_t { kSource, kTarget };
constexpr std::array<std::string_view, 2> names(Side) { return {"source", "target"}; }

// One kind of attention, which every layer of a stack has once.
struct AttentionSite {
  std::string name;              // "encoder", "decoder" or "cross" in the Transformer
  Side queries = Side::kSource;  // the tokens that look: the encoder's or the decoder's
  Side keys = Side::kSource;     // the tokens that they look at; a decoder's own are those read so far
  int layers = 0, heads = 0;
  int d_k = 0;     // width of a head's queries and keys; 0 if the weights are not those of equation (1)
  int window = 0;  // keys that a query sees at most; 0 for all

  // Queries see no key that comes after them.
  bool is_causal() const { return queries == Side::kTarget && keys == Side::kTarget; }
  // Looks from the translation at the source, so that it says which words belong together.
  bool is_cross() const { return queries == Side::kTarget && keys == Side::kSource; }
};
using AttentionSites = std::vector<AttentionSite>;

// The first site that looks from the translation at the source, from which word alignments are read; -1 if none does.
inline int cross_site(const AttentionSites& sites) {
  for (std::size_t site = 0; site < sites.size(); ++site) {
    if (sites[site].is_cross()) return static_cast<int>(site);
  }
  return -1;
}

// One head: all three are counted from 0, the site in the model's list.
struct Head {
  int site = 0, layer = 0, head = 0;

  bool operator==(const Head&) const = default;
};

}  // namespace dragoman::nn
