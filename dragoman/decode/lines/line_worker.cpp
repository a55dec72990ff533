#include "dragoman/decode/lines/line_worker.h"

#include <algorithm>
#include <utility>

#include "dragoman/base/utf8.h"
#include "dragoman/decode/lines/long_lines.h"
#include "dragoman/decode/lines/suspicion.h"

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

// The random stream of a piece. It also depends on the part of the line that the piece belongs to.
std::uint64_t stream_of(const LineDesk::Line& line, std::size_t piece) {
  constexpr int kPartBits = 16;
  return number_of(line.source.number.value_or(line.number),
                   (static_cast<std::uint64_t>(line.source.part) << kPartBits) + piece);
}

std::vector<Request> requests_for(const LineDesk::Line& line, std::vector<data::Sentence> pieces) {
  RequestOptions options = line.source.options;
  if (pieces.size() > 1 || line.source.part > 0 || line.source.continues) {
    options.trace = options.links = false;  // a line in several pieces has no trace
  }
  std::vector<Request> requests;
  for (data::Sentence& piece : pieces) {
    const std::size_t index = requests.size();
    piece.push_back(kEos);
    requests.push_back({.source = std::move(piece),
                        .prefix = {},
                        .number = number_of(line.number, index),
                        .options = options,
                        .stream = stream_of(line, index)});
  }
  return requests;
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
                       const TranslatorOptions& options, LineDesk& desk)
    : on_(on),
      models_(models),
      options_(options),
      desk_(desk),
      engine_(on, networks_of(models), options.search, engine_limits(options),
              options.traces ? Place::kHost : Place::kUsual) {}

// Takes lines before the engine has places for them, so that it is never short of work. If options_.fair, only as many
// of each client as can enter at once, so that lines of clients that come later need not wait behind them.
void LineWorker::run() {
  const std::int64_t ahead = options_.fair ? (options_.batch_size + 3) / 4 : options_.batch_size;
  const std::int64_t of_all = options_.fair ? kBatchesAhead * options_.batch_size : options_.batch_size;
  while (true) {
    bool closed = false;
    while (engine_.waiting() < of_all) {
      const auto has_few = [&](const std::string& client) { return engine_.waiting(client) < ahead; };
      std::optional<LineDesk::Line> line = desk_.take_of(has_few, engine_.idle());
      closed = !line && engine_.idle();
      if (!line) break;
      line->source.options.trace = line->source.options.trace || options_.traces;
      begin(*line);
    }
    if (desk_.given_up()) return;
    for (const std::int64_t number : desk_.unwanted()) cancel(number);
    if (engine_.idle()) {
      if (closed) return;
      continue;
    }
    desk_.stepped(engine_.under_way());
    collect(engine_.step());
    follow();
  }
}

void LineWorker::begin(const LineDesk::Line& line) {
  const auto& [number, source] = line;
  TranslatedLine at_once;
  at_once.number = number;
  at_once.bad = source.bad || first_invalid_utf8(source.text).has_value();
  if (at_once.bad && options_.bad_line == BadLine::kStop) {
    return desk_.refuse(number, " is not UTF-8 text; mend or remove it, or say --on-bad-line keep or empty.");
  }
  if (at_once.bad && options_.bad_line == BadLine::kKeep) at_once.text = source.text;
  if (at_once.bad) return desk_.finish(std::move(at_once));

  const auto& [from, to] = models_.front()->tokenizers;
  std::vector<Request> requests = requests_for(line, pieces(from.encode(source.text), options_.longest, from));
  const data::Sentence prefix = to.encode(source.prefix);
  if (requests.empty()) {
    return prefix.empty() ? desk_.finish(std::move(at_once))
                          : desk_.refuse(number, " has no text, but a prefix for its translation.");
  }
  const std::int64_t limit = engine_.limit(requests[0]);
  if (!prefix.empty() && std::ssize(prefix) >= limit) {
    return desk_.refuse(number, join(": the prefix of ", prefix.size(), " tokens leaves nothing of a translation ",
                                     "that may have ", limit, "; shorten it or raise --max-extra."));
  }
  requests[0].prefix = prefix;
  try {
    enter(number, std::move(requests));
    under_way_.at(number).options = source.options;
  } catch (const UsageError& error) {  // the engine cannot run the line's own search settings
    cancel(number);
    desk_.refuse(number, join(": ", error.what()));
  }
}

void LineWorker::enter(std::int64_t number, std::vector<Request> requests) {
  Parts& parts = under_way_[number];
  parts.left = requests.size();
  parts.results.resize(parts.left);
  parts.settled.resize(parts.left);
  for (Request& request : requests) {
    parts.sources.push_back(request.source);
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
  std::map<std::int64_t, Parts*> changed;
  for (Settled& settled : engine_.settled()) {
    const auto number = static_cast<std::int64_t>(settled.number >> kPieceBits);
    Parts& parts = under_way_.at(number);
    parts.settled[settled.number & kPieceMask] = std::move(settled.tokens);
    changed[number] = &parts;
  }
  for (const auto& [number, parts] : changed) {
    std::string text = settled_text(*parts);
    if (text.size() <= parts->told.size()) continue;
    parts->told = text;
    desk_.settle(number, text);
  }
}

// The text of all pieces up to the first that is not done, and the certain text of that one.
std::string LineWorker::settled_text(const Parts& parts) const {
  const text::Tokenizer& tokenizer = models_.front()->tokenizers.target;
  std::string text;
  for (std::size_t i = 0; i < parts.results.size(); ++i) {
    const bool done = !parts.results[i].hypotheses.empty();
    append_text(text, done ? tokenizer.decode(parts.results[i].hypotheses.front().tokens)
                           : certain_text(parts.settled[i], tokenizer));
    if (!done) break;
  }
  return text;
}

void LineWorker::collect(std::vector<Result> results) {
  std::vector<TranslatedLine> lines;
  for (Result& result : results) {
    const auto number = static_cast<std::int64_t>(result.number >> kPieceBits);
    const std::size_t piece = result.number & kPieceMask;
    Parts& parts = under_way_.at(number);
    parts.results[piece] = std::move(result);
    if (--parts.left > 0) continue;
    TranslatedLine& line = lines.emplace_back(compose(number, parts));
    if (!parts.options.projections.empty() && line.pieces == 1) project(line, parts.options);
    under_way_.erase(number);
  }
  if (options_.alignment) align(lines);
  for (TranslatedLine& line : lines) desk_.finish(std::move(line));
}

TranslatedLine LineWorker::compose(std::int64_t number, Parts& parts) const {
  TranslatedLine line;
  line.number = number;
  const text::Tokenizer& tokenizer = models_.front()->tokenizers.target;
  line.pieces = static_cast<std::int64_t>(parts.sources.size());
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    const Hypothesis& best = parts.results[i].hypotheses.front();
    append_text(line.text, tokenizer.decode(best.tokens));
    line.log_probability += best.log_probability;
    line.steps += parts.results[i].steps;
    line.score += best.score;
    line.tokens += std::ssize(best.tokens);
    line.finished = line.finished && best.finished;
    line.repeats = line.repeats || repeats_itself(best.tokens);
    line.odd_length = line.odd_length || suspicious_length(parts.sources[i], best.tokens);
  }
  if (line.pieces > 1) return line;
  line.hypotheses = std::move(parts.results[0].hypotheses);
  line.source = std::move(parts.sources[0]);
  if (const std::unique_ptr<Trace> trace = std::move(parts.results[0].trace)) {
    const auto& [from, to] = models_.front()->tokenizers;
    for (const Hypothesis& hypothesis : line.hypotheses) {
      if (parts.options.links) line.links.push_back(traced_links(*trace, hypothesis, line.source, from, to));
    }
    trace->keep_only(line.hypotheses.front());
    if (parts.options.trace) line.trace = std::make_shared<Trace>(std::move(*trace));
  }
  line.target = line.hypotheses.front().tokens;
  line.target.push_back(kEos);
  return line;
}

void LineWorker::project(TranslatedLine& line, const RequestOptions& options) const {
  data::SentencePair pair{line.source, line.target};
  if (!line.finished) pair.target.pop_back();  // the search did not reach EOS
  if (pair.target.empty()) return;
  const ForcedChoice choice{.projections = options.projections, .switched_off = options.heads_off, .attention = false};
  line.projections = look_at(on_, *models_.front()->model, pair, choice).projections;
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
