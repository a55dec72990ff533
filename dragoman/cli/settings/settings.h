// Settings structs on the command line: each field() is a flag and a key of the configuration file (--config FILE).
// Flags win over the file, and the file over what the struct held before.
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

// CLI11 takes long to compile: only few files see more of it.
namespace CLI {
class App;
}

namespace dragoman::cli {

// A line of a configuration file.
struct FileEntry {
  std::string key, value;  // the value as a flag would give it
  int line = 0;
};

// A configuration file that was read.
struct ConfigFile {
  std::string path;
  std::vector<FileEntry> entries;
  std::exception_ptr problem;  // the UsageError for a file that cannot be read or is no list of settings; else null
};
ConfigFile read_config_file(const std::string& path);

class Settings {
 public:
  // Adds --config to the command. This object holds what the flags are given, so it must live until it is applied.
  explicit Settings(CLI::App& command);
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  // A flag for each key of the struct, listed in --help under `group`, with the values of `defaults`.
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

  // Keys that the file may hold although the command has no flag for them.
  template <class Config>
  void allow_in_file(Config config) {
    for (const std::string& key : keys_of(config)) keys_.push_back(key);
  }

  // Reads the file that --config names, if it was given. To be called once, when the flags have been read.
  void read_file();
  // Gives read_file() a file that was already read, so that it does not open that path again.
  void use_file(ConfigFile file) { known_file_ = std::move(file); }

  // The architecture whose settings became flags; empty if the command has none.
  void is_about(const std::string& architecture) { architecture_ = architecture; }
  const std::string& architecture() const { return architecture_; }

  // Sets the fields of `config` that the file or the flags give.
  template <class Config>
  void apply(Config& config) const {
    for (const std::string& key : keys_of(config)) {
      if (const std::optional<Given> given = find(key)) set(config, key, given->value, given->where);
    }
  }

 private:
  struct Flag {
    std::string key, help, placeholder, initial, group;
    bool is_switch = false;
    bool is_list = false;  // may be given several times
  };
  // A value as text, and where it stands.
  struct Given {
    std::string value;
    std::string where;
  };

  template <class Value>
  static constexpr bool IsList =
      std::is_same_v<Value, std::vector<std::string>> || std::is_same_v<Value, PathField<std::vector<std::string>>>;

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

  void add_flag(const Flag& flag);
  void read_entry(const FileEntry& entry);
  std::optional<Given> find(const std::string& key) const;

  CLI::App& command_;
  std::string architecture_;
  std::string file_;
  std::optional<ConfigFile> known_file_;
  std::vector<std::string> keys_;
  std::map<std::string, std::string> flags_;  // what CLI11 writes into: addresses must stay
  std::map<std::string, Given> in_file_;
};

// A new command of `parent` that calls `run` with what its flags were given. The Settings live as long as the command.
Settings& add_command(CLI::App& parent, const std::string& name, const std::string& help, void (*run)(Settings&));

// One without settings, and so without --config.
void add_plain_command(CLI::App& parent, const std::string& name, const std::string& help, std::function<void()> run);

// A command that only holds others, which are added to what this returns.
CLI::App& add_command_group(CLI::App& parent, const std::string& name, const std::string& help);

// A command that belongs to no program, and its reading of a command line: for tests of settings.
std::shared_ptr<CLI::App> lone_command();
void parse(CLI::App& command, std::vector<std::string> arguments);

}  // namespace dragoman::cli
