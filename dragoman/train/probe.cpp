#include "dragoman/train/probe.h"

#include <algorithm>
#include <map>
#include <utility>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/decode/dispatcher.h"
#include "dragoman/decode/forced.h"
#include "dragoman/decode/trace_json.h"
#include "dragoman/text/lines.h"

namespace dragoman::train {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostProbed = 32;
constexpr std::ptrdiff_t kMostTokens = 100;
constexpr std::size_t kMostFrameBytes = std::size_t{1} << 28;  // of one sentence

fs::path folder(const fs::path& model_directory) { return model_directory / "probe"; }

fs::path frame_of(const fs::path& model_directory, std::int64_t step) {
  return folder(model_directory) / ("step-" + std::to_string(step) + ".jsonl");
}

// The frames by rising step.
std::map<std::int64_t, fs::path> frames_of(const fs::path& model_directory) {
  std::map<std::int64_t, fs::path> frames;
  for (const fs::path& path : list_directory(folder(model_directory))) {
    std::string name = path.filename().string();
    if (!name.starts_with("step-") || !name.ends_with(".jsonl")) continue;
    name = name.substr(5, name.size() - 11);
    if (const auto step = parse_number<std::int64_t>(name)) frames.emplace(*step, path);
  }
  return frames;
}

// One sentence of a frame.
struct Look {
  std::string source;
  Json json;
};

std::vector<Look> read_frame(const fs::path& path) {
  const std::string where = "'" + path.string() + "'";
  std::vector<Look> looks;
  text::LineReader lines(path.string(), {.most_bytes = kMostFrameBytes});
  for (std::string line; lines.next(line);) {
    Json frame = parse_json(line, where);
    looks.push_back({json_entry<std::string>(frame, "source", where), std::move(frame["look"])});
  }
  return looks;
}

data::Sentence with_end(data::Sentence tokens) {
  tokens.push_back(data::kEos);
  return tokens;
}

}  // namespace

Probe::Probe(const fs::path& file, const fs::path& model_directory, const model::Tokenizers& tokenizers)
    : directory_(model_directory), tokenizers_(tokenizers) {
  text::LineReader lines(file.string());
  std::int64_t number = 0;
  for (std::string line; lines.next(line);) {
    ++number;
    if (line.empty()) continue;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    Sentence& sentence = sentences_.emplace_back();
    sentence.text = line.substr(0, tab);
    sentence.source = with_end(tokenizers.source.encode(sentence.text));
    if (tab < line.size()) sentence.target = with_end(tokenizers.target.encode(line.substr(tab + 1)));
    require<UsageError>(std::max(std::ssize(sentence.source), std::ssize(sentence.target)) <= kMostTokens, "'",
                        file.string(), "' line ", number, " has more than ", kMostTokens, " tokens; a probe is short.");
    require<UsageError>(sentences_.size() <= kMostProbed, "'", file.string(), "' has more than ", kMostProbed,
                        " sentences; a probe is looked at one by one.");
  }
  require<UsageError>(!sentences_.empty(), "there is no sentence in '", file.string(), "' to probe the model with.");
}

void rewind_film(const fs::path& model_directory, std::int64_t step) {
  for (const auto& [at, path] : frames_of(model_directory)) {
    if (at > step) remove_file(path);
  }
}

bool Probe::has_frame(std::int64_t step) const { return fs::exists(status_of(frame_of(directory_, step))); }

void Probe::keep(std::int64_t step, std::string_view frame) const {
  make_directory(folder(directory_));
  replace_file(frame_of(directory_, step), frame);
}

std::string Probe::look(Backend& on, const model::Seq2Seq& model) const {
  std::string frame;
  for (const Sentence& sentence : sentences_) {
    data::SentencePair pair{sentence.source, sentence.target};
    bool finished = true;
    if (pair.target.empty()) {
      decode::Hypothesis said = decode::greedy(on, model, std::span(&sentence.source, 1)).front();
      finished = said.finished;
      pair.target = finished ? with_end(std::move(said.tokens)) : std::move(said.tokens);
    }
    if (pair.target.empty()) continue;
    const decode::Forced seen = decode::look_at(on, model, pair);
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

FilmSummary summarise_film(const fs::path& model_directory) {
  FilmSummary film;
  try {
    const auto frames = frames_of(model_directory);
    film.exists = !frames.empty();
    if (frames.empty()) return film;
    for (const Look& look : read_frame(frames.rbegin()->second)) film.sentences.push_back(look.source);
  } catch (const Error& error) {
    film.sentences.clear();
    film.problem = error.what();
  }
  return film;
}

std::string film_json(const fs::path& model_directory) {
  Json sentences = Json::array();
  std::map<std::string, std::size_t> place;
  for (const auto& [step, path] : frames_of(model_directory)) {
    for (Look& look : read_frame(path)) {
      const auto [found, is_new] = place.try_emplace(look.source, sentences.size());
      if (is_new) sentences.push_back({{"source", look.source}, {"frames", Json::array()}});
      sentences[found->second]["frames"].push_back({{"step", step}, {"look", std::move(look.json)}});
    }
  }
  return Json{{"sentences", sentences}}.dump();
}

}  // namespace dragoman::train
