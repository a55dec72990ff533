#include "dragoman/serve/api/cost.h"

#include <algorithm>

#include "dragoman/decode/lines/line_worker.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::int64_t kLength = 2048;  // tokens of a translation that every server allows
constexpr std::int64_t kWeight = sizeof(float);
constexpr std::int64_t kCandidateText = 140;  // bytes of a candidate of the search in the answer
constexpr std::int64_t kTokenBytes = 40;      // of a token of a result: the token, its row, its text
constexpr std::int64_t kSentenceBytes = 1000;

// The number of heads of a site that a trace of these layers shows. No layers means all.
std::int64_t heads_shown(const std::vector<int>& layers, const nn::AttentionSite& site) {
  const auto is_there = [&](int layer) { return layer < site.layers; };
  return site.heads * (layers.empty() ? site.layers : std::ranges::count_if(layers, is_there));
}

std::int64_t mebibytes(std::int64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; }

}  // namespace

Cost::Cost(const decode::Service& service, const decode::RequestOptions& options, decode::Numbers numbers,
           const CostLimits& limits)
    : options_(options), search_(options.search.value_or(service.options().search)), limits_(limits) {
  const decode::TranslatorOptions& translator = service.options();
  const model::LoadedModel& model = service.model();
  const nn::AttentionSites sites = model.model->sites();
  const decode::EngineLimits engine = decode::engine_limits(translator);
  rows_ = decode::most_rows(search_);
  for (const nn::AttentionSite& site : sites) {
    const bool is_encoder = site.queries == nn::Side::kSource;
    (is_encoder        ? encoder_heads_
     : site.is_cross() ? cross_heads_
                       : decoder_heads_) += heads_shown(options.trace_layers, site);
  }
  for (const nn::Head& head : options.projections) {
    projection_ += 2 * sites[static_cast<std::size_t>(head.site)].d_k;
  }
  number_bytes_ = numbers == decode::Numbers::kPacked ? 6 : 9;
  positions_ = model.model->most_positions();
  longest_ = translator.longest;
  // A request with the settings of the server itself is always allowed.
  const std::int64_t usual = translator.longest + translator.search.max_extra;
  most_length_ = std::max(kLength, usual);
  room_cells_ = Shares::capacity_for(decode::most_cells(translator.search, engine));
  room_tokens_ = Shares::capacity_for(engine.source_tokens);
  most_cells_ =
      std::max(decode::most_cells(translator.search, engine) / 2, decode::most_rows(translator.search) * usual);
}

void Cost::add(std::int64_t tokens, std::int64_t text_bytes) {
  tokens_ += tokens;
  require_or(413, tokens_ <= limits_.tokens, "the text has more than ", limits_.tokens, " tokens; divide it.");
  // A sentence that is too long is translated in pieces. Each has at least half of the allowed length, and none is
  // traced.
  const std::int64_t pieces = tokens <= longest_ ? 1 : tokens / std::max<std::int64_t>(1, longest_ / 2) + 1;
  const std::int64_t length = std::min(positions_, std::min(tokens, longest_) + search_.max_extra);
  check_length(length);
  output_ += rows_ * std::min(pieces * length, tokens + pieces * search_.max_extra);
  require_or(413, output_ <= limits_.output_tokens, "the translations might have more than ", limits_.output_tokens,
             " tokens in all hypotheses; lower max_extra, beam or n_best, or divide the text.");
  kept_ += kSentenceBytes + 4 * text_bytes + (pieces > 1 ? pieces * length * kTokenBytes : 0);
  answer_ += text_bytes;
  if (pieces == 1) {
    add_search(tokens + 1, length);
    keep(tokens + 1, usual_length(tokens));
  }
  check_bytes();
}

// Translations that are longer than this are rare, unless min_length asks for them.
std::int64_t Cost::usual_length(std::int64_t tokens) const {
  const std::int64_t length = std::max<std::int64_t>(search_.min_length, tokens + tokens / 2 + 5);
  return std::min({length, positions_, tokens + search_.max_extra});
}

void Cost::add_result(std::int64_t tokens, std::int64_t length) {
  const std::int64_t usual = usual_length(tokens);
  if (length <= usual) return;
  keep(tokens + 1, usual, -1);
  keep(tokens + 1, length);
  check_bytes();
}

// Adds the memory of the search. Encoder attention has n x n weights, decoder self-attention (step by step) up to
// length x length / 2, and cross-attention length x n; each for every head and layer.
void Cost::add_search(std::int64_t n, std::int64_t length) {
  const std::int64_t past = length * (length + 1) / 2;
  std::int64_t searching = 12 * rows_ * length;  // the words of hypotheses
  if (options_.trace) {
    searching += kWeight * (encoder_heads_ * n * n + rows_ * (cross_heads_ * length * n + decoder_heads_ * past));
  } else if (options_.links) {
    searching += kWeight * rows_ * length * n;
    largest_ = std::max(largest_, 3 * kWeight * length * n);
  }
  searching_ += searching;
  const auto share_of = [&](std::int64_t count) {
    return static_cast<double>(searching) / static_cast<double>(std::max<std::int64_t>(1, count));
  };
  most_a_cell_ = std::max(most_a_cell_, share_of(rows_ * length));
  most_a_token_ = std::max(most_a_token_, share_of(n));
}

// Adds the memory of the result (`times` = 1) or subtracts it (-1): the same weights, but of one hypothesis only, in
// memory and as text in the answer.
void Cost::keep(std::int64_t n, std::int64_t length, int times) {
  std::int64_t kept = length * kTokenBytes * search_.n_best, answer = length * 8 * search_.n_best;
  if (options_.trace) {
    const std::int64_t encoder = encoder_heads_ * n * n, cross = cross_heads_ * length * n;
    const std::int64_t decoder = decoder_heads_ * length * length;
    const std::int64_t candidates = 2 * rows_ * length;
    kept += kWeight * (encoder + cross + decoder / 2) + candidates * std::int64_t{sizeof(decode::Candidate)};
    answer += number_bytes_ * (encoder + cross + decoder) + kCandidateText * candidates;
    largest_ = std::max(largest_, (kWeight + 6) * std::max(cross, decoder));
  }
  if (projection_ > 0) {
    const std::int64_t numbers = projection_ * std::max(n, length);
    kept += kWeight * numbers;
    answer += 3 * 6 * numbers;  // as text inside a value, which is then text in the answer
  }
  kept_ += times * kept;
  answer_ += times * answer;
}

// The engine does not search more sentences at once than it has capacity for. The answer exists twice when it is handed
// over. Searching and answering do not overlap, so the larger of the two counts.
std::int64_t Cost::bytes() const {
  const auto room = static_cast<std::int64_t>(
      std::min(most_a_cell_ * static_cast<double>(room_cells_), most_a_token_ * static_cast<double>(room_tokens_)));
  return kept_ + std::max(std::min(searching_, room), 2 * answer_ + largest_);
}

void Cost::check_length(std::int64_t length) const {
  require_or(413, length <= most_length_, "a translation of ", length, " tokens was allowed for, where ", most_length_,
             " are the most; lower max_extra.");
  require_or(413, rows_ * length <= most_cells_, rows_, " hypotheses of ", length, " tokens need room for ",
             rows_ * length, " tokens, where ", most_cells_, " are the most; lower ",
             search_.method == decode::Method::kBeam ? "beam" : "n_best", " or max_extra, or shorten the sentence.");
}

void Cost::check_bytes() const {
  const char* advice = options_.trace   ? "; shorten the text, lower max_extra or beam, or ask for some of the layers."
                       : options_.links ? "; shorten the sentences, or ask for fewer alternatives."
                                        : "; divide it, or lower max_extra, beam or n_best.";
  require_or(413, bytes() <= limits_.bytes, "this request might take ", mebibytes(bytes()), " MiB, where ",
             mebibytes(limits_.bytes), " are the most", advice);
}

}  // namespace dragoman::serve
