// Connects settings structs with the command line: each field() becomes a flag and a key of the configuration file
// (--config FILE). Flags override the file, and the file overrides the values that the struct had before.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/fields.h"

// CLI11 takes long to compile, so only a few files include it.
namespace CLI {
class App;
}

namespace dragoman::cli {

struct Command;

// A command line that --help and the manual show. It works as it is written after 'dragoman demo' and the examples
// before it; a line may be continued after a backslash.
struct Example {
  std::string purpose;  // "translate a file"
  std::string line;     // "dragoman translate ..."
};

// An entry of a configuration file.
struct FileEntry {
  std::string key, value;  // the value is written as for a flag
  int line = 0;
};

// A configuration file after reading.
struct ConfigFile {
  std::string path;
  std::vector<FileEntry> entries;
  std::exception_ptr problem;  // a UsageError if the file cannot be read or is not a list of settings; else null
};
ConfigFile read_config_file(const std::string& path);

class CommandSettings {
 public:
  // Adds --config to the command, which add_command() or command_for_tests() made. This object holds the values of the
  // flags, so it must live until apply() is called.
  explicit CommandSettings(CLI::App& command);
  CommandSettings(const CommandSettings&) = delete;
  CommandSettings& operator=(const CommandSettings&) = delete;

  // Adds a flag for each key of the struct, listed in --help under `group`, with the values of `defaults`.
  template <class Config>
  void add_flags(Config defaults, const std::string& group) {
    each_key(defaults, [&](std::string_view key, auto&& value, std::string_view help) {
      using Value = std::remove_cvref_t<decltype(value)>;
      add_flag({.key = std::string(key),
                .help = std::string(help),
                .placeholder = placeholder(value),
                .initial = write_value(value),
                .group = group,
                .is_switch = std::is_same_v<Value, bool>,
                .is_list = IsList<Value>});
    });
  }

  // These keys must be given, by flags or in the file: --help marks their flags, and read_file() checks it.
  // The switch `unless` stands for them.
  void require_keys(const std::vector<std::string>& keys, const std::string& unless = {});

  // Two or more, for --help and the manual.
  void add_examples(std::vector<Example> examples);

  // Allows these keys in the file, although the command has no flags for them.
  template <class Config>
  void allow_in_file(Config config) {
    for (const std::string& key : keys_of(config)) keys_.push_back(key);
  }

  // Lets the command take words without a flag, as in `dragoman translate one.txt two.txt`. `name` stands for such a
  // word in --help: FILE if it is the name of a file.
  void add_arguments(const std::string& name, const std::string& help);
  // The words that were given without a flag, in their order.
  const std::vector<std::string>& arguments() const { return arguments_; }
  // Whether the command line, and not only the file, has this flag.
  bool has_flag(const std::string& key) const;
  // Throws a UsageError if the command line has this flag although it has no effect: "--beam has no effect " and the
  // reason. A file may hold such a setting, because several commands may share it.
  void require_effect(const std::string& key, bool has_effect, std::string_view reason) const;

  // Reads the file that --config names, if it was given. To be called once, after the flags were parsed. Throws a
  // UsageError if a required key is given neither there nor by a flag.
  void read_file();
  // Gives read_file() a file that was already read, so that it is not opened again.
  void use_file(ConfigFile file) { known_file_ = std::move(file); }

  // The architecture whose settings became flags; empty if the command has no such flags.
  void set_architecture(const std::string& architecture) { architecture_ = architecture; }
  const std::string& architecture() const { return architecture_; }

  // Sets the fields of `config` that the flags or the file give.
  template <class Config>
  void apply(Config& config) const {
    each_key(config, [&](std::string_view key, auto&& field, std::string_view) {
      const std::optional<Given> given = find(std::string(key));
      if (!given) return;
      if constexpr (IsPath<std::remove_cvref_t<decltype(field)>>) require_no_tilde(*given);
      read_value(field, given->value, given->where);
    });
  }

  // Calls `validate`. If it throws a UsageError that begins with the name of a setting, throws one that names the
  // setting as the user did: by its shorthand (layers, not encoder-layers), or with file and line. `each_part` calls
  // its argument with each settings struct that was validated.
  template <class Validate, class EachPart>
  void validate_as_given(const Validate& validate, const EachPart& each_part) const {
    try {
      validate();
    } catch (const UsageError& error) {
      std::string message = error.what();
      each_part([&](auto& part) { message = named_as_given(part, message); });
      throw UsageError(message);
    }
  }

 private:
  struct Flag {
    std::string key, help, placeholder, initial, group;
    bool is_switch = false;
    bool is_list = false;  // may be repeated; the values are joined
  };
  // A value as text, and where it was given.
  struct Given {
    std::string value;
    std::string where;
    bool in_file = false;
  };

  template <class Value>
  static constexpr bool IsList =
      std::is_same_v<Value, std::vector<std::string>> || std::is_same_v<Value, PathField<std::vector<std::string>>>;

  template <class Value>
  static constexpr bool IsPath =
      std::is_same_v<Value, PathField<std::string>> || std::is_same_v<Value, PathField<std::vector<std::string>>>;

  template <class Text>
  static std::string placeholder(const PathField<Text>& field) {
    const std::string kind = field.kind == PathKind::kFile ? "FILE" : "DIR";
    return std::is_same_v<Text, std::string> ? kind : kind + ",...";
  }
  // "post|pre"
  template <class Names>
  static std::string choices_text(const Names& names) {
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : "|").append(name);
    return text;
  }
  static std::string placeholder(const NameField& field) { return choices_text(field.choices); }
  template <class Value>
  static std::string placeholder(const Value& value) {
    if constexpr (Named<Value>) {
      return choices_text(names(value));
    } else if constexpr (std::is_same_v<Value, bool>) {
      return "";
    } else if constexpr (std::is_floating_point_v<Value>) {
      return "X";
    } else if constexpr (std::is_same_v<Value, std::string>) {
      return "NAME";
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      return "NAME,...";
    } else {
      return "N";
    }
  }

  template <class Config>
  std::string named_as_given(Config& config, const std::string& message) const {
    std::map<const void*, std::string> shorthands;  // by the field that they set
    std::string result = message;
    each_key(config, [&](std::string_view key, auto&& field, std::string_view) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, FieldPair>) {
        shorthands[&field.first] = shorthands[&field.second] = key;
      } else if (message.starts_with(join(key, " is "))) {
        const auto shorthand = shorthands.find(&field);
        const bool is_short = !find(std::string(key)) && shorthand != shorthands.end();
        const std::string name = is_short ? shorthand->second : std::string(key);
        const std::optional<Given> given = find(name);
        if (given) result = (given->in_file ? given->where : name) + message.substr(key.size());
      }
    });
    return result;
  }

  void add_flag(const Flag& flag);
  void read_entry(const FileEntry& entry);
  void check_required() const;
  // Throws a UsageError if a path, or one of a list, begins with ~/.
  static void require_no_tilde(const Given& path);
  std::optional<Given> find(const std::string& key) const;

  Command& command_;
  std::string architecture_;
  std::string file_;
  std::optional<ConfigFile> known_file_;
  std::vector<std::string> keys_;
  std::string not_required_with_;                // a switch; with it no flag is required
  std::vector<std::string> single_directories_;  // keys; a later flag does not override an earlier one
  // CLI11 writes into these, so their addresses must not change.
  std::map<std::string, std::string> flags_;
  std::vector<std::string> arguments_;
  std::map<std::string, Given> in_file_;
};

// Adds a command to `parent` that calls `run` with the values of its flags. The CommandSettings live as long as the
// command.
CommandSettings& add_command(CLI::App& parent, const std::string& name, const std::string& help,
                             void (*run)(CommandSettings&));

// Adds a command without settings, and so without --config.
void add_plain_command(CLI::App& parent, const std::string& name, const std::string& help, std::function<void()> run,
                       std::vector<Example> examples);

// Adds a command whose arguments are the names of commands that were added before it. It calls `run` with them.
void add_command_about_commands(CLI::App& parent, const std::string& name, const std::string& help,
                                std::function<void(const std::vector<std::string>&)> run,
                                std::vector<Example> examples);

// Adds a command that only groups others; these are added to the result.
CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help,
                            std::vector<Example> examples);

// Parses the arguments after the program's name, and runs the command that they name.
void parse(CLI::App& program, std::vector<std::string> arguments);

// For tests of settings: a command without a program.
std::shared_ptr<CLI::App> command_for_tests();

}  // namespace dragoman::cli
