// Messages about arguments that cannot be understood. They say what was given and what was probably meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dragoman/cli/completions/command_tree.h"

namespace dragoman::cli {

// A command line, and the command that it names.
struct CommandLine {
  const CommandEntry& program;
  std::vector<std::string> arguments;
  const CommandEntry* command;  // the program itself if no command is named
  std::size_t begin = 0;        // the first argument after the command
  std::string architecture;     // whose settings are flags of the command, if it has such flags
};
// The architecture is the one that requested_architecture() found.
CommandLine find_command(const CommandEntry& program, std::vector<std::string> arguments,
                         const std::string& architecture = "");

// The message about a flag whose value is missing because another flag follows it. CLI11 would take that for the value.
std::optional<std::string> flag_as_value_message(const CommandLine& line);

// The message about an argument that the command would accept as the name of a file, although a flag was probably
// meant: a dash of a word processor, or a directory while --model is missing.
std::optional<std::string> misplaced_argument_message(const CommandLine& line);

// The message about a word that should be a command; nothing if the command has no subcommands, or no word is given.
std::optional<std::string> unknown_command_message(const CommandLine& line);

// The message about the argument that neither a flag nor a command accepts.
std::string unexpected_argument_message(const CommandLine& line, const std::string& argument);

// "--beam needs a value, as in '--beam N'."
std::string missing_value_message(const CommandEntry& command, const std::string& flag);

}  // namespace dragoman::cli
