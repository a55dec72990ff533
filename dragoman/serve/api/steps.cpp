#include "dragoman/serve/api/steps.h"

#include <algorithm>
#include <string>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/heads.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::int64_t kMaxUnits = 64, kMaxQuery = 1 << 20;

}  // namespace

std::optional<decode::StepsChoice> steps_field(const Json& fields, const nn::AttentionSites& sites) {
  const auto found = fields.find("steps");
  if (found == fields.end()) return std::nullopt;
  require_or(400, found->is_object(), "'steps' is not an object such as {\"attention\": \"cross\", \"layer\": 1}.");
  for (const auto& [name, value] : found->items()) {
    require_or(400, name == "attention" || name == "layer" || name == "query" || name == "units",
               "'steps' has no field '", name, "'; there are attention, layer, query and units.");
  }
  decode::StepsChoice choice{.site = site_of(*found, "steps", sites)};
  choice.layer = index_field(*found, "layer", "steps", sites[static_cast<std::size_t>(choice.site)].layers);
  require_or(400, choice.layer >= 0, "'steps' needs 'layer', counted from 1.");
  if (found->contains("query")) {
    choice.query = number_field(*found, "query", 0, kMaxQuery) - 1;
    require_or(400, *choice.query >= 0, "'steps': queries are counted from 1.");
  }
  choice.units = number_field(*found, "units", choice.units, kMaxUnits);
  return choice;
}

void require_steps(const Job& job, const decode::StepsChoice& choice) {
  const nn::AttentionSites sites = job.model().service.model().model->sites();
  const nn::AttentionSite& site = sites[static_cast<std::size_t>(choice.site)];
  std::int64_t longest = 0;
  bool is_shown = false;
  for (std::size_t d = 0; d < job.documents(); ++d) {
    for (const decode::TranslatedLine& line : job.lines(d)) {
      if (!line.layer_steps) continue;
      is_shown = is_shown || !line.layer_steps->queries.empty();
      longest =
          std::max(longest, site.queries == nn::Side::kSource ? std::ssize(line.source)
                                                              : std::ssize(line.target) - (line.finished ? 0 : 1));
    }
  }
  if (is_shown || longest == 0) return;
  require_or(400, choice.query && *choice.query >= longest,
             "'steps': this model does not show the steps of its layers.");
  throw Refusal(400, join("'steps': there is no query ", *choice.query + 1, " of '", site.name, "'; the longest ",
                          to_string(site.queries), " has ", counted(longest, "token"), "."));
}

}  // namespace dragoman::serve
