#include "dragoman/decode/lines/trace_json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "dragoman/base/base64.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/decode/lines/steps_json.h"

namespace dragoman::decode {
namespace {

using GiveUp = std::function<bool()>;

void throw_if_given_up(const GiveUp& give_up) { require<Error>(!give_up || !give_up(), "the request was cancelled."); }

// Writes the text directly, because a Json value for every weight would take far more memory than the weights.
void append_lists(std::string& text, const Attention& attention, const GiveUp& give_up) {
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
      throw_if_given_up(give_up);
      list(attention.queries, [&](std::int64_t query) {
        list(attention.keys, [&](std::int64_t key) {
          const float weight = attention.at(layer, head, query, key);
          weight == 0 ? fmt::format_to(out, "0") : fmt::format_to(out, "{:.6f}", weight);
        });
      });
    });
  });
}

void append(std::string& text, const Attention& attention, Numbers numbers, std::span<const int> layers,
            const GiveUp& give_up) {
  if (numbers == Numbers::kLists) return append_lists(text, attention, give_up);
  throw_if_given_up(give_up);
  Json sizes{{"layers", attention.layers},
             {"heads", attention.heads},
             {"queries", attention.queries},
             {"keys", attention.keys}};
  for (const int layer : layers) sizes["which"].push_back(layer + 1);
  text += sizes.dump();
  text.back() = ',';  // instead of the closing brace
  text += R"("packed":")";
  text += base64(attention.weights);
  text += "\"}";
}

// {"encoder": ..., "cross": ...}: calls append_site(site) for the value of each.
template <class Append>
void append_sites(std::string& text, const nn::AttentionSites& sites, const Append& append_site) {
  text += '{';
  for (std::size_t site = 0; site < sites.size(); ++site) {
    text += (site > 0 ? "," : "") + Json(sites[site].name).dump() + ':';
    append_site(site);
  }
  text += '}';
}

Json projections_json(const std::vector<HeadProjections>& projections, const nn::AttentionSites& sites) {
  Json list = Json::array();
  for (const auto& [head, d_k, Q, K, v] : projections) {
    list.push_back({{"attention", sites[static_cast<std::size_t>(head.site)].name},
                    {"layer", head.layer + 1},
                    {"head", head.head + 1},
                    {"q", matrix_json(Q, d_k)},
                    {"k", matrix_json(K, d_k)}});
    if (!v.empty()) list.back()["v"] = base64(v);
  }
  return list;
}

// [{"id": 7, "p": 0.5, "rank": 0, "words": [{"token": "▁the", "id": 7, "p": 0.5}, ...]}, ...]: one entry for each
// position.
Json pondering_json(const Pondering& pondering) {
  const auto side = [](const Pondering::Side& one) { return Json{{"steps", one.steps}, {"rest", one.rest}}; };
  return {{"source", side(pondering.source)}, {"target", side(pondering.target)}};
}

Json next_words_json(const NextWords& next_words, const text::Tokenizer& tokenizer) {
  Json positions = Json::array();
  std::int32_t previous = kBos;
  for (const NextWord& next : next_words) {
    Json words = Json::array();
    for (const auto& [word, log_p] : next.likeliest) {
      words.push_back({{"token", tokenizer.piece_after(previous, word)}, {"id", word}, {"p", std::exp(log_p)}});
    }
    previous = next.word;
    positions.push_back(
        {{"id", next.word}, {"p", std::exp(next.log_p)}, {"rank", next.rank}, {"words", std::move(words)}});
  }
  return positions;
}

// Writes the text directly, as append_lists() does, to save memory: a beam of 32 has 64 candidates at each step.
void append_beam(std::string& text, const Trace& trace, const text::Tokenizer& tokenizer, const GiveUp& give_up) {
  text += '[';
  std::vector<std::int32_t> last_words{kBos};  // of the hypotheses that were alive after the step before
  for (std::size_t step = 0; step < trace.candidates.size(); ++step) {
    throw_if_given_up(give_up);
    text += step > 0 ? ",[" : "[";
    bool first = true;
    std::vector<std::int32_t> alive;
    for (const Candidate& candidate : trace.candidates[step]) {
      const auto row = static_cast<std::size_t>(candidate.row);
      const std::int32_t previous = row < last_words.size() ? last_words[row] : kBos;
      if (candidate.fate == Fate::kAlive) alive.push_back(candidate.word);
      fmt::format_to(std::back_inserter(text), R"({}{{"from":{},"token":{},"id":{},"logp":{},"score":{},"fate":"{}"}})",
                     std::exchange(first, false) ? "" : ",", candidate.row,
                     Json(tokenizer.piece_after(previous, candidate.word)).dump(), candidate.word,
                     Json(candidate.log_probability).dump(), Json(candidate.score).dump(), to_string(candidate.fate));
    }
    text += ']';
    if (!trace.candidates[step].empty()) last_words = std::move(alive);
  }
  text += ']';
}

}  // namespace

Json pieces_json(const data::Sentence& tokens, const text::Tokenizer& tokenizer) {
  Json pieces = Json::array();
  std::int32_t previous = kBos;
  for (const std::int32_t token : tokens) {
    pieces.push_back(tokenizer.piece_after(previous, token));
    previous = token;
  }
  return pieces;
}

std::string attention_json(const Forced& forced, Numbers numbers) {
  std::string text;
  append_sites(text, forced.sites, [&](std::size_t site) { append(text, forced.attention[site], numbers, {}, {}); });
  return text;
}

void append_trace_json(std::string& text, const TranslatedLine& line, const model::Tokenizers& tokenizers,
                       const SearchSettings& settings, Numbers numbers, const GiveUp& give_up) {
  Json head = Json::object();
  head["line"] = line.number;
  head["src"] = pieces_json(line.source, tokenizers.source);
  head["tgt"] = pieces_json(line.target, tokenizers.target);
  if (!line.finished && !line.target.empty()) head["tgt"].erase(head["tgt"].size() - 1);  // there was no EOS
  head["text"] = line.text;
  head["score"] = line.score;
  head["logp"] = line.log_probability;
  head["norm"] = fmt::format("{}:{}", to_string(settings.length_norm), settings.alpha);
  head["finished"] = line.finished;
  text += head.dump();
  if (!line.trace) return;
  text.pop_back();  // the closing brace
  const Trace& trace = *line.trace;
  const Hypothesis& best = line.hypotheses.front();
  // The sites are appended to the text one by one, because their weights may be large.
  text += R"(,"attention":)";
  append_sites(text, trace.sites,
               [&](std::size_t site) { append(text, trace.attention(site, best), numbers, trace.layers, give_up); });
  text += R"(,"beam":)";
  append_beam(text, trace, tokenizers.target, give_up);
  if (!line.projections.empty()) text += R"(,"projections":)" + projections_json(line.projections, trace.sites).dump();
  if (!line.next_words.empty()) {
    text += R"(,"next_words":)" + next_words_json(line.next_words, tokenizers.target).dump();
  }
  if (!line.layer_words.empty()) {
    Json layers = Json::array();
    for (const NextWords& layer : line.layer_words) layers.push_back(next_words_json(layer, tokenizers.target));
    text += R"(,"layer_words":)" + layers.dump();
  }
  if (line.layer_steps && !line.layer_steps->queries.empty()) {
    text += R"(,"steps":)" + steps_json(*line.layer_steps, trace.sites).dump();
  }
  if (!line.pondering.empty()) text += R"(,"pondering":)" + pondering_json(line.pondering).dump();
  text += '}';
}

std::string trace_json(const TranslatedLine& line, const model::Tokenizers& tokenizers, const SearchSettings& settings,
                       Numbers numbers) {
  std::string text;
  append_trace_json(text, line, tokenizers, settings, numbers);
  return text;
}

}  // namespace dragoman::decode
