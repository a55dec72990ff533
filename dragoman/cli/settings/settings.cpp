#include "dragoman/cli/settings/settings.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

namespace dragoman::cli {
namespace {

// A configuration file is about a page of text. A larger file was named by mistake.
constexpr std::size_t kLargestFile = 1 << 20;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::array<char, 4096> block; file && text.size() <= kLargestFile;) {
    file.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  const std::string reason = std::generic_category().message(errno);
  require<UsageError>(file.is_open() && !file.bad(), "cannot read the configuration '", path, "' (", reason, ").");
  require<UsageError>(text.size() <= kLargestFile, "the configuration '", path, "' is larger than 1 MiB.");
  return text;
}

// An event handler that ignores the document.
struct IgnoredEvents : YAML::EventHandler {
  using Mark = const YAML::Mark&;
  using Text = const std::string&;
  void OnDocumentStart(Mark) override {}
  void OnDocumentEnd() override {}
  void OnNull(Mark, YAML::anchor_t) override {}
  void OnAlias(Mark, YAML::anchor_t) override {}
  void OnScalar(Mark, Text, YAML::anchor_t, Text) override {}
  void OnSequenceStart(Mark, Text, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(Mark, Text, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// Stops after two documents, because yaml-cpp finds endless empty documents in some texts.
bool has_several_documents(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  IgnoredEvents events;
  return parser.HandleNextDocument(events) && parser.HandleNextDocument(events);
}

YAML::Node parse_yaml(const std::string& path, const std::string& text) {
  try {
    require<UsageError>(!has_several_documents(text), "'", path,
                        "' holds several YAML documents; a configuration file has one.");
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw UsageError(join("'", path, "' line ", error.mark.line + 1, " is not YAML (", error.msg, ")."));
  }
}

// The value as it is written for a flag: a word, or the words of a list with commas between them.
std::optional<std::string> text_of(const YAML::Node& value) {
  if (value.IsScalar()) return value.Scalar();
  if (!value.IsSequence()) return std::nullopt;
  std::vector<std::string> words;
  for (const YAML::Node& word : value) {
    if (!word.IsScalar() || word.Scalar().find(',') != std::string::npos) return std::nullopt;
    words.push_back(word.Scalar());
  }
  return write_value(words);
}

}  // namespace

CommandSettings::CommandSettings(CLI::App& command) : command_(command) {
  command.add_option("--config", file_, "YAML file of settings with the names of the flags; flags override it")
      ->type_name("FILE")
      ->take_last();
}

void CommandSettings::add_flag(const Flag& flag) {
  keys_.push_back(flag.key);
  std::string& value = flags_[flag.key];
  CLI::Option* option = nullptr;
  if (flag.is_switch) {
    option = command_.add_flag("--" + flag.key, value, flag.help);  // writes "true", or the text after '='
  } else {
    option = command_.add_option("--" + flag.key, value, flag.help);
    option->type_name(flag.placeholder)->default_str(flag.initial);
  }
  flag.is_list ? option->join(',') : option->take_last();
  option->group(flag.group);
}

void CommandSettings::add_arguments(const std::string& name, const std::string& help) {
  command_.add_option(name, arguments_, help)->type_name("");  // --help shows the name alone
}

bool CommandSettings::has_flag(const std::string& key) const {
  return flags_.contains(key) && command_.count("--" + key) > 0;
}

namespace {

std::vector<FileEntry> file_entries(const std::string& path) {
  std::vector<FileEntry> entries;
  const YAML::Node settings = parse_yaml(path, read_text(path));
  if (!settings.IsDefined() || settings.IsNull()) return entries;
  require<UsageError>(settings.IsMap(), "'", path, "' is not a list of 'key: value' lines.");
  for (const auto& entry : settings) {
    const YAML::Node &key = entry.first, &value = entry.second;
    const int line = key.Mark().line + 1;
    const std::optional<std::string> text = text_of(value);
    require<UsageError>(key.IsScalar() && text, "'", path, "' line ", line,
                        ": expected a setting and its value, as in 'd-model: 512'.");
    entries.push_back({key.Scalar(), *text, line});
  }
  return entries;
}

}  // namespace

ConfigFile read_config_file(const std::string& path) {
  ConfigFile file{.path = path, .entries = {}, .problem = nullptr};
  try {
    file.entries = file_entries(path);
  } catch (const UsageError&) {
    file.problem = std::current_exception();
  }
  return file;
}

void CommandSettings::read_file() {
  if (file_.empty()) return;
  const ConfigFile file = known_file_ && known_file_->path == file_ ? *known_file_ : read_config_file(file_);
  if (file.problem) std::rethrow_exception(file.problem);
  for (const FileEntry& entry : file.entries) read_entry(entry);
}

void CommandSettings::read_entry(const FileEntry& entry) {
  const auto& [key, value, line] = entry;
  const std::string place = join("'", file_, "' line ", line, ": ");
  if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) {
    throw UsageError(join(place, "there is no setting '", key, "'.", suggestion(key, keys_)));
  }
  const bool is_new = in_file_.try_emplace(key, Given{value, place + key}).second;
  require<UsageError>(is_new, place, "'", key, "' is given a second time.");
}

std::optional<CommandSettings::Given> CommandSettings::find(const std::string& key) const {
  if (has_flag(key)) return Given{flags_.at(key), "--" + key};
  const auto entry = in_file_.find(key);
  if (entry != in_file_.end()) return entry->second;
  return std::nullopt;
}

CommandSettings& add_command(CLI::App& parent, const std::string& name, const std::string& help,
                             void (*run)(CommandSettings&)) {
  CLI::App& command = *parent.add_subcommand(name, help);
  auto settings = std::make_shared<CommandSettings>(command);
  command.callback([settings, run] { run(*settings); });
  return *settings;
}

void add_plain_command(CLI::App& parent, const std::string& name, const std::string& help, std::function<void()> run) {
  parent.add_subcommand(name, help)->callback(std::move(run));
}

CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help) {
  CLI::App& group = *parent.add_subcommand(name, help);
  group.require_subcommand(0, 1);
  return group;
}

std::shared_ptr<CLI::App> command_for_tests() { return std::make_shared<CLI::App>(); }

void parse(CLI::App& command, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11 expects them in reverse order
  command.parse(std::move(arguments));
}

}  // namespace dragoman::cli
