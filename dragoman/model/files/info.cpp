#include "dragoman/model/files/info.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/plain_file.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/text/language_tag.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = 1 << 18;

fs::path config_file(const fs::path& directory) { return directory / "config.json"; }

// The path without a slash at its end.
fs::path plain_path(const fs::path& directory) {
  const fs::path plain = fs::absolute(directory).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

// The step of a directory named as checkpoints are.
std::optional<std::int64_t> step_of_checkpoint(const fs::path& directory) {
  constexpr std::string_view kPrefix = "step-";
  const std::string name = directory.filename().string();
  if (!name.starts_with(kPrefix) || directory.parent_path().filename() != "checkpoints") return std::nullopt;
  return parse_number<std::int64_t>(std::string_view(name).substr(kPrefix.size()));
}

// The provenance of a run, as that of one of its checkpoints.
std::string provenance_of_step(const Json& of_run, std::int64_t step) {
  Json provenance = of_run.is_object() ? of_run : Json::object();
  provenance["steps"] = step;
  provenance.erase("target_tokens");
  provenance["weights"] = join("the checkpoint of step ", step);
  return provenance.dump();
}

// " Did you mean 'demo'?" if this is a part of a model, such as a file of it or one of its checkpoints; else empty.
std::string model_hint(const fs::path& part) {
  constexpr int kDepth = 3;  // demo/checkpoints/step-400/model.safetensors
  fs::path parent = part.has_filename() ? part.parent_path() : part.parent_path().parent_path();
  for (int above = 0; above < kDepth && !parent.empty(); ++above, parent = parent.parent_path()) {
    if (fs::is_regular_file(status_of(config_file(parent)))) return join(" Did you mean '", parent.string(), "'?");
  }
  return "";
}

void require_directory(const fs::path& directory) {
  const fs::file_status found = status_of(directory);
  const std::string name = directory.string();
  const bool is_list = !fs::exists(found) && fs::is_directory(status_of(name.substr(0, name.find(','))));
  require<UsageError>(!is_list, "'", name, "' names several models, but this command takes one.");
  require<Error>(fs::exists(found), "there is no model directory '", directory.string(),
                 "'; name one that 'dragoman train' or 'dragoman demo' made.");
  require<Error>(fs::is_directory(found), "'", directory.string(), "' is not a directory, but a model is one.",
                 model_hint(directory));
  if (fs::is_regular_file(status_of(config_file(directory)))) return;
  const std::string hint = model_hint(directory);
  throw Error(join("'", directory.string(), "' is not a model directory: it has no config.json.",
                   hint.empty() ? " Training writes it with the first checkpoint." : hint));
}

void check_format(const Json& config, std::string_view where) {
  const auto format = json_entry<std::int64_t>(config, "format", where);
  require<Error>(format == kDirectoryFormat, where, " is of format ", format, ", but this program reads format ",
                 kDirectoryFormat, "; use the version of dragoman that wrote it.");
}

// Settings of the default architecture that came after the format. Either they have no influence on a trained model, or
// models of earlier versions are as their defaults say. So files that lack them stay readable.
constexpr std::string_view kLaterKeys[] = {"initialisation", "window-kind",        "attention-score",
                                           "norm-kind",      "batch-norm-padding", "batch-norm-epsilon"};
// The same for all architectures: the Universal Transformer has them too.
constexpr std::string_view kLatestKeys[] = {"first-position", "embedding-scale", "activation", "decoder-d-ff",
                                            "decoder-heads"};

// A missing entry must not become the default, which would be another model.
void require_all_keys(const Json& sizes, ModelConfig config, std::string_view where) {
  const bool may_be_old = config.arch() == default_model().arch();
  config.fields([&](std::string_view key, auto&&, std::string_view) {
    const bool is_later =
        std::ranges::count(kLatestKeys, key) > 0 || (may_be_old && std::ranges::count(kLaterKeys, key) > 0);
    const bool is_there = sizes.contains(std::string(key)) || is_later;
    require<Error>(is_there, where, " has no entry '", key, "'; copy the model again.");
  });
}

}  // namespace

fs::path described_in(const fs::path& directory) {
  if (fs::is_regular_file(status_of(config_file(directory)))) return directory;
  const fs::path plain = plain_path(directory), run = plain.parent_path().parent_path();
  const bool is_checkpoint = step_of_checkpoint(plain) && fs::is_directory(status_of(plain)) &&
                             fs::is_regular_file(status_of(config_file(run)));
  return is_checkpoint ? run : directory;
}

void write_info(const fs::path& directory, const ModelInfo& info) {
  Json config;
  config["format"] = kDirectoryFormat;
  config["architecture"] = info.config.arch();
  config["source_language"] = info.source_language;
  config["target_language"] = info.target_language;
  config["joint_vocabulary"] = info.joint_vocabulary;
  config["seed"] = info.seed;
  config["model"] = settings_to_json(info.config);
  config["provenance"] = parse_json(info.provenance, "the provenance of a model");
  replace_file(config_file(directory), json_text(config, 2) + "\n");
}

ModelInfo read_info(const fs::path& given) {
  const fs::path directory = described_in(given);
  require_directory(directory);
  const std::string where = "'" + config_file(directory).string() + "'";
  const Json config = parse_json(read_plain_file(config_file(directory), kLargestConfig), where);
  require<Error>(config.contains("format"), where, " does not describe a model of dragoman: it has no entry 'format'.");
  check_format(config, where);
  const auto architecture = json_entry<std::string>(config, "architecture", where);
  require<Error>(std::ranges::count(architecture_names(), architecture) > 0, where, " describes a model of the kind '",
                 architecture, "', which this program does not know.");
  ModelInfo info;
  info.config = model::architecture(architecture).presets.front().model;
  info.source_language = text::canonical_tag(json_entry<std::string>(config, "source_language", where));
  info.target_language = text::canonical_tag(json_entry<std::string>(config, "target_language", where));
  info.joint_vocabulary = json_entry<bool>(config, "joint_vocabulary", where);
  info.seed = json_entry<std::uint64_t>(config, "seed", where);
  const auto sizes = json_entry<Json>(config, "model", where);
  settings_from_json(sizes, info.config, where);
  require_all_keys(sizes, info.config, where);
  const auto provenance = json_entry<Json>(config, "provenance", where);
  info.provenance = directory == given
                        ? provenance.dump()
                        : provenance_of_step(provenance, step_of_checkpoint(plain_path(given)).value_or(0));
  try {
    info.config.validate();
  } catch (const UsageError& error) {
    throw Error(join(where, ": ", error.what()));
  }
  return info;
}

void require_known_format(const fs::path& directory) {
  const fs::path file = config_file(directory);
  if (!fs::is_regular_file(status_of(file))) return;
  const Json config = try_parse_json(read_file(file, kLargestConfig));
  if (config.is_object() && config.contains("format") && config["format"].is_number_integer()) {
    check_format(config, "'" + file.string() + "'");
  }
}

void require_directory_name(const fs::path& directory) {
  const fs::file_status found = status_of(directory);
  require<UsageError>(!fs::exists(found) || fs::is_directory(found), "'", directory.string(),
                      "' is a file; name a directory with --model.", model_hint(directory));
  const bool may_be_list = !fs::exists(found) && directory.string().find(',') != std::string::npos;
  require<UsageError>(!may_be_list, "'", directory.string(),
                      "' has a comma, which separates models in other commands; choose another name.");
}

}  // namespace dragoman::model
