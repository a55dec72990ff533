#include "dragoman/serve/heads.h"

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/trace_json.h"
#include "dragoman/serve/fields.h"
#include "dragoman/serve/refusal.h"

namespace dragoman::serve {
namespace {

constexpr auto kKinds = {nn::AttentionKind::kEncoderSelf, nn::AttentionKind::kDecoderSelf, nn::AttentionKind::kCross};

int layers_of(nn::AttentionKind kind, const model::TransformerConfig& config) {
  return kind == nn::AttentionKind::kEncoderSelf ? config.N_enc : config.N_dec;
}

nn::AttentionKind kind_of(const Json& entry, const std::string& field) {
  const std::string name = text_field(entry, "attention", "");
  const auto found = std::ranges::find(kKinds, name, decode::name_of);
  require_or(400, found != kKinds.end(), "'", field, "': attention is '", name,
             "'; it must be encoder, decoder or cross.");
  return *found;
}

std::vector<nn::Head> all_heads(const model::TransformerConfig& config) {
  std::vector<nn::Head> heads;
  for (const nn::AttentionKind kind : kKinds) {
    for (int layer = 0; layer < layers_of(kind, config); ++layer) {
      for (int head = 0; head < config.h; ++head) heads.push_back({kind, layer, head});
    }
  }
  return heads;
}

}  // namespace

std::vector<nn::Head> heads_field(const Json& fields, const std::string& name, const model::TransformerConfig& config) {
  std::vector<nn::Head> heads;
  const auto found = fields.find(name);
  if (found == fields.end()) return heads;
  if (*found == "all") return all_heads(config);
  require_or(400, found->is_array() && found->size() <= 4096, "'", name, "' is not a list of heads.");
  for (const Json& entry : *found) {
    require_or(400, entry.is_object(), "'", name, "' holds something that is not {attention, layer, head}.");
    nn::Head head{.kind = kind_of(entry, name)};
    head.layer = static_cast<int>(number_field(entry, "layer", 0, layers_of(head.kind, config))) - 1;
    head.head = static_cast<int>(number_field(entry, "head", 0, config.h)) - 1;
    require_or(400, head.layer >= 0 && head.head >= 0, "'", name, "': layers and heads are counted from 1.");
    if (std::ranges::find(heads, head) == heads.end()) heads.push_back(head);
  }
  return heads;
}

std::vector<int> layers_field(const Json& fields, const model::TransformerConfig& config) {
  std::vector<int> layers;
  const auto found = fields.find("layers");
  if (found == fields.end()) return layers;
  const int most = std::max(config.N_enc, config.N_dec);
  require_or(400, found->is_array() && found->size() <= 4096, "'layers' is not a list of layers.");
  for (const Json& entry : *found) {
    require_or(400, entry.is_number_integer() && entry >= 1 && entry <= most, "'layers' holds ", entry.dump(),
               "; layers are counted from 1 to ", most, ".");
    layers.push_back(entry.get<int>() - 1);
  }
  std::ranges::sort(layers);
  layers.erase(std::ranges::unique(layers).begin(), layers.end());
  return layers;
}

}  // namespace dragoman::serve
