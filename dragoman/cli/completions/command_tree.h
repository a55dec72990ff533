// The commands and flags of the program as plain values, read from the objects that parse the command line. --help,
// completions, the manual and the messages about wrong arguments are made from these, so no flag is listed twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/cli/settings/settings.h"

namespace CLI {
class App;
}

namespace dragoman::cli {

// A flag, or an argument, which is given without a flag's name.
struct FlagEntry {
  std::string name;        // "--beam"; of an argument "FILE"
  std::string short_name;  // "-h", or empty
  // Stands for the value in --help: "N", "FILE", "DIR,..." for a list of directories, "post|pre" for a choice; empty
  // for a switch.
  std::string placeholder;
  std::string initial;  // the default; empty if there is none
  std::string help, group;
  bool is_required = false;
  bool is_repeated = false;  // an argument that may be given several times

  bool is_switch() const { return placeholder.empty(); }
  // FILE-OR-DIR is both.
  bool takes_file() const { return placeholder.starts_with("FILE"); }
  bool takes_directory() const { return placeholder.starts_with("DIR") || placeholder.ends_with("-DIR"); }
  bool takes_list() const { return placeholder.ends_with(",..."); }
  // The placeholder for one value: "DIR" also if the flag takes a list.
  std::string one_value() const { return placeholder.substr(0, placeholder.find(',')); }
  // The possible values, if they are listed: post and pre for post|pre. Else empty.
  std::vector<std::string> choices() const;
};

struct CommandEntry {
  std::string name;       // without those above it: "train"
  std::string full_name;  // "dragoman tokenizer train"
  std::string help;
  std::vector<FlagEntry> flags;
  std::vector<FlagEntry> arguments;
  std::vector<CommandEntry> commands;
  std::vector<Example> examples;
  bool takes_command = false;  // its arguments name a command of the program, as those of `help` do

  // The flag with this name ("--beam" or "-h"); null if there is none.
  const FlagEntry* flag(std::string_view flag_name) const;
  // The name in messages: without the program's name, unless it is the program.
  std::string short_name() const;
};

CommandEntry command_tree(const CLI::App& program);

// The tree for completions: where arguments name a command, as in `help tokenizer train`, these words are commands of
// the tree, with the flags of the command that takes them.
CommandEntry tree_with_arguments(CommandEntry program);

// The command and all below it. Each command comes before its subcommands.
std::vector<const CommandEntry*> all_commands(const CommandEntry& root);

}  // namespace dragoman::cli
