// Shell scripts that complete the commands, flags and values of the program.
#pragma once

#include <string>

#include "dragoman/cli/completions/command_tree.h"

namespace dragoman::cli {

std::string bash_completions(const CommandEntry& program);
std::string zsh_completions(const CommandEntry& program);
std::string fish_completions(const CommandEntry& program);

}  // namespace dragoman::cli
