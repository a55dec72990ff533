// A command of the program: what CLI11 knows about it, and what --help and the manual show besides. Included only where
// CLI11 is.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dragoman/cli/settings/settings.h"

namespace dragoman::cli {

struct Command : CLI::App {
  // The program itself has no parent.
  Command(const std::string& help, const std::string& name, CLI::App* parent = nullptr)
      : CLI::App(help, name, parent) {}

  std::vector<Example> examples;
  std::vector<std::string> required;  // flags that must be given, such as "--model"
  bool takes_command = false;         // its arguments name a command of the program
};

// "dragoman tokenizer train"
inline std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

}  // namespace dragoman::cli
