#include "dragoman/train/probe.h"

#include <algorithm>
#include <utility>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/inside/forced.h"
#include "dragoman/decode/lines/trace_json.h"
#include "dragoman/text/lines.h"

namespace dragoman::train {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxProbed = 32;
constexpr std::ptrdiff_t kMaxTokens = 100;

}  // namespace

void require_probed_sentences(const fs::path& file) {
  text::LineReader lines(file.string());
  std::size_t sentences = 0;
  for (std::string line; lines.next(line);) sentences += line.empty() ? 0 : 1;
  require<UsageError>(sentences > 0, "'", file.string(), "' has no sentence; a probe needs at least one.");
  require<UsageError>(sentences <= kMaxProbed, "'", file.string(), "' has more than ", kMaxProbed,
                      " sentences; a probe must not have more.");
}

Probe::Probe(const fs::path& file, const fs::path& model_directory, const model::Tokenizers& tokenizers)
    : directory_(model_directory), tokenizers_(tokenizers) {
  require_probed_sentences(file);
  text::LineReader lines(file.string());
  std::int64_t number = 0;
  for (std::string line; lines.next(line);) {
    ++number;
    if (line.empty()) continue;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    Sentence& sentence = sentences_.emplace_back();
    sentence.text = line.substr(0, tab);
    sentence.source = tokenizers.source.with_end(tokenizers.source.encode(sentence.text));
    if (tab < line.size()) sentence.target = tokenizers.target.with_end(tokenizers.target.encode(line.substr(tab + 1)));
    require<UsageError>(std::max(std::ssize(sentence.source), std::ssize(sentence.target)) <= kMaxTokens, "'",
                        file.string(), "' line ", number, " has more than ", kMaxTokens, " tokens; shorten it.");
  }
}

bool Probe::has_frame(std::int64_t step) const { return decode::has_frame(directory_, step); }

void Probe::write_frame(std::int64_t step, std::string_view frame) const {
  decode::write_frame(directory_, step, frame);
}

std::string Probe::make_frame(Backend& on, const model::Seq2Seq& model) const {
  std::string frame;
  for (const Sentence& sentence : sentences_) {
    data::SentencePair pair{sentence.source, sentence.target};
    bool finished = true;
    if (pair.target.empty()) {
      decode::Hypothesis translation =
          decode::greedy(on, model, std::span(&sentence.source, 1), {.first = tokenizers_.target.first()}).front();
      finished = translation.finished;
      pair.target =
          finished ? tokenizers_.target.with_end(std::move(translation.tokens)) : std::move(translation.tokens);
    }
    if (pair.target.empty()) continue;
    const decode::Forced seen = decode::run_forced(on, model, pair);
    const data::Sentence words(pair.target.begin(), pair.target.end() - (finished ? 1 : 0));
    const Json head{{"src", decode::pieces_json(pair.source, tokenizers_.source)},
                    {"tgt", decode::pieces_json(pair.target, tokenizers_.target)},
                    {"text", tokenizers_.target.decode(words)},
                    {"finished", finished}};
    std::string look = head.dump(-1, ' ', false, Json::error_handler_t::replace);
    look.pop_back();
    look += R"(,"attention":)" + decode::attention_json(seen, decode::Numbers::kPacked) + "}";
    frame += R"({"source":)" + Json(sentence.text).dump(-1, ' ', false, Json::error_handler_t::replace) +
             R"(,"look":)" + look + "}\n";
  }
  return frame;
}

}  // namespace dragoman::train
