#include "dragoman/model/directory.h"

#include "dragoman/base/files.h"
#include "dragoman/model/weights.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = 1 << 20;

fs::path config_file(const fs::path& directory) { return directory / "config.json"; }
fs::path joint_file(const fs::path& directory) { return directory / "tokenizer.model"; }
fs::path source_file(const fs::path& directory) { return directory / "tokenizer.source.model"; }
fs::path target_file(const fs::path& directory) { return directory / "tokenizer.target.model"; }

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

void require_directory(const fs::path& directory) {
  std::error_code ignored;
  require<Error>(fs::is_directory(directory, ignored), "there is no model directory '", directory.string(), "'.");
  require<Error>(is_file(config_file(directory)), "'", directory.string(),
                 "' is not a model directory: it has no config.json.");
}

}  // namespace

fs::path weights_file(const fs::path& directory) { return directory / "model.safetensors"; }

void write_info(const fs::path& directory, const ModelInfo& info) {
  Json config;
  config["format"] = kDirectoryFormat;
  config["architecture"] = "transformer";
  config["source_language"] = info.source_language;
  config["target_language"] = info.target_language;
  config["joint_vocabulary"] = info.joint_vocabulary;
  config["seed"] = info.seed;
  config["model"] = settings_to_json(info.config);
  config["provenance"] = info.provenance;
  replace_file(config_file(directory), config.dump(2) + "\n");
}

ModelInfo read_info(const fs::path& directory) {
  require_directory(directory);
  const std::string where = "'" + config_file(directory).string() + "'";
  const Json config = parse_json(read_file(config_file(directory), kLargestConfig), where);
  const auto format = json_entry<std::int64_t>(config, "format", where);
  require<Error>(format == kDirectoryFormat, where, " is of format ", format, ", but this program reads format ",
                 kDirectoryFormat, ".");
  const auto architecture = json_entry<std::string>(config, "architecture", where);
  require<Error>(architecture == "transformer", where, " describes a model of the kind '", architecture,
                 "', which this program does not know.");
  ModelInfo info;
  info.source_language = json_entry<std::string>(config, "source_language", where);
  info.target_language = json_entry<std::string>(config, "target_language", where);
  info.joint_vocabulary = json_entry<bool>(config, "joint_vocabulary", where);
  info.seed = json_entry<std::uint64_t>(config, "seed", where);
  settings_from_json(json_entry<Json>(config, "model", where), info.config, where);
  info.provenance = json_entry<Json>(config, "provenance", where);
  try {
    info.config.validate();
  } catch (const UsageError& error) {
    throw Error(join(where, ": ", error.what()));
  }
  return info;
}

bool has_tokenizers(const fs::path& directory) {
  return is_file(joint_file(directory)) || (is_file(source_file(directory)) && is_file(target_file(directory)));
}

void write_tokenizers(const fs::path& directory, const Tokenizers& tokenizers, bool joint) {
  std::error_code none;
  if (joint) {
    for (const fs::path& file : {source_file(directory), target_file(directory)}) fs::remove(file, none);
    return replace_file(joint_file(directory), tokenizers.source.bytes());
  }
  fs::remove(joint_file(directory), none);
  replace_file(source_file(directory), tokenizers.source.bytes());
  replace_file(target_file(directory), tokenizers.target.bytes());
}

Tokenizers read_tokenizers(const fs::path& directory) {
  require<Error>(has_tokenizers(directory), "there is no tokenizer.model in '", directory.string(), "'.");
  if (is_file(joint_file(directory))) {
    const text::Tokenizer both = text::Tokenizer::load(joint_file(directory).string());
    return {both, both};
  }
  return {text::Tokenizer::load(source_file(directory).string()),
          text::Tokenizer::load(target_file(directory).string())};
}

void check_vocabularies(const fs::path& directory, const Tokenizers& tokenizers, const TransformerConfig& config) {
  const auto check = [&](const char* side, std::int64_t size, int rows) {
    require<Error>(size == rows, "'", directory.string(), "': the ", side, " vocabulary of the tokenizer has ", size,
                   " tokens, but the model has ", rows, " rows for it; put back the tokenizer it was trained with.");
  };
  check("source", tokenizers.source.size(), config.V_source);
  check("target", tokenizers.target.size(), config.V_target);
}

LoadedModel::LoadedModel(Backend& on, const fs::path& directory, std::optional<WeightForm> form)
    : info(read_info(directory)),
      tokenizers(read_tokenizers(directory)),
      transformer(info.config),
      block(on, form ? *form : stored_form(SafetensorsFile(weights_file(directory))), transformer) {
  check_vocabularies(directory, tokenizers, info.config);
  read_tensors(SafetensorsFile(weights_file(directory)), on, block.tensors(), Values::kFinite);
}

}  // namespace dragoman::model
