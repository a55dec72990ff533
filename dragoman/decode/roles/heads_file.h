// Reads and writes heads.json in a model directory: what each attention head does over many sentences, and its role.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "dragoman/base/json.h"
#include "dragoman/decode/roles/head_survey.h"
#include "dragoman/model/files/info.h"

namespace dragoman::decode {

// {"version": 1, "sentences": 500, ..., "heads": [{"attention": "cross", "layer": 1, "head": 1, "role": "alignment",
// "entropy": 0.8, ..., "previous": null, ...}, ...]}. Layers and heads are counted from 1. `info` tells which weights
// the numbers belong to. A model of `demo` also has the member "pronoun" (see cli/pronouns.h).
Json heads_json(const HeadSurvey& survey, const model::ModelInfo& info);

// A figure as the file has it: four decimals are enough to read and to draw.
Json rounded(double value);

// Replaces the file atomically.
void write_heads(const std::filesystem::path& model_directory, const Json& heads);

// Throws an Error if the system does not allow to write the file, so that this is known before the work.
void require_writable_heads(const std::filesystem::path& model_directory);

bool has_heads(const std::filesystem::path& model_directory);
// Throws the DamagedFile of a file that is damaged.
[[noreturn]] void refuse_heads(const std::filesystem::path& model_directory);
// The contents of the file, with "current": whether it was made with the weights that `info` describes. Nothing if
// there is no such file. Throws a DamagedFile that names the file if it is damaged.
std::optional<Json> read_heads(const std::filesystem::path& model_directory, const model::ModelInfo& info);

}  // namespace dragoman::decode
