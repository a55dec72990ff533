#include "dragoman/serve/offline.h"

#include <algorithm>
#include <exception>
#include <future>
#include <utility>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/json_text.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/serve/api/inside.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/api/v1.h"
#include "dragoman/serve/page/page.h"

namespace dragoman::serve {
namespace {

// A request from within the program, and a place for its answer.
class InternalExchange final : public Exchange {
 public:
  explicit InternalExchange(HttpRequest request) : request_(std::move(request)) {}

  const HttpRequest& request() const override { return request_; }
  void answer(Response response) override { answer_.set_value(std::move(response)); }
  void events(Headers) override {}
  bool event(std::string_view, std::string_view) override { return false; }
  void end() override {}
  void when_gone(std::function<void()>) override {}

  Response wait() { return answer_.get_future().get(); }

 private:
  HttpRequest request_;
  std::promise<Response> answer_;
};

Response translate(const HandlerContext& context, const Json& body) {
  HttpRequest request;
  request.method = "POST";
  request.path = "/v1/translate";
  request.headers["content-type"] = "application/json";
  request.body = json_text(body);
  const auto exchange = std::make_shared<InternalExchange>(std::move(request));
  try {
    v1_translate(context, exchange);
  } catch (...) {
    exchange->answer(refusal(std::current_exception()));
  }
  return exchange->wait();
}

// Where the page begins: the last layer of the attention to the source. A file has the steps of this layer only,
// because those of all layers would be many times as large as everything else in it.
Json first_steps(const nn::AttentionSites& sites) {
  const nn::AttentionSite& site = sites[static_cast<std::size_t>(std::max(0, nn::cross_site(sites)))];
  return {{"attention", site.name}, {"layer", site.layers}};
}

// The answer as text. If it would be too long with the steps of a layer, queries and keys (projections) and next words,
// asks again without them, and removes them from `request`.
std::string translated(const HandlerContext& context, const nn::AttentionSites& sites, Json& request) {
  if (!sites.empty()) request["steps"] = first_steps(sites);
  request["projections"] = "all";
  request["next_words"] = {{"count", 10}, {"layers", true}};
  Response response = translate(context, request);
  // A model whose layers show no steps refuses them (400).
  if (response.status == 413 || response.status == 400) {
    request.erase("steps");
    response = translate(context, request);
  }
  if (response.status == 413) {
    request.erase("projections");
    request.erase("next_words");
    response = translate(context, request);
  }
  if (response.status == 200) return response.body;
  throw Error(join("'", request["q"].get<std::string>().substr(0, 60),
                   "': ", parse_json(response.body, "the answer").value("error", "it was refused.")));
}

}  // namespace

std::string offline_page(const HandlerContext& context, const std::vector<std::string>& texts) {
  const ServedModel& model = *context.models.find("", "");
  require<Error>(model.film_summary.problem.empty(), model.film_summary.problem);
  const decode::SearchSettings& search = model.service.options().search;
  std::string sentences;
  for (const std::string& text : texts) {
    Json request{{"q", text}, {"trace", true}, {"packed", true}};
    if (search.method == decode::Method::kBeam) request["n_best"] = std::clamp(search.beam, 1, 4);
    const std::string answer = translated(context, model.service.model().model->sites(), request);
    sentences +=
        (sentences.empty() ? "" : ",") + (R"({"request":)" + json_text(request)) + R"(,"answer":)" + answer + "}";
  }
  const std::string film = model.film_summary.exists ? decode::film_json(model.directory) : "null";
  const std::string heads = decode::has_heads(model.directory) ? heads_json(model) : "null";
  return attention_page(R"({"version":1,"model":)" + model_json(model, context.limits) + R"(,"positions":)" +
                        positions_json(model, kShownPositions) + R"(,"sentences":[)" + sentences + R"(],"film":)" +
                        film + R"(,"heads":)" + heads + R"(,"state":{}})");
}

}  // namespace dragoman::serve
