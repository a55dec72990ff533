#include "dragoman/decode/line_worker.h"

#include <algorithm>
#include <utility>

#include "dragoman/base/utf8.h"
#include "dragoman/decode/long_lines.h"
#include "dragoman/decode/suspicion.h"

namespace dragoman::decode {
namespace {

// A request's number says which piece of which line it is.
constexpr int kPieceBits = 24;

std::vector<const model::Seq2Seq*> transformers(const std::vector<const model::LoadedModel*>& models) {
  std::vector<const model::Seq2Seq*> transformers;
  for (const model::LoadedModel* model : models) transformers.push_back(&model->transformer);
  return transformers;
}

EngineLimits limits(const TranslatorOptions& options) {
  return {.sentences = options.batch_size, .source_tokens = std::max(options.batch_tokens, options.longest + 1)};
}

}  // namespace

LineWorker::LineWorker(Backend& on, const std::vector<const model::LoadedModel*>& models,
                       const TranslatorOptions& options, Pipeline& pipeline)
    : on_(on),
      models_(models),
      options_(options),
      pipeline_(pipeline),
      engine_(on, transformers(models), options.search, limits(options), options.traces) {}

void LineWorker::run() {
  while (true) {
    while (engine_.waiting() < options_.batch_size) {
      const std::optional<Pipeline::Line> line = pipeline_.take(engine_.idle());
      if (!line) break;
      begin(*line);
    }
    if (engine_.idle()) return;
    collect(engine_.step());
  }
}

void LineWorker::begin(const Pipeline::Line& line) {
  TranslatedLine at_once;
  at_once.number = line.number;
  at_once.bad = first_invalid_utf8(line.text).has_value();
  if (at_once.bad) {
    if (options_.bad_line == BadLine::kKeep) at_once.text = line.text;
    return pipeline_.finish(std::move(at_once));
  }
  const text::Tokenizer& tokenizer = models_.front()->tokenizers.source;
  Parts parts{.sources = pieces(tokenizer.encode(line.text), options_.longest, tokenizer), .results = {}};
  if (parts.sources.empty()) return pipeline_.finish(std::move(at_once));
  parts.left = parts.sources.size();
  parts.results.resize(parts.left);
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    parts.sources[i].push_back(data::kEos);
    engine_.add({.source = parts.sources[i],
                 .prefix = {},
                 .number = static_cast<std::uint64_t>(line.number) << kPieceBits | i});
  }
  under_way_.emplace(line.number, std::move(parts));
}

void LineWorker::collect(std::vector<Result> results) {
  std::vector<TranslatedLine> lines;
  for (Result& result : results) {
    const auto number = static_cast<std::int64_t>(result.number >> kPieceBits);
    const std::size_t piece = result.number & ((1U << kPieceBits) - 1);
    Parts& parts = under_way_.at(number);
    parts.results[piece] = std::move(result);
    if (--parts.left > 0) continue;
    lines.push_back(compose(number, parts));
    under_way_.erase(number);
  }
  if (options_.alignment) align(lines);
  for (TranslatedLine& line : lines) pipeline_.finish(std::move(line));
}

TranslatedLine LineWorker::compose(std::int64_t number, Parts& parts) const {
  TranslatedLine line;
  line.number = number;
  const text::Tokenizer& tokenizer = models_.front()->tokenizers.target;
  line.pieces = static_cast<std::int64_t>(parts.sources.size());
  for (std::size_t i = 0; i < parts.sources.size(); ++i) {
    const Hypothesis& best = parts.results[i].hypotheses.front();
    const std::string text = tokenizer.decode(best.tokens);
    if (!line.text.empty() && !text.empty()) line.text += ' ';
    line.text += text;
    line.log_probability += best.log_probability;
    line.steps += parts.results[i].steps;
    line.score += best.score;
    line.finished = line.finished && best.finished;
    line.repeats = line.repeats || repeats_itself(best.tokens);
    line.odd_length = line.odd_length || suspicious_length(parts.sources[i], best.tokens);
  }
  if (line.pieces > 1) return line;
  line.hypotheses = std::move(parts.results[0].hypotheses);
  line.trace = std::move(parts.results[0].trace);
  line.source = std::move(parts.sources[0]);
  line.target = line.hypotheses.front().tokens;
  line.target.push_back(data::kEos);
  return line;
}

// What the decoder looked at when it chose the words: the same numbers as in the search, because a whole sentence is
// computed with the bits of its steps.
void LineWorker::align(std::vector<TranslatedLine>& lines) const {
  std::vector<data::SentencePair> pairs;
  std::vector<TranslatedLine*> aligned;
  for (TranslatedLine& line : lines) {
    if (line.source.empty()) continue;
    pairs.push_back({line.source, line.target});
    aligned.push_back(&line);
  }
  std::vector<AttentionMap> maps = cross_attention(on_, models_.front()->transformer, pairs, *options_.alignment);
  for (std::size_t i = 0; i < aligned.size(); ++i) aligned[i]->attention = std::move(maps[i]);
}

}  // namespace dragoman::decode
