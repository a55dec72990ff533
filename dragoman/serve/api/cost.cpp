#include "dragoman/serve/api/cost.h"

#include <algorithm>

#include "dragoman/base/strings.h"
#include "dragoman/decode/lines/line_worker.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::int64_t kAlwaysAllowedLength = 2048;  // tokens of a translation that every server allows
constexpr std::int64_t kWeightBytes = sizeof(float);
constexpr std::int64_t kCandidateTextBytes = 140;  // of a candidate of the search, as text in the answer
constexpr std::int64_t kTokenBytes = 40;           // of a token of a result: the token, its row, its text
constexpr std::int64_t kSentenceBytes = 1000;

constexpr std::int64_t kPackedBytes = 3 * 6;  // base64, held three times: in a JSON value, in its text, in the answer
// The vectors that the steps of a query have besides those of heads and units, in widths of the model. The hidden units
// of a feed-forward network count as eight of them.
constexpr std::int64_t kStepsVectors = 20;

constexpr std::int64_t kNextWordBytes = 150;  // of a likely word: in memory, as a JSON value, and as text
// While next words are found, the probabilities of all words are there for some rows, as float32 on the device and on
// the host, and as float64 with their order for one row.
constexpr std::int64_t kNextWordsRows = 33, kNextWordsNumberBytes = 12;

std::int64_t decoder_layers(const nn::AttentionSites& sites) {
  std::int64_t layers = 0;
  for (const nn::AttentionSite& site : sites) {
    if (site.queries == nn::Side::kTarget) layers = std::max<std::int64_t>(layers, site.layers);
  }
  return layers;
}

// The number of heads that a trace of the given layers shows at a site, summed over these layers. An empty list means
// all layers.
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
  rows_ = decode::max_rows(search_);
  for (const nn::AttentionSite& site : sites) {
    const bool is_encoder = site.queries == nn::Side::kSource;
    (is_encoder        ? encoder_heads_
     : site.is_cross() ? cross_heads_
                       : decoder_heads_) += heads_shown(options.trace_layers, site);
  }
  for (const nn::Head& head : options.projections) {
    projection_numbers_ += 2 * sites[static_cast<std::size_t>(head.site)].d_k;
  }
  if (options.next_words.count > 0) {
    const std::int64_t layers = options.next_words.layers ? decoder_layers(sites) : 0;
    next_words_ = (layers + 1) * options.next_words.count;
    largest_copy_ = kNextWordsRows * model.model->target_vocabulary() * kNextWordsNumberBytes;
  }
  width_ = model.info.config.width();
  if (options.steps) steps_heads_ = sites[static_cast<std::size_t>(options.steps->site)].heads;
  number_bytes_ = numbers == decode::Numbers::kPacked ? 6 : 9;  // base64, or as in "0.123456,"
  max_positions_ = model.model->max_positions();
  longest_piece_ = translator.longest;
  // A request with the settings of the server itself is always allowed.
  const std::int64_t default_length = translator.longest + translator.search.max_extra;
  max_length_ = std::max(kAlwaysAllowedLength, default_length);
  engine_cells_ = Shares::capacity_for(decode::max_cells(translator.search, engine));
  engine_tokens_ = Shares::capacity_for(engine.source_tokens);
  max_cells_ =
      std::max(decode::max_cells(translator.search, engine) / 2, decode::max_rows(translator.search) * default_length);
}

void Cost::add(std::int64_t tokens, std::int64_t text_bytes) {
  tokens_ += tokens;
  require_or(413, tokens_ <= limits_.tokens, "the text has more than ", counted(limits_.tokens, "token"),
             "; divide it.");
  // A sentence that is too long is translated in pieces. Each has at least half of the allowed length, and none is
  // traced.
  const std::int64_t pieces = tokens <= longest_piece_ ? 1 : tokens / std::max<std::int64_t>(1, longest_piece_ / 2) + 1;
  const std::int64_t length = std::min(max_positions_, std::min(tokens, longest_piece_) + search_.max_extra);
  check_length(length);
  output_tokens_ += rows_ * std::min(pieces * length, tokens + pieces * search_.max_extra);
  require_or(413, output_tokens_ <= limits_.output_tokens, "the translations might have more than ",
             counted(limits_.output_tokens, "token"),
             " in all hypotheses; lower max_extra, beam or n_best, or divide the text.");
  kept_bytes_ += kSentenceBytes + 4 * text_bytes + (pieces > 1 ? pieces * length * kTokenBytes : 0);
  answer_bytes_ += text_bytes;
  if (pieces == 1) {
    add_search(tokens + 1, length);
    add_kept(tokens + 1, usual_length(tokens));
  }
  check_bytes();
}

// A length that few translations exceed, and at least min_length, as far as the limits of the model and the search
// allow it.
std::int64_t Cost::usual_length(std::int64_t tokens) const {
  const std::int64_t length = std::max<std::int64_t>(search_.min_length, tokens + tokens / 2 + 5);
  return std::min({length, max_positions_, tokens + search_.max_extra});
}

void Cost::add_result(std::int64_t tokens, std::int64_t length) {
  const std::int64_t usual = usual_length(tokens);
  if (length <= usual) return;
  add_kept(tokens + 1, usual, -1);
  add_kept(tokens + 1, length);
  check_bytes();
}

// Adds the memory of the search. Encoder attention has n x n weights, decoder self-attention (step by step) up to
// length x length / 2, and cross-attention length x n; each for every head and layer.
void Cost::add_search(std::int64_t n, std::int64_t length) {
  const std::int64_t past = length * (length + 1) / 2;
  std::int64_t searching = 12 * rows_ * length;  // the tokens of the hypotheses, 12 bytes each
  if (options_.trace) {
    searching += kWeightBytes * (encoder_heads_ * n * n + rows_ * (cross_heads_ * length * n + decoder_heads_ * past));
  } else if (options_.links) {
    searching += kWeightBytes * rows_ * length * n;
    largest_copy_ = std::max(largest_copy_, 3 * kWeightBytes * length * n);
  }
  search_bytes_ += searching;
  const auto share_of = [&](std::int64_t count) {
    return static_cast<double>(searching) / static_cast<double>(std::max<std::int64_t>(1, count));
  };
  max_bytes_per_cell_ = std::max(max_bytes_per_cell_, share_of(rows_ * length));
  max_bytes_per_token_ = std::max(max_bytes_per_token_, share_of(n));
}

// Adds the memory of the result (`times` = 1) or subtracts it (-1). It has the same weights as in add_search, but only
// those of one hypothesis. They are held in memory, and again as text in the answer.
void Cost::add_kept(std::int64_t n, std::int64_t length, int times) {
  std::int64_t kept = length * kTokenBytes * search_.n_best, answer = length * 8 * search_.n_best;
  if (options_.trace) {
    const std::int64_t encoder = encoder_heads_ * n * n, cross = cross_heads_ * length * n;
    const std::int64_t decoder = decoder_heads_ * length * length;
    const std::int64_t candidates = 2 * rows_ * length;
    kept += kWeightBytes * (encoder + cross + decoder / 2) + candidates * std::int64_t{sizeof(decode::Candidate)};
    answer += number_bytes_ * (encoder + cross + decoder) + kCandidateTextBytes * candidates;
    largest_copy_ = std::max(largest_copy_, (kWeightBytes + 6) * std::max(cross, decoder));
  }
  if (projection_numbers_ > 0) {
    const std::int64_t numbers = projection_numbers_ * std::max(n, length);
    kept += kWeightBytes * numbers;
    answer += kPackedBytes * numbers;
  }
  if (options_.steps) {
    kept += kWeightBytes * steps_numbers(std::max(n, length));
    answer += kPackedBytes * steps_numbers(std::max(n, length));
  }
  kept += length * next_words_ * std::int64_t{sizeof(decode::NextWord::Candidate)};
  answer += length * next_words_ * kNextWordBytes;
  kept_bytes_ += times * kept;
  answer_bytes_ += times * answer;
}

// The numbers in the steps of a sentence with this number of tokens: its values, and for each query the weights,
// outputs and contributions of the heads, the weights and contributions of units, and other vectors.
std::int64_t Cost::steps_numbers(std::int64_t tokens) const {
  const std::int64_t queries = options_.steps->query ? 1 : tokens;
  const std::int64_t vectors = steps_heads_ + 2 * options_.steps->units + kStepsVectors;
  return tokens * width_ + queries * (steps_heads_ * tokens + vectors * width_);
}

// The engine does not search more sentences at once than it has capacity for. While the answer is handed over, two
// copies of it exist. Searching and answering do not overlap, so the larger of the two counts.
std::int64_t Cost::bytes() const {
  const auto engine_bytes =
      static_cast<std::int64_t>(std::min(max_bytes_per_cell_ * static_cast<double>(engine_cells_),
                                         max_bytes_per_token_ * static_cast<double>(engine_tokens_)));
  return kept_bytes_ + std::max(std::min(search_bytes_, engine_bytes), 2 * answer_bytes_ + largest_copy_);
}

void Cost::check_length(std::int64_t length) const {
  require_or(413, length <= max_length_, "the settings allow a translation of ", counted(length, "token"),
             ", but the limit is ", max_length_, "; lower max_extra.");
  require_or(413, rows_ * length <= max_cells_, "a search with ", counted(rows_, "hypothesis", "hypotheses"), " of ",
             counted(length, "token"), " needs room for ", counted(rows_ * length, "token"), ", but the limit is ",
             max_cells_, "; lower ", search_.method == decode::Method::kBeam ? "beam" : "n_best",
             " or max_extra, or shorten the sentence.");
}

void Cost::check_bytes() const {
  const char* advice = options_.trace   ? "; shorten the text, lower max_extra or beam, or ask for some of the layers."
                       : options_.links ? "; shorten the sentences, or ask for fewer alternatives."
                                        : "; divide it, or lower max_extra, beam or n_best.";
  require_or(413, bytes() <= limits_.bytes, "this request might take ", mebibytes(bytes()), " MiB, but the limit is ",
             mebibytes(limits_.bytes), " MiB", advice);
}

}  // namespace dragoman::serve
