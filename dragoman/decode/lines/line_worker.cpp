#include "dragoman/decode/lines/line_worker.h"

#include <algorithm>
#include <utility>

#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"
#include "dragoman/decode/lines/long_lines.h"
#include "dragoman/decode/lines/suspicion.h"
#include "dragoman/text/characters.h"

namespace dragoman::decode {
namespace {

// A request's number consists of the number of its line (high bits) and the index of its piece (low bits). The bits
// suffice for the pieces, because a line has fewer bytes than 2^31.
constexpr int kPieceBits = 31;
constexpr std::uint64_t kPieceMask = (std::uint64_t{1} << kPieceBits) - 1;
constexpr std::int64_t kBatchesAhead = 4;  // batches of lines, of all clients, that may wait in the engine

std::vector<const model::Seq2Seq*> networks_of(const std::vector<const model::LoadedModel*>& models) {
  std::vector<const model::Seq2Seq*> networks;
  for (const model::LoadedModel* model : models) networks.push_back(model->model.get());
  return networks;
}

std::uint64_t number_of(std::int64_t line, std::size_t piece) {
  return static_cast<std::uint64_t>(line) << kPieceBits | piece;
}

// The number of a piece's random stream: the number of its line, the part of the line, and the index of the piece in
// that part, in the lowest 16 bits. If a line comes in several parts, these bits suffice: a part has at most 2^16 bytes
// (kPartBytes), so it has at most 2^16 pieces.
std::uint64_t stream_of(const LineQueue::Line& line, std::size_t piece) {
  constexpr int kPartBits = 16;
  return number_of(line.source.number.value_or(line.number),
                   (static_cast<std::uint64_t>(line.source.part) << kPartBits) + piece);
}

std::vector<TranslationRequest> requests_for(const LineQueue::Line& line, std::vector<data::Sentence> pieces,
                                             const text::Tokenizer& tokenizer) {
  RequestOptions options = line.source.options;
  if (pieces.size() > 1 || line.source.part > 0 || line.source.continues) {
    options.trace = options.links = false;  // a line in several pieces has no trace
  }
  std::vector<TranslationRequest> requests;
  for (data::Sentence& piece : pieces) {
    const std::size_t index = requests.size();
    requests.push_back({.source = tokenizer.with_end(std::move(piece)),
                        .prefix = {},
                        .number = number_of(line.number, index),
                        .options = options,
                        .stream = stream_of(line, index)});
  }
  return requests;
}

// Lets the translation begin with the first token of its tokenizer, if there is one.
void begin_with_first(TranslationRequest& request, const text::Tokenizer& tokenizer) {
  const std::optional<std::int32_t> first = tokenizer.first();
  if (!first) return;
  if (request.prefix.empty() || request.prefix.front() != *first) request.prefix.insert(request.prefix.begin(), *first);
  request.given = 1;
}

// The text of the tokens without trailing byte tokens, because these may be the beginning of a character whose other
// bytes are still to come.
std::string certain_text(data::Sentence tokens, const text::Tokenizer& tokenizer) {
  while (!tokens.empty() && tokenizer.is_byte(tokens.back())) tokens.pop_back();
  return tokenizer.decode(tokens);
}

}  // namespace

EngineLimits engine_limits(const TranslatorOptions& options) {
  return {.sentences = options.batch_size,
          .source_tokens = std::max(options.batch_tokens, options.longest + 1),
          .fair = options.fair};
}

LineWorker::LineWorker(Backend& on, const std::vector<const model::LoadedModel*>& models,
                       const text::KnownWords& known_words, const TranslatorOptions& options, LineQueue& queue)
    : on_(on),
      models_(models),
      known_words_(known_words),
      options_(options),
      queue_(queue),
      engine_(on, networks_of(models), options.search, engine_limits(options),
              options.traces ? Place::kHost : Place::kAutomatic) {}

// Takes lines before the engine has places for them, so that it is never short of work. If options_.fair, at most a
// quarter of a batch of each client's lines waits in the engine, so that lines of clients that come later need not wait
// behind them.
void LineWorker::run() {
  const std::int64_t max_per_client = options_.fair ? (options_.batch_size + 3) / 4 : options_.batch_size;
  const std::int64_t max_waiting = options_.fair ? kBatchesAhead * options_.batch_size : options_.batch_size;
  while (true) {
    bool closed = false;
    while (engine_.waiting() < max_waiting) {
      const auto has_few = [&](const std::string& client) { return engine_.waiting(client) < max_per_client; };
      std::optional<LineQueue::Line> line = queue_.take_of(has_few, engine_.idle());
      closed = !line && engine_.idle();  // take_of() has waited, so no more lines will come
      if (!line) break;
      line->source.options.trace = line->source.options.trace || options_.traces;
      begin(*line);
    }
    if (queue_.given_up()) return;
    for (const std::int64_t number : queue_.take_cancelled()) cancel(number);
    if (engine_.idle()) {
      if (closed) return;
      continue;
    }
    queue_.count_step(engine_.under_way());
    collect(engine_.step());
    follow();
  }
}

void LineWorker::begin(const LineQueue::Line& line) {
  const auto& [number, source] = line;
  TranslatedLine untranslated;
  untranslated.number = number;
  untranslated.bad = source.bad || first_invalid_utf8(source.text).has_value();
  if (untranslated.bad && options_.bad_line == BadLine::kStop) {
    return queue_.refuse(number, " is not UTF-8 text; " + options_.bad_line_advice);
  }
  if (untranslated.bad && options_.bad_line == BadLine::kKeep) untranslated.text = source.text;
  if (untranslated.bad) return queue_.finish(std::move(untranslated));

  const auto& [from, to] = models_.front()->tokenizers;
  std::vector<TranslationRequest> requests = requests_for(line, pieces_of(source), from);
  const data::Sentence prefix = source.prefix_ids.empty() ? to.encode(source.prefix) : source.prefix_ids;
  if (requests.empty()) {
    return prefix.empty() ? queue_.finish(std::move(untranslated))
                          : queue_.refuse(number, " has no text, but a prefix for its translation.");
  }
  const std::int64_t limit = engine_.limit(requests[0]);
  if (!prefix.empty() && std::ssize(prefix) >= limit) {
    return queue_.refuse(number, join(": the prefix of ", counted(std::ssize(prefix), "token"),
                                      " leaves no room in a translation of at most ", counted(limit, "token"),
                                      "; shorten it or raise --max-extra."));
  }
  requests[0].prefix = prefix;
  for (TranslationRequest& request : requests) begin_with_first(request, to);
  try {
    enter(number, std::move(requests));
    under_way_.at(number).options = source.options;
    under_way_.at(number).unseen = known_words_.unseen(source.text);
  } catch (const UsageError& error) {  // the engine cannot run the line's own search settings
    cancel(number);
    queue_.refuse(number, join(": ", error.what()));
  }
}

// The tokens of the text, in pieces if it is too long. Such a text has many sentences, but a client of a service (fair)
// sends single ones, and pays for the pieces that these can have. Hardly a sentence has more than kLongSentence tokens,
// and a longer piece would take much longer: attention costs the square of its length, and fewer fit into a batch.
std::vector<data::Sentence> LineWorker::pieces_of(const SourceLine& source) const {
  constexpr std::int64_t kLongSentence = 256;
  const model::LoadedModel& model = *models_.front();
  const text::Tokenizer& from = model.tokenizers.source;
  // Some tokenizers make tokens of invisible characters, of which a model would invent a sentence.
  if (text::is_blank(source.text)) return {};
  const data::Sentence tokens = from.encode(source.text);
  const bool is_short = std::ssize(tokens) <= options_.longest && !source.continues && source.part == 0;
  if (is_short || options_.fair) return pieces(tokens, options_.longest, from);
  return pieces_of_sentences(source.text, std::min(options_.longest, kLongSentence), from, model.info.source_language);
}

void LineWorker::enter(std::int64_t number, std::vector<TranslationRequest> requests) {
  ActiveLine& active = under_way_[number];
  active.left = requests.size();
  active.results.resize(active.left);
  active.settled.resize(active.left);
  for (TranslationRequest& request : requests) {
    active.sources.push_back(request.source);
    engine_.add(std::move(request));
  }
}

void LineWorker::cancel(std::int64_t number) {
  const auto found = under_way_.find(number);
  if (found == under_way_.end()) return;
  for (std::size_t piece = 0; piece < found->second.results.size(); ++piece) engine_.cancel(number_of(number, piece));
  under_way_.erase(found);
}

// Reports the text that has become certain, for lines that are followed.
void LineWorker::follow() {
  std::map<std::int64_t, ActiveLine*> changed;
  for (Settled& settled : engine_.settled()) {
    const auto number = static_cast<std::int64_t>(settled.number >> kPieceBits);
    ActiveLine& active = under_way_.at(number);
    active.settled[settled.number & kPieceMask] = std::move(settled.tokens);
    changed[number] = &active;
  }
  for (const auto& [number, active] : changed) {
    std::string text = settled_text(*active);
    if (text.size() <= active->reported.size()) continue;
    active->reported = text;
    queue_.report_settled(number, text);
  }
}

// The text of all pieces up to the first that is not done, and the certain text of that one.
std::string LineWorker::settled_text(const ActiveLine& active) const {
  const text::Tokenizer& tokenizer = models_.front()->tokenizers.target;
  std::string text;
  for (std::size_t i = 0; i < active.results.size(); ++i) {
    const bool done = !active.results[i].hypotheses.empty();
    append_text(text, done ? tokenizer.decode(active.results[i].hypotheses.front().tokens)
                           : certain_text(active.settled[i], tokenizer));
    if (!done) break;
  }
  return text;
}

void LineWorker::collect(std::vector<Result> results) {
  std::vector<TranslatedLine> lines;
  for (Result& result : results) {
    const auto number = static_cast<std::int64_t>(result.number >> kPieceBits);
    const std::size_t piece = result.number & kPieceMask;
    ActiveLine& active = under_way_.at(number);
    active.results[piece] = std::move(result);
    if (--active.left > 0) continue;
    TranslatedLine& line = lines.emplace_back(compose(number, active));
    if (line.pieces == 1 && !line.failed) look_inside(line, active.options);
    under_way_.erase(number);
  }
  if (options_.alignment) align(lines);
  for (TranslatedLine& line : lines) queue_.finish(std::move(line));
}

TranslatedLine LineWorker::compose(std::int64_t number, ActiveLine& active) const {
  TranslatedLine line;
  line.number = number;
  const text::Tokenizer& tokenizer = models_.front()->tokenizers.target;
  line.pieces = static_cast<std::int64_t>(active.sources.size());
  line.failed = std::ranges::any_of(active.results, &Result::failed);
  if (line.failed) return line;
  line.unseen = std::move(active.unseen);
  for (std::size_t i = 0; i < active.sources.size(); ++i) {
    const Hypothesis& best = active.results[i].hypotheses.front();
    append_text(line.text, tokenizer.decode(best.tokens));
    line.log_probability += best.log_probability;
    line.steps += active.results[i].steps;
    line.score += best.score;
    line.tokens += std::ssize(best.tokens);
    line.finished = line.finished && best.finished;
    line.repeats = line.repeats || repeats_itself(best.tokens);
    line.odd_length = line.odd_length || suspicious_length(active.sources[i], best.tokens);
    line.unknown = line.unknown || has_unknown(active.sources[i]);
  }
  if (line.pieces > 1) return line;
  line.hypotheses = std::move(active.results[0].hypotheses);
  line.source = std::move(active.sources[0]);
  if (const std::unique_ptr<Trace> trace = std::move(active.results[0].trace)) {
    const auto& [from, to] = models_.front()->tokenizers;
    for (const Hypothesis& hypothesis : line.hypotheses) {
      if (active.options.links) line.links.push_back(traced_links(*trace, hypothesis, line.source, from, to));
    }
    trace->keep_only(line.hypotheses.front());
    if (active.options.trace) line.trace = std::make_shared<Trace>(std::move(*trace));
  }
  line.target = line.hypotheses.front().tokens;
  line.target.push_back(kEos);
  return line;
}

void LineWorker::look_inside(TranslatedLine& line, const RequestOptions& options) const {
  const bool pondering = line.trace != nullptr && models_.front()->model->halts();
  if (options.projections.empty() && options.next_words.count == 0 && !options.steps && !pondering) return;
  data::SentencePair pair{line.source, line.target};
  if (!line.finished) pair.target.pop_back();  // the search did not reach EOS
  if (pair.target.empty()) return;
  const ForcedChoice choice{.projections = options.projections,
                            .switched_off = options.heads_off,
                            .attention = false,
                            .next_words = options.next_words,
                            .steps = options.steps};
  Forced forced = run_forced(on_, *models_.front()->model, pair, choice);
  line.projections = std::move(forced.projections);
  line.next_words = std::move(forced.next_words);
  line.layer_words = std::move(forced.layer_words);
  line.layer_steps = std::move(forced.steps);
  if (pondering) line.pondering = std::move(forced.pondering);
}

// The attention is computed again by teacher forcing. It is the attention of the search, bit for bit.
void LineWorker::align(std::vector<TranslatedLine>& lines) const {
  std::vector<data::SentencePair> pairs;
  std::vector<TranslatedLine*> aligned;
  for (TranslatedLine& line : lines) {
    if (line.source.empty()) continue;
    pairs.push_back({line.source, line.target});
    aligned.push_back(&line);
  }
  std::vector<AttentionMap> maps = cross_attention(on_, *models_.front()->model, pairs, *options_.alignment);
  for (std::size_t i = 0; i < aligned.size(); ++i) aligned[i]->attention = std::move(maps[i]);
}

}  // namespace dragoman::decode
