#include "dragoman/serve/api/job.h"

#include <algorithm>
#include <utility>

#include "dragoman/serve/api/refusal.h"
#include "dragoman/serve/http/client_address.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMaxPrefixBytes = 4096;

}  // namespace

Job::Job(std::shared_ptr<ServedModel> model, std::vector<std::unique_ptr<Document>> documents, const Options& options)
    : model_(std::move(model)), documents_(std::move(documents)), options_(options) {
  std::size_t lines = 0;
  for (const auto& document : documents_) {
    first_.push_back(lines);
    lines += document->sentences().size();
  }
  next_ = first_;
  first_.push_back(lines);
  lines_.resize(lines);
  is_done_.resize(lines);
  partial_.resize(lines);
  remaining_ = lines;
}

void Job::submit(const std::shared_ptr<Exchange>& exchange, Finished finished, Settled settled) {
  exchange_ = exchange;
  finished_ = std::move(finished);
  settled_ = std::move(settled);
  decode::Order order;
  order.client = holder_of(exchange->request().client);
  require_or(413, options_.prefix.size() <= kMaxPrefixBytes, "'prefix' is longer than ", kMaxPrefixBytes,
             " bytes; shorten it.");
  decode::RequestOptions most_costly = options_.request;
  for (const auto& document : documents_) most_costly.links = most_costly.links || document->wants_links();
  cost_.emplace(model_->service, most_costly, options_.numbers, options_.limits);
  for (const auto& document : documents_) {
    for (const std::string& sentence : document->sentences()) {
      decode::SourceLine line{.text = sentence, .options = options_.request};
      line.options.links = line.options.links || document->wants_links();
      if (order.lines.empty()) line.prefix = options_.prefix;
      cost_->add(std::ssize(model_->service.model().tokenizers.source.encode(sentence)), std::ssize(sentence));
      order.lines.push_back(std::move(line));
    }
  }
  if (order.lines.empty()) return finish();
  require_or(503, exchange->reserve(cost_->bytes()), "this request might take ", (cost_->bytes() >> 20) + 1,
             " MiB of memory, which is not free now; try again in a moment.");
  order.done = [self = shared_from_this()](std::size_t line, decode::Order::Outcome outcome) {
    self->done(line, std::move(outcome));
  };
  if (settled_) {
    order.settled = [self = shared_from_this()](std::size_t line, const std::string& text) {
      self->settle(line, text);
    };
  }
  const decode::Service::Ticket ticket = model_->service.submit(std::move(order));
  exchange->when_gone([model = model_, ticket] { model->service.cancel(ticket); });
}

void Job::done(std::size_t line, decode::Order::Outcome outcome) {
  if (outcome.error && !error_) error_ = outcome.error;
  if (!error_) count_result(outcome.line);
  lines_[line] = error_ ? decode::TranslatedLine() : std::move(outcome.line);
  is_done_[line] = true;
  if (--remaining_ == 0) return finish_later();
  if (settled_ && !error_) settle(line, lines_[line].text);
}

// A translation that is longer than usual may exceed the limits. Then the whole job fails.
void Job::count_result(const decode::TranslatedLine& line) try {
  if (!line.source.empty()) cost_->add_result(std::ssize(line.source) - 1, line.steps);
} catch (...) {
  error_ = std::current_exception();
}

// Finishes on another thread: on the thread of the worker, writing a long answer would delay its other sentences.
void Job::finish_later() {
  if (!options_.run_later) return finish();
  options_.run_later(holder_of(exchange_->request().client), [self = shared_from_this()] { self->finish(); });
}

// If the answer cannot be made (there may be no memory for it), it becomes a refusal. Nothing is thrown, because a
// worker that calls this is busy with other requests, too.
void Job::finish() {
  if (exchange_->is_gone()) return;
  try {
    try {
      finished_(*this);
    } catch (...) {
      error_ = std::current_exception();
      finished_(*this);
    }
  } catch (...) {
    // The refusal failed, too. This ends the job, and with it the exchange, which then answers with status 500.
    finished_ = nullptr;
  }
}

// Reports the part of a document that is certain, from its first sentence on.
void Job::settle(std::size_t line, const std::string& text) try {
  partial_[line] = text;
  const std::size_t d = document_of(line);
  std::size_t& next = next_[d];
  if (line > next) return;  // a line before it is not translated yet
  while (next < first_[d + 1] && is_done_[next]) ++next;
  std::vector<Rendering> done;
  for (std::size_t i = first_[d]; i < next; ++i) done.push_back({lines_[i].text});
  settled_(*this, d, documents_[d]->beginning(done, next < first_[d + 1] ? partial_[next] : ""));
} catch (...) {
  if (!error_) error_ = std::current_exception();
}

std::size_t Job::document_of(std::size_t line) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_, line) - first_.begin()) - 1;
}

std::span<const decode::TranslatedLine> Job::lines(std::size_t document) const {
  return std::span(lines_).subspan(first_[document], first_[document + 1] - first_[document]);
}

std::size_t Job::ranks(std::size_t document) const {
  std::size_t most = 1;
  for (const decode::TranslatedLine& line : lines(document)) most = std::max(most, line.hypotheses.size());
  return most;
}

std::string Job::text(std::size_t document, std::size_t rank) const {
  std::vector<Rendering> renderings;
  for (const decode::TranslatedLine& line : lines(document)) {
    renderings.push_back(rendering(line, documents_[document]->wants_links(), rank));
  }
  return documents_[document]->assembled(renderings);
}

Rendering Job::rendering(const decode::TranslatedLine& line, bool links, std::size_t rank) const {
  const model::Tokenizers& tokenizers = model_->service.model().tokenizers;
  const std::size_t at = line.hypotheses.empty() ? 0 : std::min(rank, line.hypotheses.size() - 1);
  return {.text = at > 0 ? tokenizers.target.decode(line.hypotheses[at].tokens) : line.text,
          .links = links && at < line.links.size() ? line.links[at] : std::vector<decode::WordLink>()};
}

}  // namespace dragoman::serve
