#include "dragoman/cli/help/values.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// Flags that name what a command works on. Others, such as --access-log, are no likely home of a file.
constexpr std::array<std::string_view, 5> kMainInputs{"--input", "--train-source", "--source", "--hypothesis",
                                                      "--reference"};

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

bool is_given(const CommandLine& line, const FlagEntry& flag) {
  return std::ranges::any_of(line.arguments, [&](const std::string& argument) {
    return argument == flag.name || argument.starts_with(flag.name + "=");
  });
}

std::string question(const FlagEntry& flag, std::string_view separator, const std::string& value) {
  return join(" Did you mean '", flag.name, separator, value, "'?");
}

// After the source text, the target text: --train-source a.en a.de.
std::string pair_hint(const CommandLine& line, const FlagEntry& flag, std::size_t at) {
  const FlagEntry* target = line.command->flag("--train-target");
  const bool is_source = flag.name == "--train-source" || flag.name == "--train-pairs";
  if (!is_source || target == nullptr || is_given(line, *target) || !is_file(line.arguments[at])) return "";
  return join(" Did you mean '--train-source ", line.arguments[at - 1], " --train-target ", line.arguments[at], "'?");
}

// After a value of a list: --input a.en b.en.
std::string list_hint(const CommandLine& line, std::size_t at) {
  const FlagEntry* flag = at < 2 ? nullptr : line.command->flag(line.arguments[at - 2]);
  const std::string& value = line.arguments[at];
  if (flag == nullptr || !flag->takes_list()) return "";
  if (const std::string hint = pair_hint(line, *flag, at); !hint.empty()) return hint;
  const std::string& before = line.arguments[at - 1];
  if (flag->takes_directory() && is_file(before) && is_directory(value)) {
    return question(*flag, " ", value + " " + before);  // the wrong way round
  }
  const bool fits = (flag->takes_file() && is_file(value)) || (flag->takes_directory() && is_directory(value));
  return fits ? question(*flag, " ", line.arguments[at - 1] + "," + value) : "";
}

// A directory is most often that of a model.
std::string model_hint(const CommandLine& line, const std::string& value) {
  const FlagEntry* model = line.command->flag("--model");
  const bool fits = model != nullptr && model->takes_directory() && !is_given(line, *model) && is_directory(value);
  return fits ? question(*model, " ", value) : "";
}

// One of the words that a flag accepts, a preset, or a port.
std::string word_hint(const CommandEntry& command, const std::string& value) {
  for (const FlagEntry& flag : command.flags) {
    const std::vector<std::string> choices = flag.choices();
    if (std::ranges::count(choices, value) > 0) return question(flag, " ", value);
  }
  const FlagEntry *preset = command.flag("--preset"), *port = command.flag("--port");
  const std::vector<std::string> presets = model::preset_names();
  if (preset != nullptr && std::ranges::count(presets, value) > 0) return question(*preset, " ", value);
  return port != nullptr && parse_number<int>(value) ? question(*port, " ", value) : "";
}

std::string path_hint(const CommandLine& line, const std::string& value) {
  const CommandEntry& command = *line.command;
  const bool directory = is_directory(value), file = !directory && value.find_first_of("./") != std::string::npos;
  if (!directory && !file && !is_file(value)) return "";
  const bool is_yaml = value.ends_with(".yaml") || value.ends_with(".yml");
  if (is_yaml && command.flag("--config") != nullptr) return question(*command.flag("--config"), " ", value);
  for (const bool required : {true, false}) {
    for (const FlagEntry& flag : command.flags) {
      const bool fits = directory ? flag.takes_directory() : flag.takes_file();
      const bool is_likely = required ? flag.is_required : std::ranges::count(kMainInputs, flag.name) > 0;
      if (fits && is_likely && !is_given(line, flag)) return question(flag, " ", value);
    }
  }
  const bool reads_input = command.help.find("standard input") != std::string::npos;
  return reads_input ? join(" The text is read from standard input: write '< ", value, "'.") : "";
}

}  // namespace

std::string switch_hint(const CommandLine& line, std::size_t at) {
  const FlagEntry* before = at == 0 ? nullptr : line.command->flag(line.arguments[at - 1]);
  if (before == nullptr || !before->is_switch()) return "";
  const std::array<std::string_view, 6> words{"true", "false", "yes", "no", "on", "off"};
  const std::string& value = line.arguments[at];
  return std::ranges::count(words, value) > 0 && !is_file(value) ? question(*before, "=", value) : "";
}

std::string switch_before(const CommandLine& line, std::size_t at) {
  if (at == 0 || at >= line.arguments.size() || !switch_hint(line, at).empty()) return "";
  const FlagEntry* before = line.command->flag(line.arguments[at - 1]);
  const std::string& value = line.arguments[at];
  const bool is_meant = before != nullptr && before->is_switch() && !is_file(value) && !is_directory(value);
  return is_meant ? before->name : "";
}

std::string value_hint(const CommandLine& line, std::size_t at) {
  if (at >= line.arguments.size()) return "";
  const std::string& value = line.arguments[at];
  for (const std::string& hint :
       {switch_hint(line, at), list_hint(line, at), model_hint(line, value), word_hint(*line.command, value)}) {
    if (!hint.empty()) return hint;
  }
  return path_hint(line, value);
}

}  // namespace dragoman::cli
