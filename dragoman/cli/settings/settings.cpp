#include "dragoman/cli/settings/settings.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>
#include <system_error>

#include "dragoman/base/json_text.h"
#include "dragoman/cli/settings/command.h"

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
  const std::string reason = lower_first(std::generic_category().message(errno));
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
    throw UsageError(join("'", path, "' line ", error.mark.line + 1, " is not YAML (", error.msg,
                          "); each line is a setting and its value, as in 'd-model: 512'."));
  }
}

// The value as it is written for a flag: a word, or the words of a list with commas between them.
std::optional<std::string> text_of(const YAML::Node& value) {
  if (value.IsScalar()) return from_valid_utf8(value.Scalar());  // names that `dragoman ablate` writes
  if (!value.IsSequence()) return std::nullopt;
  std::vector<std::string> words;
  for (const YAML::Node& word : value) {
    if (!word.IsScalar() || word.Scalar().find(',') != std::string::npos) return std::nullopt;
    words.push_back(word.Scalar());
  }
  return write_value(words);
}

// A flag that may be repeated, whose values are joined. CLI11 could join them itself, but would then split them at
// commas and drop empty items, which read_value() refuses.
CLI::Option* add_list(Command& command, const std::string& key, std::string& value, const std::string& help) {
  CLI::callback_t store([&value](const std::vector<std::string>& given) {
    value = write_value(given);
    return true;
  });
  return command.add_option("--" + key, std::move(store), help)->take_all();
}

}  // namespace

CommandSettings::CommandSettings(CLI::App& command) : command_(dynamic_cast<Command&>(command)) {
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
    if (flag.initial == "true") option->default_str("true");
  } else {
    option = flag.is_list ? add_list(command_, flag.key, value, flag.help)
                          : command_.add_option("--" + flag.key, value, flag.help);
    // "none" says nothing if the help explains the default.
    const bool is_explained = flag.initial == "none" && flag.help.find("default") != std::string::npos;
    option->type_name(flag.placeholder)->default_str(is_explained ? "" : flag.initial);
  }
  if (flag.placeholder == "DIR") single_directories_.push_back(flag.key);
  if (!flag.is_list) option->take_last();
  option->group(flag.group);
}

void CommandSettings::add_arguments(const std::string& name, const std::string& help) {
  command_.add_option(name, arguments_, help)->type_name("");  // --help shows the name alone
}

bool CommandSettings::has_flag(const std::string& key) const {
  return flags_.contains(key) && command_.count("--" + key) > 0;
}

void CommandSettings::require_effect(const std::string& key, bool has_effect, std::string_view reason) const {
  require<UsageError>(has_effect || !has_flag(key), "--", key, " has no effect ", reason);
}

// The program would make a directory called '~', or look for one.
void CommandSettings::require_no_tilde(const Given& path) {
  for (std::size_t begin = 0; begin < path.value.size();) {
    const std::size_t end = std::min(path.value.find(',', begin), path.value.size());
    const std::string one = path.value.substr(begin, end - begin);
    begin = end + 1;
    if (one != "~" && !one.starts_with("~/")) continue;
    throw UsageError(
        join(path.where, path.where.empty() ? "" : ": ", "~ is not replaced by the home directory in '", one,
             path.in_file ? "'; write the whole path."
                          : "', because the shell does that only at the beginning of a word without "
                            "quotes; leave out the quotes, put a space between flag and value, or write the whole "
                            "path."));
  }
}

namespace {

// Whether the value begins with a quote that the file never closes. yaml-cpp reads such a value to the end of the file.
bool is_open_quote(const YAML::Node& value, const std::string& file) {
  const auto begin = static_cast<std::size_t>(std::max(0, value.Mark().pos));
  if (!value.IsScalar() || begin >= file.size() || (file[begin] != '"' && file[begin] != '\'')) return false;
  for (std::size_t at = begin + 1; at < file.size(); ++at) {
    if (file[at] == '\\' && file[begin] == '"') {
      ++at;  // an escaped character
    } else if (file[at] == file[begin]) {
      return false;
    }
  }
  return true;
}

bool has_open_quote(const YAML::Node& value, const std::string& file) {
  if (!value.IsSequence()) return is_open_quote(value, file);
  return std::ranges::any_of(value, [&](const YAML::Node& one) { return is_open_quote(one, file); });
}

std::vector<FileEntry> file_entries(const std::string& path) {
  std::vector<FileEntry> entries;
  const std::string text_of_file = read_text(path);
  const YAML::Node settings = parse_yaml(path, text_of_file);
  if (!settings.IsDefined() || settings.IsNull()) return entries;
  require<UsageError>(settings.IsMap(), "'", path,
                      "' is no configuration; each line is a setting and its value, as in 'd-model: 512'.");
  for (const auto& entry : settings) {
    const YAML::Node &key = entry.first, &value = entry.second;
    const int line = key.Mark().line + 1;
    require<UsageError>(!has_open_quote(value, text_of_file), "'", path, "' line ", line,
                        " is not YAML (a quote is not closed); each line is a setting and its value, as in "
                        "'d-model: 512'.");
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

void CommandSettings::require_keys(const std::vector<std::string>& keys, const std::string& unless) {
  not_required_with_ = unless;
  for (const std::string& key : keys) command_.required.push_back("--" + key);
}

void CommandSettings::add_examples(std::vector<Example> examples) { command_.examples = std::move(examples); }

void CommandSettings::read_file() {
  require<UsageError>(command_.count("--config") <= 1, "--config is given twice; put all settings into one file.");
  for (const std::string& key : single_directories_) {
    require<UsageError>(command_.count("--" + key) <= 1, "--", key, " is given twice; this command takes one.");
  }
  require_no_tilde({.value = file_, .where = "--config"});
  for (const std::string& argument : arguments_) require_no_tilde({.value = argument, .where = ""});
  if (!file_.empty()) {
    const ConfigFile file = known_file_ && known_file_->path == file_ ? *known_file_ : read_config_file(file_);
    if (file.problem) std::rethrow_exception(file.problem);
    for (const FileEntry& entry : file.entries) read_entry(entry);
  }
  check_required();
}

void CommandSettings::check_required() const {
  bool is_replaced = false;
  if (const std::optional<Given> instead = find(not_required_with_)) {
    read_value(is_replaced, instead->value, instead->where);
  }
  if (is_replaced) return;
  std::vector<std::string> missing;
  for (const std::string& flag : command_.required) {
    const std::optional<Given> given = find(flag.substr(2));
    if (given && !given->value.empty()) continue;
    const std::string placeholder = command_.get_option(flag)->get_type_name();
    missing.push_back(flag + " " + placeholder.substr(0, placeholder.find(',')));  // one name of a list
  }
  require<UsageError>(missing.empty(), listed(missing), missing.size() == 1 ? " is" : " are", " missing; '",
                      full_name(command_), " --help' shows examples.");
}

void CommandSettings::read_entry(const FileEntry& entry) {
  const auto& [key, value, line] = entry;
  const std::string place = join("'", file_, "' line ", line, ": ");
  if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) {
    throw UsageError(join(place, "there is no setting '", key, "'.", suggestion(key, keys_)));
  }
  const bool is_new = in_file_.try_emplace(key, Given{.value = value, .where = place + key, .in_file = true}).second;
  require<UsageError>(is_new, place, "'", key, "' is given a second time.");
}

std::optional<CommandSettings::Given> CommandSettings::find(const std::string& key) const {
  if (has_flag(key)) return Given{.value = flags_.at(key), .where = "--" + key};
  const auto entry = in_file_.find(key);
  if (entry != in_file_.end()) return entry->second;
  return std::nullopt;
}

namespace {

Command& new_command(CLI::App& parent, const std::string& name, const std::string& help) {
  const auto command = std::make_shared<Command>(help, name, &parent);
  parent.add_subcommand(command);
  return *command;
}

}  // namespace

CommandSettings& add_command(CLI::App& parent, const std::string& name, const std::string& help,
                             void (*run)(CommandSettings&)) {
  Command& command = new_command(parent, name, help);
  auto settings = std::make_shared<CommandSettings>(command);
  command.callback([settings, run] { run(*settings); });
  return *settings;
}

void add_plain_command(CLI::App& parent, const std::string& name, const std::string& help, std::function<void()> run,
                       std::vector<Example> examples) {
  Command& command = new_command(parent, name, help);
  command.examples = std::move(examples);
  command.callback(std::move(run));
}

void add_command_about_commands(CLI::App& parent, const std::string& name, const std::string& help,
                                std::function<void(const std::vector<std::string>&)> run,
                                std::vector<Example> examples) {
  Command& command = new_command(parent, name, help);
  command.examples = std::move(examples);
  command.takes_command = true;
  std::string names;
  for (const CLI::App* other : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (other != &command) names += (names.empty() ? "" : "|") + other->get_name();
  }
  const auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *words, "which command")->type_name(names);
  command.callback([words, run = std::move(run)] { run(*words); });
}

CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help,
                            std::vector<Example> examples) {
  Command& group = new_command(parent, name, help);
  group.examples = std::move(examples);
  group.require_subcommand(0, 1);
  return group;
}

std::shared_ptr<CLI::App> command_for_tests() { return std::make_shared<Command>("", "command"); }

void parse(CLI::App& program, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11 expects them in reverse order
  program.parse(std::move(arguments));
}

}  // namespace dragoman::cli
