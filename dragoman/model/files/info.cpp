#include "dragoman/model/files/info.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestConfig = 1 << 20;

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

// A file was given for a model. If it is a file of a model, the message names that model.
[[noreturn]] void throw_not_a_directory(const fs::path& file) {
  const fs::path parent = file.parent_path();
  const bool is_in_model = !parent.empty() && fs::is_regular_file(status_of(config_file(parent)));
  throw Error(join("'", file.string(), "' is not a directory, but a model is one.",
                   is_in_model ? join(" Did you mean '", parent.string(), "'?") : ""));
}

void require_directory(const fs::path& directory) {
  const fs::file_status found = status_of(directory);
  const bool has_tilde = directory.string().starts_with("~");
  require<Error>(fs::exists(found), "there is no model directory '", directory.string(),
                 has_tilde ? "'; the shell does not replace ~ after =, so put a space between flag and value."
                           : "'; name one that 'dragoman train' or 'dragoman demo' made.");
  if (!fs::is_directory(found)) throw_not_a_directory(directory);
  require<Error>(fs::is_regular_file(status_of(config_file(directory))), "'", directory.string(),
                 "' is not a model directory: it has no config.json. Training writes it with the first checkpoint.");
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
  replace_file(config_file(directory), config.dump(2) + "\n");
}

ModelInfo read_info(const fs::path& given) {
  const fs::path directory = described_in(given);
  require_directory(directory);
  const std::string where = "'" + config_file(directory).string() + "'";
  const Json config = parse_json(read_file(config_file(directory), kLargestConfig), where);
  const auto format = json_entry<std::int64_t>(config, "format", where);
  require<Error>(format == kDirectoryFormat, where, " is of format ", format, ", but this program reads format ",
                 kDirectoryFormat, "; use the version of dragoman that wrote it.");
  const auto architecture = json_entry<std::string>(config, "architecture", where);
  require<Error>(std::ranges::count(architecture_names(), architecture) > 0, where, " describes a model of the kind '",
                 architecture, "', which this program does not know.");
  ModelInfo info;
  info.config = model::architecture(architecture).presets.front().model;
  info.source_language = json_entry<std::string>(config, "source_language", where);
  info.target_language = json_entry<std::string>(config, "target_language", where);
  info.joint_vocabulary = json_entry<bool>(config, "joint_vocabulary", where);
  info.seed = json_entry<std::uint64_t>(config, "seed", where);
  settings_from_json(json_entry<Json>(config, "model", where), info.config, where);
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

}  // namespace dragoman::model
