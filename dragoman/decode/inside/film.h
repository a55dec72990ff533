// A film of how attention came to be in training: a few sentences, translated at each checkpoint, with the attention of
// all layers and heads. The frames lie in the model's directory, probe/step-N.jsonl, and the attention page plays them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::decode {

// Keeps a frame as that of the step. Throws an Error if it cannot be written.
void keep_frame(const std::filesystem::path& model_directory, std::int64_t step, std::string_view frame);
bool has_frame(const std::filesystem::path& model_directory, std::int64_t step);
// Removes the frames of later steps: those of a run that goes on from this step are yet to come.
void rewind_film(const std::filesystem::path& model_directory, std::int64_t step);

// What a model's directory has of a film.
struct FilmSummary {
  bool exists = false;
  std::vector<std::string> sentences;  // of the newest frame
  std::string problem;                 // why the film cannot be read, in a sentence; empty if it can
};
FilmSummary summarise_film(const std::filesystem::path& model_directory);
// {"sentences": [{"source": "...", "frames": [{"step": 100, "look": {...}}, ...]}, ...]}; no sentences without a film.
// Throws an Error that names a damaged file.
std::string film_json(const std::filesystem::path& model_directory);

}  // namespace dragoman::decode
