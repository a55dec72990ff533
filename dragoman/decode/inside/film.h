// A film of how attention develops during training: at each checkpoint a few sentences are translated, and the
// attention of all layers and heads is stored as one frame. Frames are files in the model's directory,
// probe/step-N.jsonl; the attention page plays them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::decode {

// Writes the frame of a step; replaces one that exists. `frame` has a line {"source": "...", "look": {...}} for each
// sentence; "look" has the tokens of both sides, the translation and the attention. Throws an Error if it cannot be
// written.
void write_frame(const std::filesystem::path& model_directory, std::int64_t step, std::string_view frame);
bool has_frame(const std::filesystem::path& model_directory, std::int64_t step);
// Removes the frames of later steps, because a run that resumes from this step will write them again.
void rewind_film(const std::filesystem::path& model_directory, std::int64_t step);

// A summary of the film in a model's directory.
struct FilmSummary {
  bool exists = false;
  std::vector<std::string> sentences;  // of the newest frame
  std::string problem;                 // why the film cannot be read, in a sentence; empty if it can
};
FilmSummary summarise_film(const std::filesystem::path& model_directory);
// {"sentences": [{"source": "...", "frames": [{"step": 100, "look": {...}}, ...]}, ...]}; the list is empty if there is
// no film. Throws an Error that names the file if one is damaged.
std::string film_json(const std::filesystem::path& model_directory);

}  // namespace dragoman::decode
