#include "dragoman/serve/api/libre.h"

#include <utility>

#include "dragoman/base/fields_json.h"
#include "dragoman/serve/api/body.h"
#include "dragoman/serve/api/detection.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/job.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

std::vector<std::unique_ptr<Document>> documents_of(const std::vector<std::string>& texts, bool html,
                                                    const ServedModel& model) {
  std::vector<std::unique_ptr<Document>> documents;
  for (const std::string& text : texts) {
    documents.push_back(html ? html_document(text, model.source, model.target)
                             : plain_document(text, model.source, model.target));
  }
  return documents;
}

struct LibreAnswer {
  std::shared_ptr<Exchange> exchange;
  bool is_list = false;
  std::size_t alternatives = 0;
  std::vector<Detected> detected = {};  // of each text; empty if the request named the source language

  // Returns value(0) for a single text, or the list of value(i) for a request with a list of texts.
  template <class Value>
  Json for_texts(const Job& job, const Value& value) const {
    if (!is_list) return value(0);
    Json list = Json::array();
    for (std::size_t i = 0; i < job.documents(); ++i) list.push_back(value(i));
    return list;
  }

  void operator()(Job& job) const {
    if (job.error()) return exchange->answer(refusal(job.error()));
    Json body{{"translatedText", for_texts(job, [&](std::size_t i) { return Json(job.text(i)); })}};
    if (alternatives > 0) {
      body["alternatives"] = for_texts(job, [&](std::size_t i) {
        Json list = Json::array();
        for (std::size_t rank = 1; rank <= alternatives && rank < job.ranks(i); ++rank)
          list.push_back(job.text(i, rank));
        return list;
      });
    }
    if (!detected.empty()) {
      body["detectedLanguage"] = for_texts(job, [&](std::size_t i) { return detected_json(detected[i]); });
    }
    if (!job.model().words.empty()) {
      body["unseenWords"] = for_texts(job, [&](std::size_t i) { return Json(unseen_words(job, i)); });
    }
    exchange->answer(json_response(body));
  }

  static std::vector<std::string> unseen_words(const Job& job, std::size_t document) {
    std::vector<std::string> words;
    for (const decode::TranslatedLine& line : job.lines(document)) text::add_unseen(words, line.unseen);
    return words;
  }
};

}  // namespace

void libre_translate(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  const Json fields = fields_of(exchange->request());
  const Texts q = texts_field(fields, context.limits.max_texts);
  const std::string format = text_field(fields, "format", "text"), target = text_field(fields, "target", "");
  std::string source = text_field(fields, "source", "auto");
  require_or(400, format == "text" || format == "html", "'format' is '", format, "'; it must be text or html.");
  LibreAnswer reply{.exchange = exchange, .is_list = q.is_list};
  reply.alternatives =
      static_cast<std::size_t>(number_field(fields, "alternatives", 0, context.limits.max_alternatives));
  if (source == "auto") {
    reply.detected = detect_each(context.models, q.texts);
    source = choose_source(context.models, reply.detected, target);
  }
  const std::shared_ptr<ServedModel> model = context.models.find(source, target);
  Job::Options options;
  options.limits = context.limits.cost;
  options.run_later = context.run_later;
  if (reply.alternatives > 0) {
    decode::SearchSettings search = model->service.options().search;
    search.n_best = static_cast<int>(reply.alternatives) + 1;
    search.beam = std::max(search.beam, search.n_best);
    options.request.search = search;
  }
  std::make_shared<Job>(model, documents_of(q.texts, format == "html", *model), options)->submit(exchange, reply);
}

void libre_detect(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  const Texts q = texts_field(fields_of(exchange->request()), context.limits.max_texts);
  require_or(400, q.texts.size() == 1, "'q' must be one text.");
  Json list = Json::array();
  for (const Detected& detected : detect(context.models, q.texts.front())) list.push_back(detected_json(detected));
  exchange->answer(json_response(list));
}

void libre_languages(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  Json list = Json::array();
  for (const Language& language : context.models.languages()) {
    list.push_back({{"code", language.code}, {"name", language.name}, {"targets", language.targets}});
  }
  exchange->answer(json_response(list));
}

void libre_settings(const HandlerContext& context, const std::shared_ptr<Exchange>& exchange) {
  const auto models = context.models.all();
  const auto language = [](const std::string& tag) { return Json{{"code", tag}, {"name", language_name(tag)}}; };
  exchange->answer(json_response(
      {{"apiKeys", context.requires_key},
       {"charLimit", -1},
       {"filesTranslation", false},
       {"frontendTimeout", 500},
       {"keyRequired", context.requires_key},
       {"language", {{"source", language(models.front()->source)}, {"target", language(models.front()->target)}}},
       {"suggestions", false},
       {"supportedFilesFormat", Json::array()}}));
}

}  // namespace dragoman::serve
