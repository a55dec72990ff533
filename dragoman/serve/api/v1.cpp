#include "dragoman/serve/api/v1.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/inside/alignment.h"
#include "dragoman/decode/lines/trace_json.h"
#include "dragoman/serve/api/body.h"
#include "dragoman/serve/api/detection.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/heads.h"
#include "dragoman/serve/api/job.h"
#include "dragoman/serve/api/next_words.h"
#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/api/steps.h"

namespace dragoman::serve {
namespace {

// The fields of a request that are not settings of the search.
const std::set<std::string> kOwnFields = {"q",          "model",       "source",    "target", "api_key", "prefix",
                                          "prefix_ids", "heads_off",   "trace",     "packed", "layers",  "next_words",
                                          "stream",     "projections", "alignment", "steps"};

// The name of the setting on the command line: "n-best" for "n_best" or "n-best".
std::string setting_name(std::string field) {
  std::ranges::replace(field, '_', '-');
  return field;
}

// Settings are named in messages as in requests: "n_best" for "n-best".
void validate_search(decode::SearchSettings search, int max_beam) {
  try {
    require_between("beam", std::min(search.beam, max_beam), 1, max_beam);
    require_between("n-best", std::min(search.n_best, max_beam), 1, max_beam);
    search.validate("");
  } catch (const UsageError& error) {
    std::string message = error.what();
    for (const std::string& key : keys_of(search)) {
      std::string field = key;
      std::ranges::replace(field, '-', '_');
      if (message.starts_with(key + " ")) message.replace(0, key.size(), field);
    }
    throw Refusal(400, message);
  }
}

decode::SearchSettings search_of(const Json& fields, decode::SearchSettings search, int max_beam) {
  for (const auto& [field, value] : fields.items()) {
    if (kOwnFields.contains(field)) continue;
    try {
      set(search, setting_name(field), value.is_string() ? value.get<std::string>() : value.dump());
    } catch (const UsageError& error) {
      throw Refusal(400, error.what());
    }
  }
  validate_search(search, max_beam);
  require_or(400, search.beam <= max_beam && search.n_best <= max_beam, "beam and n_best may be at most ", max_beam,
             " on this server; lower them.");
  return search;
}

bool alignment_field(const Json& fields, const nn::AttentionSites& sites) {
  const bool is_wanted = bool_field(fields, "alignment", false);
  try {
    if (is_wanted) decode::require_alignment(sites);
  } catch (const UsageError& error) {
    throw Refusal(400, error.what());
  }
  return is_wanted;
}

decode::RequestOptions options_of(const Json& fields, const ServedModel& model, int max_beam) {
  const nn::AttentionSites sites = model.service.model().model->sites();
  decode::RequestOptions options;
  options.search = search_of(fields, model.service.options().search, max_beam);
  options.links = alignment_field(fields, sites);
  options.trace = bool_field(fields, "trace", false);
  options.follow = bool_field(fields, "stream", false);
  options.heads_off = heads_field(fields, "heads_off", sites);
  options.trace_layers = layers_field(fields, sites);
  options.projections = heads_field(fields, "projections", sites);
  options.next_words = next_words_field(fields);
  options.steps = steps_field(fields, sites);
  return options;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Sends the translation as server-sent events. The stream begins with the first event: before that, a refusal can still
// be a plain answer. Used by one thread at a time.
class Stream {
 public:
  Stream(std::shared_ptr<Exchange> exchange, std::size_t documents)
      : exchange_(std::move(exchange)), sent_(documents) {}

  // Sends the new part of a document.
  void text(std::size_t document, const std::string& beginning) {
    if (beginning.size() <= sent_[document]) return;
    send("text", dump({{"document", document}, {"text", beginning.substr(sent_[document])}}));
    sent_[document] = beginning.size();
  }
  // Sends the last event and ends the stream.
  void finish(std::string_view name, const std::string& data) {
    send(name, data);
    if (!has_ended_) exchange_->end();
  }

 private:
  void send(std::string_view name, const std::string& data) {
    if (has_ended_) return;
    if (!std::exchange(has_begun_, true)) exchange_->events({});
    if (exchange_->event(name, data)) return;
    has_ended_ = true;  // the client does not read
    exchange_->end();
  }

  std::shared_ptr<Exchange> exchange_;
  std::vector<std::size_t> sent_;  // bytes of each document
  bool has_begun_ = false, has_ended_ = false;
};

struct FullAnswer {
  std::shared_ptr<Exchange> exchange;
  decode::RequestOptions options;  // its search is set
  decode::Numbers numbers = decode::Numbers::kLists;
  std::vector<Detected> detected = {};  // of each text; empty if the request named the source language
  std::shared_ptr<Stream> stream = {};

  Json sentence_json(const Job& job, const std::string& source, const decode::TranslatedLine& line) const {
    const model::Tokenizers& tokenizers = job.model().service.model().tokenizers;
    Json sentence{{"source", source},        {"text", line.text},
                  {"score", line.score},     {"log_probability", line.log_probability},
                  {"tokens", line.tokens},   {"finished", line.finished},
                  {"repeats", line.repeats}, {"odd_length", line.odd_length},
                  {"unknown", line.unknown}, {"pieces", line.pieces}};
    if (!job.model().words.empty()) sentence["unseen"] = line.unseen;
    if (options.search->n_best > 1) {
      Json& hypotheses = sentence["hypotheses"] = Json::array();
      for (const decode::Hypothesis& hypothesis : line.hypotheses) {
        hypotheses.push_back({{"text", tokenizers.target.decode(hypothesis.tokens)},
                              {"score", hypothesis.score},
                              {"log_probability", hypothesis.log_probability},
                              {"finished", hypothesis.finished}});
      }
    }
    if (options.links && !line.links.empty() && line.finished) {
      sentence["alignment"] = decode::pharaoh(line.links.front());
    }
    return sentence;
  }

  // Built as text, because a trace is text already and may be long.
  std::string body(const Job& job) const {
    if (options.trace && options.steps) require_steps(job, *options.steps);
    std::string body = R"({"translations":[)";
    for (std::size_t d = 0; d < job.documents(); ++d) {
      Json head{{"text", job.text(d)}};
      if (!detected.empty()) head["detected"] = detected_json(detected[d]);
      std::string document = dump(head);
      document.pop_back();  // the brace, so that more fields can follow
      body += (d > 0 ? "," : "") + document + R"(,"sentences":[)";
      const auto lines = job.lines(d);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) body += ',';
        body += dump(sentence_json(job, job.sentences(d)[i], lines[i]));
        if (!options.trace) continue;
        body.back() = ',';  // instead of the brace
        body += R"("trace":)";
        decode::append_trace_json(body, lines[i], job.model().service.model().tokenizers, *options.search, numbers,
                                  [&job] { return job.client_is_gone(); });
        body += '}';
      }
      body += "]}";
    }
    return body + "]}";
  }

  void operator()(Job& job) const {
    Response response = job.error() ? refusal(job.error()) : Response{.body = body(job)};
    if (!stream) return exchange->answer(std::move(response));
    exchange->give_reason(response.reason);
    stream->finish(job.error() ? "error" : "done", response.body);
  }
};

}  // namespace

void v1_translate(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  const Json fields = fields_of(exchange->request());
  const Texts q = texts_field(fields, context.limits.max_texts);
  std::string source = text_field(fields, "source", "");
  const std::string target = text_field(fields, "target", "");
  std::vector<Detected> detected;
  if (source == "auto") {
    detected = detect_each(context.models, q.texts);
    source = choose_source(context.models, detected, target);
  }
  const std::shared_ptr<ServedModel> model = context.models.find(source, target, text_field(fields, "model", ""));
  FullAnswer reply{.exchange = exchange,
                   .options = options_of(fields, *model, context.limits.max_beam),
                   .numbers = bool_field(fields, "packed", false) ? decode::Numbers::kPacked : decode::Numbers::kLists,
                   .detected = std::move(detected)};
  const Job::Options options{.request = reply.options,
                             .prefix = text_field(fields, "prefix", ""),
                             .prefix_ids = prefix_ids_field(fields, model->service.model().model->target_vocabulary()),
                             .numbers = reply.numbers,
                             .limits = context.limits.cost,
                             .run_later = context.run_later};
  std::vector<std::unique_ptr<Document>> documents;
  for (const std::string& text : q.texts) documents.push_back(plain_document(text, model->source, model->target));
  const auto job = std::make_shared<Job>(model, std::move(documents), options);
  if (!options.request.follow) return job->submit(exchange, reply);
  reply.stream = std::make_shared<Stream>(exchange, job->documents());
  job->submit(exchange, reply, [stream = reply.stream](Job&, std::size_t document, const std::string& beginning) {
    stream->text(document, beginning);
  });
}

}  // namespace dragoman::serve
