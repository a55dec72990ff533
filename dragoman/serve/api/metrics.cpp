#include "dragoman/serve/api/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dragoman::serve {
namespace {

void metric_header(std::string& text, const char* name, const char* kind, const char* help) {
  fmt::format_to(std::back_inserter(text), "# HELP dragoman_{0} {2}\n# TYPE dragoman_{0} {1}\n", name, kind, help);
}

template <class Value>
void sample(std::string& text, const char* name, const std::string& labels, Value value) {
  fmt::format_to(std::back_inserter(text), "dragoman_{}{} {}\n", name, labels.empty() ? "" : "{" + labels + "}", value);
}

// A label with its value, escaped: the languages are whatever the file of a model says.
std::string label(const char* name, std::string_view value) {
  std::string text = fmt::format("{}=\"", name);
  for (const char letter : value) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter == '\n' ? std::string_view("\\n") : std::string_view(&letter, 1);
  }
  return text + '"';
}

std::string labels_of(const ModelFigures& model) {
  return label("source", model.source) + "," + label("target", model.target) +
         (model.name.empty() ? "" : "," + label("model", model.name));
}

struct ModelMetric {
  const char *name, *kind, *help;
  std::int64_t (*value)(const ModelFigures&);
};

constexpr ModelMetric kModelMetrics[] = {
    {"queue_sentences", "gauge", "Sentences that wait to be translated.",
     [](const ModelFigures& m) { return m.counts.waiting; }},
    {"queue_limit_sentences", "gauge", "Sentences that may wait.", [](const ModelFigures& m) { return m.max_waiting; }},
    {"batch_sentences", "gauge", "Sentences that are being translated.",
     [](const ModelFigures& m) { return m.counts.under_way; }},
    {"batch_limit_sentences", "gauge", "Sentences that a worker translates at once, at most.",
     [](const ModelFigures& m) { return m.batch_size; }},
    {"sentences_total", "counter", "Sentences that were translated.",
     [](const ModelFigures& m) { return m.counts.finished; }},
    {"source_tokens_total", "counter", "Source tokens of the sentences that were translated.",
     [](const ModelFigures& m) { return m.counts.source_tokens; }},
    {"target_tokens_total", "counter", "Tokens of the translations.",
     [](const ModelFigures& m) { return m.counts.target_tokens; }},
    {"decoding_steps_total", "counter", "Steps of the decoder, each with a batch of sentences.",
     [](const ModelFigures& m) { return m.counts.steps; }},
    {"decoding_step_sentences_total", "counter",
     "Sentences in all decoding steps; divided by the steps, this is the mean batch size.",
     [](const ModelFigures& m) { return m.counts.step_sentences; }},
};

}  // namespace

void ServerMetrics::answered(const std::string& path, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{path, status}];
  Times& times = times_[path];
  ++times.counts[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin())];
  times.sum += seconds;
}

void ServerMetrics::refused(const std::string& path, int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[{path, status}];
}

std::string ServerMetrics::text(const ListenerCounts& listener, const std::vector<ModelFigures>& models,
                                const LostLines& lost_lines) const {
  std::string text;
  metric_header(text, "connections", "gauge", "Connections that are open.");
  sample(text, "connections", "", listener.connections);
  metric_header(text, "connections_accepted_total", "counter", "Connections that were accepted.");
  sample(text, "connections_accepted_total", "", listener.accepted);
  metric_header(text, "connections_refused_total", "counter",
                "Connections that were refused because there were too many.");
  sample(text, "connections_refused_total", "", listener.refused);
  metric_header(text, "log_lines_lost_total", "counter",
                "Lines that could not be written to a log because it failed or was too slow.");
  for (const auto& [log, lines] : lost_lines) sample(text, "log_lines_lost_total", label("log", log), lines);
  for (const ModelMetric& metric : kModelMetrics) {
    metric_header(text, metric.name, metric.kind, metric.help);
    for (const ModelFigures& model : models) sample(text, metric.name, labels_of(model), metric.value(model));
  }
  const std::lock_guard lock(mutex_);
  metric_header(text, "requests_total", "counter", "Requests that were answered, by path and status.");
  for (const auto& [key, count] : requests_) {
    sample(text, "requests_total", label("path", key.first) + fmt::format(",status=\"{}\"", key.second), count);
  }
  metric_header(text, "request_seconds", "histogram", "Time from the call of a request's handler to its answer.");
  for (const auto& [path, times] : times_) {
    std::int64_t cumulative = 0;
    for (std::size_t i = 0; i < times.counts.size(); ++i) {
      cumulative += times.counts[i];
      const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
      sample(text, "request_seconds_bucket", label("path", path) + fmt::format(",le=\"{}\"", bound), cumulative);
    }
    sample(text, "request_seconds_sum", label("path", path), times.sum);
    sample(text, "request_seconds_count", label("path", path), cumulative);
  }
  return text;
}

}  // namespace dragoman::serve
