#include "dragoman/decode/lines/steps_json.h"

#include <utility>

#include "dragoman/base/base64.h"
#include "dragoman/base/fields_json.h"

namespace dragoman::decode {
namespace {

Json norm_json(const NormParameters& norm) {
  Json json{{"gamma", base64(norm.gamma)}, {"beta", base64(norm.beta)}, {"eps", norm.eps}};
  if (norm.mean.empty()) return json;
  json["mean"] = base64(norm.mean);
  json["rstd"] = base64(norm.rstd);
  return json;
}

// Mean and rstd of a row belong to a LayerNorm; those of a BatchNorm stand with its parameters.
Json add_norm_json(const AddNormRow& row, const NormParameters& norm) {
  Json json{{"residual", base64(row.x)}, {"sum", base64(row.s)}};
  if (norm.mean.empty()) {
    json["mean"] = row.mean;
    json["rstd"] = row.rstd;
  }
  json["result"] = base64(row.y);
  return json;
}

Json feed_forward_json(const FeedForwardRow& row, const NormParameters& norm) {
  const std::int64_t d_model = std::ssize(row.output);
  Json units = Json::array();
  for (const Unit& unit : row.units) {
    units.push_back(
        {{"unit", unit.unit + 1}, {"activation", unit.activation}, {"b_1", unit.b_1}, {"share", unit.share}});
  }
  Json json{{"input", base64(row.x)},
            {"inner", base64(row.inner)},
            {"units", std::move(units)},
            {"w_1", matrix_json(row.w_1, std::ssize(row.x))},
            {"contributions", matrix_json(row.contributions, d_model)},
            {"rest", base64(row.rest)},
            {"output", base64(row.output)}};
  if (!row.add_norm.s.empty()) json["add_norm"] = add_norm_json(row.add_norm, norm);
  return json;
}

Json query_json(const QuerySteps& steps, const LayerSteps& layer) {
  Json json{{"query", steps.query + 1},
            {"weights", matrix_json(steps.weights, layer.keys)},
            {"heads", matrix_json(steps.heads, std::ssize(steps.heads) / layer.h)}};
  if (!steps.output.empty()) {
    json["contributions"] = matrix_json(steps.contributions, std::ssize(steps.output));
    json["output"] = base64(steps.output);
  }
  if (!steps.add_norm.s.empty()) json["add_norm"] = add_norm_json(steps.add_norm, layer.attention_norm);
  if (!steps.feed_forward.output.empty()) {
    json["feed_forward"] = feed_forward_json(steps.feed_forward, layer.feed_forward_norm);
  }
  return json;
}

}  // namespace

Json matrix_json(const std::vector<float>& values, std::int64_t columns) {
  return {{"rows", std::ssize(values) / columns}, {"columns", columns}, {"packed", base64(values)}};
}

Json steps_json(const LayerSteps& steps, const nn::AttentionSites& sites) {
  Json json{{"attention", sites[static_cast<std::size_t>(steps.site)].name},
            {"layer", steps.layer + 1},
            {"norm", steps.keeps_sum ? "pre" : "post"},
            {"values", matrix_json(steps.V, std::ssize(steps.V) / steps.keys)}};
  if (!steps.b_O.empty()) json["b_o"] = base64(steps.b_O);
  if (!steps.b_2.empty()) json["b_2"] = base64(steps.b_2);
  if (!steps.attention_norm.gamma.empty()) json["add_norm"] = norm_json(steps.attention_norm);
  if (!steps.feed_forward_norm.gamma.empty()) json["feed_forward_norm"] = norm_json(steps.feed_forward_norm);
  json["queries"] = Json::array();
  for (const QuerySteps& query : steps.queries) json["queries"].push_back(query_json(query, steps));
  return json;
}

}  // namespace dragoman::decode
