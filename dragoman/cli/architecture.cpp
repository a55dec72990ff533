#include "dragoman/cli/architecture.h"

#include <map>

#include "dragoman/base/error.h"
#include "dragoman/model/info.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/run.h"

namespace dragoman::cli {
namespace {

// The last value of each flag that was given, as "--key value" or "--key=value".
std::map<std::string, std::string> flag_values(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("--")) continue;
    const std::size_t equals = arguments[i].find('=');
    if (equals != std::string::npos) {
      values[arguments[i].substr(2, equals - 2)] = arguments[i].substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      values[arguments[i].substr(2)] = arguments[i + 1];
    }
  }
  return values;
}

std::string stored_architecture(const std::string& directory) {
  const auto state = train::resumable_state(directory, [](const std::string&) {});
  return state ? std::string(state->settings.model.arch()) : "";
}

std::string preset_architecture(const std::string& name) { return std::string(model::preset(name).model.arch()); }

std::string model_architecture(const std::string& directory) {
  return std::string(model::read_info(directory).config.arch());
}

}  // namespace

std::string asked_architecture(const std::vector<std::string>& arguments) {
  const std::string usual = model::architecture().name;
  if (arguments.empty() || (arguments.front() != "train" && arguments.front() != "inspect")) return usual;
  std::map<std::string, std::string> given = flag_values(arguments);
  // Calls name_of(value) for a setting that was given. Whatever it throws, the command will come upon, too.
  const auto from = [&](const char* key, std::string (*name_of)(const std::string&)) -> std::string {
    const auto found = given.find(key);
    if (found == given.end() || found->second.empty()) return "";
    try {
      return name_of(found->second);
    } catch (const Error&) {
      return "";
    }
  };
  try {
    if (given.contains("config")) {
      for (const FileEntry& entry : file_entries(given["config"])) given.try_emplace(entry.key, entry.value);
    }
  } catch (const Error&) {  // read_file() says what is wrong
  }
  if (given.contains("arch")) return model::architecture(given["arch"]).name;
  for (const auto& name :
       {from("init", model_architecture), from("preset", preset_architecture), from("model", stored_architecture)}) {
    if (!name.empty()) return name;
  }
  return usual;
}

void add_model_flags(Settings& settings, const std::string& arch) {
  const model::Preset& first = model::architecture(arch).presets.front();
  settings.add_flags(first.model, join("Model: ", arch, " (defaults are those of ", first.name, ")"));
}

}  // namespace dragoman::cli
