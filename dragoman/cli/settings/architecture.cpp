#include "dragoman/cli/settings/architecture.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/model/files/info.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/checkpoint.h"

namespace dragoman::cli {
namespace {

// The value of a setting as it was given, and where it was given.
struct GivenText {
  std::string value, where;
};

// The value of each flag, given as "--key value" or "--key=value". If a flag is repeated, the last value.
std::map<std::string, GivenText> flag_values(const std::vector<std::string>& arguments) {
  std::map<std::string, GivenText> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("--")) continue;
    const std::size_t equals = arguments[i].find('=');
    const std::string flag = arguments[i].substr(0, equals);
    if (equals != std::string::npos) {
      values[flag.substr(2)] = {arguments[i].substr(equals + 1), flag};
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) {
      values[flag.substr(2)] = {arguments[i + 1], flag};
    }
  }
  return values;
}

// The architecture of the newest checkpoint that can be read. Checksums are verified later, when the run is resumed.
std::string stored_architecture(const std::string& directory) {
  for (const train::Checkpoint& checkpoint : std::views::reverse(train::list_checkpoints(directory))) {
    try {
      const Json state = train::read_unchecked_state(checkpoint);
      const Json settings = json_entry<Json>(state, "settings", directory);
      return settings.contains("arch") ? json_entry<std::string>(settings, "arch", directory) : "";
    } catch (const Error&) {  // an older one may be complete
    }
  }
  return "";
}

std::string preset_architecture(const std::string& name) { return std::string(model::preset(name).model.arch()); }

std::string model_architecture(const std::string& directory) {
  return std::string(model::read_info(directory).config.arch());
}

}  // namespace

RequestedArchitecture requested_architecture(const std::vector<std::string>& arguments) {
  RequestedArchitecture requested{.name = model::architecture().name, .file = std::nullopt, .problem = {}};
  static const std::vector<std::string> kCommands{"train", "inspect", "demo", "ablate"};
  if (arguments.empty() || std::ranges::find(kCommands, arguments.front()) == kCommands.end()) return requested;
  std::map<std::string, GivenText> given = flag_values(arguments);
  if (given.contains("config")) {
    requested.file = read_config_file(given["config"].value);
    for (const auto& [key, value, line] : requested.file->entries) {
      given.try_emplace(key, GivenText{value, join("'", requested.file->path, "' line ", line, ": ", key)});
    }
  }
  if (const GivenText& arch = given["arch"]; !arch.value.empty()) {
    try {
      const std::vector<std::string> names = model::architecture_names();
      requested.name = names[read_name(names, arch.value, arch.where)];
    } catch (const UsageError& error) {
      requested.problem = error.what();
    }
    return requested;
  }
  // An error is ignored here: the command reads the same thing again and reports it.
  const auto from = [&](const char* key, std::string (*name_of)(const std::string&)) -> std::string {
    if (given[key].value.empty()) return "";
    try {
      return name_of(given[key].value);
    } catch (const Error&) {
      return "";
    }
  };
  const std::vector<std::string> known = model::architecture_names();
  const bool is_trained = arguments.front() == "inspect";  // --model names a model and not a run
  for (const std::string& name : {from("init", model_architecture), from("preset", preset_architecture),
                                  from("model", is_trained ? model_architecture : stored_architecture)}) {
    if (std::ranges::find(known, name) == known.end()) continue;
    requested.name = name;
    break;
  }
  return requested;
}

void add_model_flags(CommandSettings& settings, const RequestedArchitecture& requested) {
  const model::Preset& first = model::architecture(requested.name).presets.front();
  settings.add_flags(first.model, join("Model: ", requested.name, " (defaults are those of ", first.name, ")"));
  settings.set_architecture(requested.name);
  if (requested.file) settings.use_file(*requested.file);
}

const std::string& arch_help() {
  static const std::string kHelp = [] {
    std::string names;
    for (const std::string& name : model::architecture_names()) names += (names.empty() ? "" : ", ") + name;
    return "architecture of the model, whose settings are listed below: " + names;
  }();
  return kHelp;
}

}  // namespace dragoman::cli
