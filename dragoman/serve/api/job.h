// Translates the texts of one request: cuts them into sentences, submits these to the model, and calls back when all
// are translated.
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
    decode::RequestOptions request = {};                // for every sentence
    std::string prefix = {};                            // of the translation of the first sentence
    data::Sentence prefix_ids = {};                     // the same as tokens; replaces `prefix` unless empty
    decode::Numbers numbers = decode::Numbers::kLists;  // form of the numbers in the answer
    CostLimits limits = {};
    RunLater run_later = {};
  };
  // Called through `run_later`, or by a worker of the model if `run_later` is empty. For a job without sentences,
  // submit() calls it. If it throws, it is called again, with an error().
  using Finished = std::function<void(Job&)>;
  // Called by a worker of the model when more of a document is certain: `beginning` will not change any more.
  using Settled = std::function<void(Job&, std::size_t document, const std::string& beginning)>;

  Job(std::shared_ptr<ServedModel> model, std::vector<std::unique_ptr<Document>> documents, const Options& options);

  // Starts to translate. The work is cancelled when the client of the exchange goes away. Throws what Service::submit
  // throws, and a Refusal: 413 if the request is too much, 503 if there is no memory for it now.
  void submit(const std::shared_ptr<Exchange>& exchange, Finished finished, Settled settled = {});

  const ServedModel& model() const { return *model_; }
  std::size_t documents() const { return documents_.size(); }
  // Why the job failed; null if it did not.
  const std::exception_ptr& error() const { return error_; }
  // Whether the client has gone.
  bool client_is_gone() const { return exchange_->is_gone(); }

  // When the job has finished: the sentences of a document, their translations, and the translated document. With
  // `rank` above 0 it is made of the next best translations; a sentence with fewer translations uses its last.
  const std::vector<std::string>& sentences(std::size_t document) const { return documents_[document]->sentences(); }
  std::span<const decode::TranslatedLine> lines(std::size_t document) const;
  std::string text(std::size_t document, std::size_t rank = 0) const;
  // The number of ranks that can give different texts: the most translations that a sentence has, at least 1.
  std::size_t ranks(std::size_t document) const;

 private:
  void done(std::size_t line, decode::Order::Outcome outcome);
  void settle(std::size_t line, const std::string& text);
  void count_result(const decode::TranslatedLine& line);
  void finish();
  void finish_later();
  Rendering rendering(const decode::TranslatedLine& line, bool links, std::size_t rank) const;
  std::size_t document_of(std::size_t line) const;

  std::shared_ptr<ServedModel> model_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<std::size_t> first_;  // the first line of each document; then the number of all lines
  Options options_;
  std::optional<Cost> cost_;
  std::shared_ptr<Exchange> exchange_;
  Finished finished_;
  Settled settled_;
  // Only used by the callbacks of the order, which are called one at a time.
  std::vector<decode::TranslatedLine> lines_;
  std::vector<bool> is_done_;
  std::vector<std::string> partial_;  // the certain beginning of the translation of each line
  std::vector<std::size_t> next_;     // the first line of each document that is not translated yet
  std::size_t remaining_ = 0;
  std::exception_ptr error_;
};

}  // namespace dragoman::serve
