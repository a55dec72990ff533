// The program's commands and their flags as plain values, read from the objects that print --help: completions and the
// manual are made of these, so no flag is listed twice.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dragoman::cli {

struct FlagEntry {
  std::string name;         // "--beam"
  std::string short_name;   // "-h", or empty
  std::string placeholder;  // what stands for its value in --help: N, FILE, DIR,..., post|pre; empty for a switch
  std::string initial;      // the default, if it has one
  std::string help, group;

  bool is_switch() const { return placeholder.empty(); }
  bool takes_file() const { return placeholder.starts_with("FILE"); }
  bool takes_directory() const { return placeholder.starts_with("DIR"); }
  bool takes_list() const { return placeholder.ends_with(",..."); }
  // The values that it may have, if they can be counted: of post|pre these are post and pre.
  std::vector<std::string> choices() const;
};

struct CommandEntry {
  std::string name;       // its own: "train"
  std::string full_name;  // "dragoman tokenizer train"
  std::string help;
  std::vector<FlagEntry> flags;
  std::vector<CommandEntry> commands;
};

CommandEntry command_tree(const CLI::App& program);

// The command and all below it, each before those that it holds.
std::vector<const CommandEntry*> all_commands(const CommandEntry& root);

}  // namespace dragoman::cli
