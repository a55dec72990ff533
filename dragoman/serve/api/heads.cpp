#include "dragoman/serve/api/heads.h"

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMaxEntries = 4096;  // of a list

// As text for messages, for example "encoder, decoder or cross".
std::string names_of(const nn::AttentionSites& sites) {
  std::string names;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    names += (site == 0 ? "" : site + 1 < sites.size() ? ", " : " or ") + sites[site].name;
  }
  return names;
}

std::vector<nn::Head> all_heads(const nn::AttentionSites& sites) {
  std::vector<nn::Head> heads;
  for (int site = 0; site < std::ssize(sites); ++site) {
    const nn::AttentionSite& listed = sites[static_cast<std::size_t>(site)];
    for (int layer = 0; layer < listed.layers; ++layer) {
      for (int head = 0; head < listed.heads; ++head) heads.push_back({site, layer, head});
    }
  }
  return heads;
}

}  // namespace

int site_of(const Json& entry, const std::string& field, const nn::AttentionSites& sites) {
  require_or(400, !sites.empty(), "'", field, "': this model has no attention.");
  const std::string name = text_field(entry, "attention", "");
  const auto found = std::ranges::find(sites, name, &nn::AttentionSite::name);
  require_or(400, found != sites.end(), "'", field, "': attention is '", name, "'; it must be ", names_of(sites), ".");
  return static_cast<int>(found - sites.begin());
}

int index_field(const Json& entry, const std::string& key, const std::string& field, int count) {
  constexpr std::int64_t kMaxIndex = 1 << 20;
  const std::int64_t number = number_field(entry, key, 0, kMaxIndex);
  require_or(400, number <= count, "'", field, "': there is no ", key, " ", number, "; there ",
             count == 1 ? "is 1" : join("are ", count), ", counted from 1.");
  return static_cast<int>(number) - 1;
}

std::vector<nn::Head> heads_field(const Json& fields, const std::string& name, const nn::AttentionSites& sites) {
  std::vector<nn::Head> heads;
  const auto found = fields.find(name);
  if (found == fields.end()) return heads;
  if (*found == "all") return all_heads(sites);
  require_or(400, found->is_array() && found->size() <= kMaxEntries, "'", name,
             "' must be \"all\" or a list of at most ", kMaxEntries, " heads.");
  for (const Json& entry : *found) {
    require_or(400, entry.is_object(), "'", name, "' holds a value that is not {attention, layer, head}.");
    nn::Head head{.site = site_of(entry, name, sites)};
    const nn::AttentionSite& site = sites[static_cast<std::size_t>(head.site)];
    head.layer = index_field(entry, "layer", name, site.layers);
    head.head = index_field(entry, "head", name, site.heads);
    require_or(400, head.layer >= 0 && head.head >= 0, "'", name,
               "': every head needs 'layer' and 'head', counted from 1.");
    if (std::ranges::find(heads, head) == heads.end()) heads.push_back(head);
  }
  return heads;
}

std::vector<int> layers_field(const Json& fields, const nn::AttentionSites& sites) {
  std::vector<int> layers;
  const auto found = fields.find("layers");
  if (found == fields.end()) return layers;
  int deepest = 0;
  for (const nn::AttentionSite& site : sites) deepest = std::max(deepest, site.layers);
  require_or(400, found->is_array() && found->size() <= kMaxEntries, "'layers' must be a list of at most ", kMaxEntries,
             " layers.");
  for (const Json& entry : *found) {
    require_or(400, entry.is_number_integer() && entry >= 1 && entry <= deepest, "'layers' holds ", entry.dump(),
               "; layers are counted from 1 to ", deepest, ".");
    layers.push_back(entry.get<int>() - 1);
  }
  std::ranges::sort(layers);
  layers.erase(std::ranges::unique(layers).begin(), layers.end());
  return layers;
}

}  // namespace dragoman::serve
