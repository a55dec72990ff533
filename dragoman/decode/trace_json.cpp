#include "dragoman/decode/trace_json.h"

#include <fmt/format.h>

#include <iterator>

#include "dragoman/base/fields_json.h"

namespace dragoman::decode {
namespace {

Json pieces_of(const data::Sentence& tokens, const text::Tokenizer& tokenizer) {
  Json pieces = Json::array();
  for (const std::int32_t token : tokens) pieces.push_back(tokenizer.piece(token));
  return pieces;
}

// Written by hand: a JSON value for every weight would take far more room than the weights.
void append(std::string& text, const Attention& attention) {
  auto out = std::back_inserter(text);
  const auto list = [&](std::int64_t count, const auto& element) {
    text += '[';
    for (std::int64_t i = 0; i < count; ++i) {
      if (i > 0) text += ',';
      element(i);
    }
    text += ']';
  };
  list(attention.layers, [&](std::int64_t layer) {
    list(attention.heads, [&](std::int64_t head) {
      list(attention.queries, [&](std::int64_t query) {
        list(attention.keys, [&](std::int64_t key) {
          const float weight = attention.at(layer, head, query, key);
          weight == 0 ? fmt::format_to(out, "0") : fmt::format_to(out, "{:.6f}", weight);
        });
      });
    });
  });
}

Json beam_of(const Trace& trace, const text::Tokenizer& tokenizer) {
  Json steps = Json::array();
  for (const auto& candidates : trace.candidates) {
    Json& step = steps.emplace_back(Json::array());
    for (const Candidate& candidate : candidates) {
      step.push_back({{"from", candidate.row},
                      {"token", tokenizer.piece(candidate.word)},
                      {"id", candidate.word},
                      {"logp", candidate.log_probability},
                      {"score", candidate.score},
                      {"fate", to_string(candidate.fate)}});
    }
  }
  return steps;
}

}  // namespace

std::string trace_json(const TranslatedLine& line, const model::Tokenizers& tokenizers,
                       const SearchSettings& settings) {
  Json head = Json::object();
  head["line"] = line.number;
  head["src"] = pieces_of(line.source, tokenizers.source);
  head["tgt"] = pieces_of(line.target, tokenizers.target);
  head["text"] = line.text;
  head["score"] = line.score;
  head["logp"] = line.log_probability;
  head["norm"] = fmt::format("{}:{}", to_string(settings.length_norm), settings.alpha);
  head["finished"] = line.finished;
  std::string text = head.dump();
  if (!line.trace) return text;
  text.pop_back();
  text += R"(,"attention":{"encoder":)";
  append(text, line.trace->encoder);
  text += R"(,"decoder":)";
  append(text, line.trace->decoder(line.hypotheses.front()));
  text += R"(,"cross":)";
  append(text, line.trace->cross(line.hypotheses.front()));
  text += R"(},"beam":)" + beam_of(*line.trace, tokenizers.target).dump() + "}";
  return text;
}

}  // namespace dragoman::decode
