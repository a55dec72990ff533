#include "dragoman/decode/inside/film.h"

#include <map>
#include <utility>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/text/lines.h"

namespace dragoman::decode {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{1} << 28;  // of a frame's file; a line holds one sentence

fs::path probe_folder(const fs::path& model_directory) { return model_directory / "probe"; }

fs::path frame_path(const fs::path& model_directory, std::int64_t step) {
  return probe_folder(model_directory) / ("step-" + std::to_string(step) + ".jsonl");
}

// The files of all frames, by step.
std::map<std::int64_t, fs::path> frame_files(const fs::path& model_directory) {
  std::map<std::int64_t, fs::path> frames;
  for (const fs::path& path : list_directory(probe_folder(model_directory))) {
    std::string name = path.filename().string();
    if (!name.starts_with("step-") || !name.ends_with(".jsonl")) continue;
    name = name.substr(5, name.size() - 11);
    if (const auto step = parse_number<std::int64_t>(name)) frames.emplace(*step, path);
  }
  return frames;
}

// One sentence of a frame.
struct FrameSentence {
  std::string source;
  Json json;  // what the attention page shows of it
};

std::vector<FrameSentence> read_frame(const fs::path& path) {
  const std::string where = "'" + path.string() + "'";
  std::vector<FrameSentence> sentences;
  require_plain_file(path);
  text::LineReader lines(path.string(), {.max_bytes = kMaxLineBytes});
  for (std::string line; lines.next(line);) {
    Json frame = parse_json(line, where);
    sentences.push_back({json_entry<std::string>(frame, "source", where), std::move(frame["look"])});
  }
  return sentences;
}

}  // namespace

void write_frame(const fs::path& model_directory, std::int64_t step, std::string_view frame) {
  make_directory(probe_folder(model_directory));
  replace_file(frame_path(model_directory, step), frame);
}

bool has_frame(const fs::path& model_directory, std::int64_t step) {
  return fs::exists(status_of(frame_path(model_directory, step)));
}

void rewind_film(const fs::path& model_directory, std::int64_t step) {
  for (const auto& [at, path] : frame_files(model_directory)) {
    if (at > step) remove_file(path);
  }
}

FilmSummary summarise_film(const fs::path& model_directory) {
  FilmSummary film;
  try {
    const auto frames = frame_files(model_directory);
    film.exists = !frames.empty();
    if (frames.empty()) return film;
    for (const FrameSentence& sentence : read_frame(frames.rbegin()->second)) film.sentences.push_back(sentence.source);
  } catch (const Error& error) {
    film.sentences.clear();
    film.problem = error.what();
  }
  return film;
}

std::string film_json(const fs::path& model_directory) {
  Json sentences = Json::array();
  std::map<std::string, std::size_t> place;
  for (const auto& [step, path] : frame_files(model_directory)) {
    for (FrameSentence& sentence : read_frame(path)) {
      const auto [found, is_new] = place.try_emplace(sentence.source, sentences.size());
      if (is_new) sentences.push_back({{"source", sentence.source}, {"frames", Json::array()}});
      sentences[found->second]["frames"].push_back({{"step", step}, {"look", std::move(sentence.json)}});
    }
  }
  return Json{{"sentences", sentences}}.dump();
}

}  // namespace dragoman::decode
