// The texts of one request on their way through a model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/decode/lines/service.h"
#include "dragoman/serve/api/context.h"
#include "dragoman/serve/api/cost.h"
#include "dragoman/serve/api/document.h"
#include "dragoman/serve/api/models.h"
#include "dragoman/serve/http/http.h"

namespace dragoman::serve {

class Job : public std::enable_shared_from_this<Job> {
 public:
  struct Options {
    decode::RequestOptions request = {};                // of every sentence
    std::string prefix = {};                            // of the first sentence's translation
    decode::Numbers numbers = decode::Numbers::kLists;  // of the answer
    CostLimits limits = {};
    RunLater run_later = {};
  };
  // Called from wherever `run_later` does its work, or from submit().
  using Finished = std::function<void(Job&)>;
  // Called from a worker of the model.
  using Settled = std::function<void(Job&, std::size_t document, const std::string& beginning)>;

  Job(std::shared_ptr<ServedModel> model, std::vector<std::unique_ptr<Document>> documents, const Options& options);

  // Translates. When the exchange's client goes away, so does the work. Throws what Service::submit throws, and a
  // Refusal: 413 if it is too much, 503 if there is no memory for it now.
  void submit(const std::shared_ptr<Exchange>& exchange, Finished finished, Settled settled = {});

  const ServedModel& model() const { return *model_; }
  std::size_t documents() const { return documents_.size(); }
  // Why the job failed, or nothing.
  const std::exception_ptr& error() const { return error_; }
  // Whether nobody waits for the answer any more.
  bool is_unwanted() const { return exchange_->is_gone(); }

  // When all is done: a document's sentences and their translations, and the document itself with the best of each, or,
  // for `rank` above 0, with the next best; a sentence that has not so many gives its last.
  const std::vector<std::string>& sentences(std::size_t document) const { return documents_[document]->sentences(); }
  std::span<const decode::TranslatedLine> lines(std::size_t document) const;
  std::string text(std::size_t document, std::size_t rank = 0) const;
  // How many ranks differ.
  std::size_t ranks(std::size_t document) const;

 private:
  void done(std::size_t line, decode::Order::Outcome outcome);
  void settle(std::size_t line, const std::string& text);
  void count(const decode::TranslatedLine& line);
  void finish();
  void finish_later();
  Rendering rendering(const decode::TranslatedLine& line, bool links, std::size_t rank) const;
  std::size_t document_of(std::size_t line) const;

  std::shared_ptr<ServedModel> model_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<std::size_t> first_;  // line of each document, and the number of all
  Options options_;
  std::optional<Cost> cost_;
  std::shared_ptr<Exchange> exchange_;
  Finished finished_;
  Settled settled_;
  // Only touched by the order's functions, which are called one at a time.
  std::vector<decode::TranslatedLine> lines_;
  std::vector<bool> there_;
  std::vector<std::string> partial_;
  std::vector<std::size_t> next_;  // line of each document that is not there, the first
  std::size_t left_ = 0;
  std::exception_ptr error_;
};

}  // namespace dragoman::serve
