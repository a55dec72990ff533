#include "dragoman/serve/api/app.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <ctime>
#include <set>
#include <utility>

#include "dragoman/backend/device_errors.h"
#include "dragoman/base/clock.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"
#include "dragoman/serve/api/body.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/inside.h"
#include "dragoman/serve/api/libre.h"
#include "dragoman/serve/api/openapi.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/api/v1.h"

namespace dragoman::serve {
namespace {

// Passes everything on to the exchange of the listener, adds the headers for other origins, and reports the status and
// size of the answer once, and the reason if it has one.
class RecordedExchange final : public Exchange {
 public:
  using Record = std::function<void(int status, std::size_t bytes, const std::string& reason)>;

  RecordedExchange(std::shared_ptr<Exchange> exchange, Headers headers, Record record)
      : exchange_(std::move(exchange)), headers_(std::move(headers)), record_(std::move(record)) {}

  const HttpRequest& request() const override { return exchange_->request(); }
  void answer(Response response) override {
    response.headers.insert(response.headers.end(), headers_.begin(), headers_.end());
    record(response.status, response.body.size(), response.reason);
    exchange_->answer(std::move(response));
  }
  void events(Headers headers) override {
    headers.insert(headers.end(), headers_.begin(), headers_.end());
    exchange_->events(std::move(headers));
  }
  bool event(std::string_view name, std::string_view data) override {
    bytes_ += data.size();
    return exchange_->event(name, data);
  }
  void end() override {
    record(200, bytes_, reason_);
    exchange_->end();
  }
  void give_reason(const std::string& reason) override { reason_ = reason; }
  void when_gone(std::function<void()> gone) override { exchange_->when_gone(std::move(gone)); }
  bool is_gone() const override { return exchange_->is_gone(); }
  bool reserve(std::int64_t bytes) override { return exchange_->reserve(bytes); }

 private:
  // Reports once. If this fails, the answer is sent all the same.
  void record(int status, std::size_t bytes, const std::string& reason) noexcept {
    try {
      if (!is_recorded_.exchange(true)) record_(status, bytes, reason);
    } catch (...) {
    }
  }

  std::shared_ptr<Exchange> exchange_;
  Headers headers_;
  Record record_;
  std::string reason_;  // of events
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<bool> is_recorded_ = false;
};

void answer_health(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  if (const std::optional<std::string> reason = context.models.lost()) throw DeviceLost(*reason);
  exchange->answer({.body = R"({"status":"ok"})"});
}

void answer_openapi(const std::shared_ptr<Exchange>& exchange) {
  exchange->answer({.body = std::string(openapi_document())});
}

std::string allowed(const auto& methods) {
  std::string list = "OPTIONS";
  for (const auto& [method, handler] : methods) list += ", " + method;
  return list;
}

}  // namespace

App::App(const Models& models, AppOptions options)
    : options_(std::move(options)),
      context_{.models = models,
               .limits = options_.limits,
               .run_later = options_.run_later,
               .requires_key = !options_.gate.keys.empty()},
      gate_(options_.gate) {
  using Answer = void (*)(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange);
  const auto with_context = [this](Answer answer) -> Handler {
    return [this, answer](const std::shared_ptr<Exchange>& exchange) { answer(context_, exchange); };
  };
  const auto answer_metrics = [this](const std::shared_ptr<Exchange>& exchange) {
    exchange->answer({.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_text()});
  };
  routes_ = {{"/translate", {.methods = {{"POST", with_context(libre_translate)}}, .slow = true}},
             {"/detect", {.methods = {{"POST", with_context(libre_detect)}}, .slow = true}},
             {"/languages", {.methods = {{"GET", with_context(libre_languages)}}, .open = true}},
             {"/frontend/settings", {.methods = {{"GET", with_context(libre_settings)}}, .open = true}},
             {"/health", {.methods = {{"GET", with_context(answer_health)}}, .open = true}},
             {"/metrics", {.methods = {{"GET", answer_metrics}}, .open = true}},
             {"/openapi.json", {.methods = {{"GET", answer_openapi}}, .open = true}},
             {"/v1/translate", {.methods = {{"POST", with_context(v1_translate)}}, .slow = true}},
             {"/v1/model", {.methods = {{"GET", with_context(answer_model)}}, .open = true, .slow = true}},
             {"/v1/models", {.methods = {{"GET", with_context(answer_models)}}, .open = true, .slow = true}},
             {"/v1/positions", {.methods = {{"GET", with_context(answer_positions)}}, .open = true, .slow = true}},
             {"/v1/heads", {.methods = {{"GET", with_context(answer_heads)}}, .open = true, .slow = true}},
             {"/v1/film", {.methods = {{"GET", with_context(answer_film)}}, .slow = true}},
             {"/", {.methods = {{"GET", answer_page}}, .open = true}}};
}

void App::operator()(const std::shared_ptr<Exchange>& exchange) {
  const double start = clock_seconds();
  const HttpRequest& request = exchange->request();
  const auto record = [this, start, client = request.client, method = request.method, path = request.path](
                          int status, std::size_t bytes, const std::string& reason) {
    const double seconds = clock_seconds() - start;
    metrics_.answered(counted_path(path), status, seconds);
    log({.client = client, .method = method, .path = path, .status = status, .bytes = bytes, .seconds = seconds});
    if (!reason.empty() && options_.report) {
      options_.report(join(method, " ", path, " got status ", status, ": ", reason));
    }
  };
  const auto recorded = std::make_shared<RecordedExchange>(exchange, gate_.headers(request), record);
  try {
    dispatch(recorded);
  } catch (...) {
    recorded->answer(refusal(std::current_exception()));
  }
}

bool App::is_quick(const HttpRequest& request) const {
  const auto found = routes_.find(request.path);
  return found == routes_.end() || !found->second.slow || request.method == "OPTIONS";
}

void App::refused(const RequestRecord& request) {
  metrics_.refused(counted_path(request.path), request.status);
  log(request);
}

std::map<std::string, std::vector<std::string>> App::methods() const {
  std::map<std::string, std::vector<std::string>> methods;
  for (const auto& [path, route] : routes_) {
    for (const auto& [method, handler] : route.methods) methods[path].push_back(method);
  }
  return methods;
}

// A line for each request. Whatever a client sends stays on that line.
void App::log(const RequestRecord& request) const {
  if (!options_.access_log) return;
  const std::string what = request.method.empty() ? "-" : request.method + " " + request.path;
  options_.access_log(fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {} {} {} {} {:.1f} ms", fmt::gmtime(std::time(nullptr)),
                                  printable(request.client), whole_in_quotes(what), request.status, request.bytes,
                                  1000 * request.seconds));
}

void App::dispatch(const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  gate_.check_host(request);
  const auto found = routes_.find(request.path);
  require_or(404, found != routes_.end(), "there is nothing at '", request.path,
             "'; /openapi.json lists the paths of this server.");
  const Route& route = found->second;
  if (request.method == "OPTIONS") {  // a browser asks whether a page of another origin may send the request
    return exchange->answer({.status = 204,
                             .content_type = "",
                             .body = "",
                             .headers = {{"Allow", allowed(route.methods)},
                                         {"Access-Control-Allow-Methods", allowed(route.methods)},
                                         {"Access-Control-Allow-Headers", "Authorization, Content-Type, X-Api-Key"},
                                         {"Access-Control-Max-Age", "86400"}}});
  }
  const auto method = route.methods.find(request.method == "HEAD" ? "GET" : request.method);
  if (method == route.methods.end()) {
    Response response = refusal(405, join("'", request.path, "' allows only ", allowed(route.methods), "."));
    response.headers.emplace_back("Allow", allowed(route.methods));
    return exchange->answer(std::move(response));
  }
  // A request that names a model may have it loaded, so not everybody may send it.
  const bool is_open = route.open && !request.query.contains("model");
  if (!is_open) gate_.check(request, text_field(fields_of(request), "api_key", ""), clock_seconds());
  method->second(exchange);
}

std::string App::metrics_text() const {
  std::vector<ModelFigures> figures;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& model : context_.models.loaded()) {
    // Only models that are not the first of their languages need a name.
    const bool is_first = seen.emplace(model->source, model->target).second;
    figures.push_back({.name = is_first ? "" : model->name,
                       .source = model->source,
                       .target = model->target,
                       .counts = model->service.counts(),
                       .max_waiting = model->service.max_waiting(),
                       .batch_size = model->service.options().batch_size});
  }
  return metrics_.text(options_.listener_counts ? options_.listener_counts() : ListenerCounts{}, figures,
                       options_.lost_lines ? options_.lost_lines() : LostLines{});
}

}  // namespace dragoman::serve
