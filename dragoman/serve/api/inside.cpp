#include "dragoman/serve/api/inside.h"

#include <algorithm>
#include <span>

#include "dragoman/base/base64.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/page/page.h"

namespace dragoman::serve {
namespace {

// An estimate of the bytes that a request takes per weight of its trace: for the search, the answer and the text. From
// this the page guesses which texts are too long.
constexpr std::int64_t kTraceBytes = 24;

std::string query_of(const HttpRequest& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

Json sites_json(const nn::AttentionSites& sites) {
  Json list = Json::array();
  for (const nn::AttentionSite& site : sites) {
    list.push_back({{"name", site.name},
                    {"queries", to_string(site.queries)},
                    {"keys", to_string(site.keys)},
                    {"layers", site.layers},
                    {"heads", site.heads},
                    {"d_k", site.d_k},
                    {"causal", site.is_causal()},
                    {"window", site.window},
                    {"window_kind", to_string(site.window_kind)},
                    {"score", to_string(site.score)},
                    {"chooses_one", site.chooses_one}});
    if (!site.formula.empty()) list.back()["formula"] = site.formula;
  }
  return list;
}

Json blocks_json(const model::Blocks& blocks) {
  Json list = Json::array();
  for (const model::Block& block : blocks) {
    Json& entry = list.emplace_back(Json{{"kind", to_string(block.kind)}});
    const auto add = [&](const char* key, const std::string& value) {
      if (!value.empty()) entry[key] = value;
    };
    add("site", block.site);
    add("reads", block.reads);
    add("title", block.title);
    add("about", block.about);
  }
  return list;
}

Json stacks_json(const model::BlockStacks& stacks) {
  Json list = Json::array();
  for (const model::BlockStack& stack : stacks) {
    Json layers = Json::array();
    for (const model::BlockLayers& group : stack.layers) {
      layers.push_back({{"blocks", blocks_json(group.blocks)}, {"count", group.count}, {"shared", group.shared}});
    }
    list.push_back({{"name", stack.name},
                    {"tokens", to_string(stack.tokens)},
                    {"input", blocks_json(stack.input)},
                    {"layers", layers},
                    {"output", blocks_json(stack.output)}});
  }
  return list;
}

std::shared_ptr<ServedModel> requested_model(const HandlerContext& context, const HttpRequest& request) {
  return context.models.find(query_of(request, "source"), query_of(request, "target"), query_of(request, "model"));
}

}  // namespace

std::string model_json(const ServedModel& model, const RequestLimits& limits) {
  const model::ModelInfo& info = model.service.model().info;
  const Json settings = settings_to_json(model.service.options().search);
  Json search;  // with the names that requests use
  for (const auto& [key, value] : settings.items()) {
    std::string name = key;
    std::ranges::replace(name, '-', '_');
    search[name] = value;
  }
  return Json{{"name", model.name},
              {"source", model.source},
              {"target", model.target},
              {"source_name", language_name(model.source)},
              {"target_name", language_name(model.target)},
              {"arch", info.config.arch()},
              {"summary", info.config.describe()},
              {"width", info.config.width()},
              {"sites", sites_json(model.service.model().model->sites())},
              {"halts", model.service.model().model->halts()},
              {"stacks", stacks_json(model.service.model().model->blocks())},
              {"config", settings_to_json(info.config)},
              {"parameters", model::parameter_count(info.config)},
              {"provenance", try_parse_json(info.provenance)},
              {"search", search},
              {"examples", model.film_summary.sentences},
              {"words", model.words},
              {"trace_weights", limits.cost.bytes / kTraceBytes},
              {"max_beam", limits.max_beam},
              {"film", model.film_summary.exists},
              {"heads", decode::has_heads(model.directory)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string heads_json(const ServedModel& model) {
  const std::optional<Json> heads =
      with_own_files([&] { return decode::read_heads(model.directory, model.service.model().info); });
  require_or(404, heads.has_value(),
             "nobody has looked yet at what the attention heads of this model do over many sentences; 'dragoman heads "
             "--model DIR FILE' does, with a file of sentences.");
  return heads->dump();
}

std::string positions_json(const ServedModel& model, std::int64_t count) {
  const std::int64_t columns = model.service.model().info.config.width();
  const std::int64_t rows = std::min(count, std::ssize(model.positions) / columns);
  const auto shown = std::span(model.positions).first(static_cast<std::size_t>(rows * columns));
  return Json{{"rows", rows}, {"columns", columns}, {"packed", base64(shown)}}.dump();
}

void answer_page(const std::shared_ptr<Exchange>& exchange) {
  // Only scripts and styles inside the page's own text may be used, and the page may only connect to this server.
  static constexpr const char* kPolicy =
      "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; "
      "connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
  static const std::string kPage = attention_page();
  exchange->answer({.content_type = "text/html; charset=utf-8",
                    .body = kPage,
                    .headers = {{"Content-Security-Policy", kPolicy}, {"Cache-Control", "no-cache"}}});
}

void answer_model(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  exchange->answer({.body = model_json(*requested_model(context, exchange->request()), context.limits)});
}

void answer_models(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  Json list = Json::array();
  for (const NamedModel& named : context.models.named()) {
    const ServedModel& model = *named.model;
    const model::ModelConfig& config = model.service.model().info.config;
    list.push_back({{"name", named.name},
                    {"source", model.source},
                    {"target", model.target},
                    {"default", named.is_default},
                    {"summary", config.describe()},
                    {"parameters", model::parameter_count(config)}});
    if (named.step) {
      list.back()["checkpoint_of"] = model.name;
      list.back()["step"] = *named.step;
    }
  }
  exchange->answer({.body = Json{{"models", list}}.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

void answer_positions(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  const std::string text = query_of(exchange->request(), "count");
  const auto count = parse_number<std::int64_t>(text.empty() ? "64" : text);
  require_or(400, count && *count >= 0, "'count' is '", text, "'; it must be a number of positions.");
  exchange->answer({.body = positions_json(*requested_model(context, exchange->request()), *count)});
}

void answer_heads(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  exchange->answer({.body = heads_json(*requested_model(context, exchange->request()))});
}

void answer_film(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  const std::shared_ptr<ServedModel> model = requested_model(context, exchange->request());
  exchange->answer({.body = *with_own_files([&] { return model->film.json(model->directory); })});
}

}  // namespace dragoman::serve
