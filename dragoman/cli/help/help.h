// The text of --help.
#pragma once

#include <cstddef>
#include <string>

#include "dragoman/cli/completions/command_tree.h"

namespace dragoman::cli {

// "dragoman export --model DIR --output DIR [FLAG]...": required flags, and whether there are others.
std::string usage_of(const CommandEntry& command);

// What the command is for, its usage, its flags with their defaults, its subcommands and its examples, in lines of at
// most `columns` characters. Only the lines of examples may be longer, so that they can be copied.
std::string help_text(const CommandEntry& command, std::size_t columns);

// The width for help_text(): that of the terminal, within limits, or 100 if standard output is no terminal.
std::size_t help_columns();

}  // namespace dragoman::cli
