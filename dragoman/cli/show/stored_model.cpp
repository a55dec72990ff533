#include "dragoman/cli/show/stored_model.h"

#include <fmt/format.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/safetensors.h"

namespace dragoman::cli {
namespace {

// The type of the largest share of the weights: an exported model keeps biases and norms as float32.
std::string type_of(const model::SafetensorsFile& file) {
  std::string type = "float32";
  for (const model::TensorLabel& label : file.labels()) {
    if (label.type == model::StoredType::kI8) return "int8";
    if (label.type == model::StoredType::kF16) type = "float16";
    if (label.type == model::StoredType::kBF16) type = "bfloat16";
  }
  return type;
}

// The entry of the provenance as text; empty if it is missing. Config files of other programs may hold anything.
std::string text_in(const Json& provenance, const char* key) {
  return provenance.is_object() && provenance.contains(key) && provenance[key].is_string() ? provenance[key] : "";
}
// "1,200 steps"; empty if the entry is missing.
std::string count_in(const Json& provenance, const char* key, std::string_view singular) {
  if (!provenance.is_object() || !provenance.contains(key) || !provenance[key].is_number_integer()) return "";
  return counted(provenance[key].get<std::int64_t>(), singular).text();
}

std::string languages_of(const model::ModelInfo& info) {
  if (info.source_language.empty() || info.target_language.empty()) return "";
  return fmt::format("{} to {}", info.source_language, info.target_language);
}

std::string vocabulary_of(const model::ModelInfo& info) {
  const std::string source = with_thousands(info.config.source_vocabulary());
  if (info.joint_vocabulary) return source + " tokens, for both languages";
  return fmt::format("{} source tokens, {} target tokens", source, with_thousands(info.config.target_vocabulary()));
}

// Of a model that was imported: its kind, and the directory that it was in.
std::string origin_of(const Json& provenance) {
  if (!provenance.is_object() || !provenance.contains("imported")) return "";
  const Json& imported = provenance["imported"];
  return join(text_in(imported, "kind"), ", ", in_quotes(text_in(imported, "from")));
}

std::string training_of(const Json& provenance) {
  const std::string tokens = count_in(provenance, "target_tokens", "target token");
  const std::string program = text_in(provenance, "program");
  std::string text = count_in(provenance, "steps", "step");
  if (!tokens.empty()) text += (text.empty() ? "" : ", ") + tokens;
  if (!program.empty()) text += (text.empty() ? "" : ", ") + program;
  return text;
}

}  // namespace

StoredModel read_stored_model(const std::filesystem::path& directory) {
  StoredModel model{.directory = directory, .info = model::read_info(directory), .type = {}};
  const std::filesystem::path weights = model::weights_file(directory);
  model.type = type_of(model::SafetensorsFile(weights));
  model.file_bytes = std::filesystem::file_size(weights);
  return model;
}

std::string stored_model_text(const StoredModel& model) {
  const Json provenance = try_parse_json(model.info.provenance);
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:13}{}\n", name, value);
  };
  const std::string weights = text_in(provenance, "weights");
  add("architecture", std::string(model.info.config.arch()));
  add("languages", languages_of(model.info));
  add("vocabulary", vocabulary_of(model.info));
  add("origin", origin_of(provenance));
  add("training", training_of(provenance));
  add("weights", fmt::format("{}{}, {:.1f} MB", weights.empty() ? "" : weights + "; ", model.type,
                             static_cast<double>(model.file_bytes) / 1e6));
  return text;
}

Json stored_model_json(const StoredModel& model) {
  return {{"model", model.directory.string()},
          {"source_language", model.info.source_language},
          {"target_language", model.info.target_language},
          {"joint_vocabulary", model.info.joint_vocabulary},
          {"seed", model.info.seed},
          {"provenance", try_parse_json(model.info.provenance)},
          {"weights", {{"type", model.type}, {"bytes", model.file_bytes}}}};
}

}  // namespace dragoman::cli
