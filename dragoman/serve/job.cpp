#include "dragoman/serve/job.h"

#include <algorithm>
#include <utility>

#include "dragoman/decode/alignment.h"
#include "dragoman/serve/refusal.h"

namespace dragoman::serve {

Job::Job(std::shared_ptr<ServedModel> model, std::vector<std::unique_ptr<Document>> documents, const Wishes& wishes)
    : model_(std::move(model)), documents_(std::move(documents)), wishes_(wishes) {
  std::size_t lines = 0;
  for (const auto& document : documents_) {
    first_.push_back(lines);
    lines += document->sentences().size();
  }
  first_.push_back(lines);
  lines_.resize(lines);
  there_.resize(lines);
  partial_.resize(lines);
  left_ = lines;
}

void Job::submit(const std::shared_ptr<Exchange>& exchange, Finished finished, Settled settled) {
  finished_ = std::move(finished);
  settled_ = std::move(settled);
  decode::Order order;
  std::int64_t tokens = 0;
  for (const auto& document : documents_) {
    for (const std::string& sentence : document->sentences()) {
      decode::SourceLine line = wishes_.line;
      line.text = sentence;
      line.trace = line.trace || document->wants_links();
      if (!order.lines.empty()) line.prefix.clear();
      tokens += std::ssize(model_->service.model().tokenizers.source.encode(sentence));
      require_or(413, tokens <= wishes_.most_tokens, "the text has more than ", wishes_.most_tokens,
                 " tokens; divide it.");
      order.lines.push_back(std::move(line));
    }
  }
  if (order.lines.empty()) return finish();
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
  lines_[line] = std::move(outcome.line);
  there_[line] = true;
  if (--left_ == 0) return finish();
  if (settled_ && !error_) settle(line, lines_[line].text);
}

// An answer that cannot be put together (there may be no memory for it) becomes a refusal: a worker, which is busy with
// other requests too, must not hear of it.
void Job::finish() {
  try {
    try {
      finished_(*this);
    } catch (...) {
      error_ = std::current_exception();
      finished_(*this);
    }
  } catch (...) {  // nor a refusal: then the exchange is dropped unanswered, which is status 500
    finished_ = nullptr;
  }
}

// Tells of a document what is certain from its first sentence on.
void Job::settle(std::size_t line, const std::string& text) try {
  partial_[line] = text;
  const std::size_t d = document_of(line);
  std::vector<Rendering> done;
  std::size_t next = first_[d];
  for (; next < first_[d + 1] && there_[next]; ++next) done.push_back({lines_[next].text});
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
          .links = links ? traced_links(line, tokenizers, at) : std::vector<decode::Link>()};
}

std::vector<decode::Link> traced_links(const decode::TranslatedLine& line, const model::Tokenizers& tokenizers,
                                       std::size_t rank) {
  if (!line.trace || !line.hypotheses[rank].finished) return {};
  const decode::Hypothesis& hypothesis = line.hypotheses[rank];
  data::Sentence target = hypothesis.tokens;
  target.push_back(data::kEos);
  return decode::links(decode::by_words(decode::mean_of(line.trace->cross(hypothesis)),
                                        decode::words_of(target, tokenizers.target),
                                        decode::words_of(line.source, tokenizers.source)));
}

}  // namespace dragoman::serve
