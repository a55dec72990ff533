// The commands of the program with their flags and examples, as --help shows them.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program.h"

namespace dragoman {

struct HelpedCommand {
  std::string name;  // "tokenizer train", or empty for the program
  std::set<std::string> flags{};
  std::set<std::string> required{};     // of the flags
  std::vector<std::string> examples{};  // command lines; one that is continued is joined
  bool is_group = false;
};

// Adds a line of the section `title` of --help to the command. Returns the name of the subcommand that the line names,
// or nothing.
inline std::string add_help_line(HelpedCommand& command, const std::string& title, const std::string& line) {
  const bool is_row = line.starts_with("  ") && !line.starts_with("   ");
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (title == "Commands:") return is_row ? word : "";
  if (title == "Examples:") {
    const bool is_command = line.starts_with("    ");
    const bool continues = !command.examples.empty() && command.examples.back().ends_with("\\");
    if (continues) command.examples.back().pop_back();
    if (is_command && continues) command.examples.back() += line.substr(4);
    if (is_command && !continues) command.examples.push_back(line.substr(4));
    return "";
  }
  if (const std::size_t flag = line.find("--"); is_row && flag != std::string::npos && flag <= 6) {
    command.flags.insert(line.substr(flag, line.find(' ', flag) - flag));
  }
  return "";
}

// A command and its subcommands.
inline std::vector<HelpedCommand> commands_from_help(const std::string& name = "") {
  std::vector<HelpedCommand> all{{.name = name}};
  std::istringstream help(run(name + " --help").out);
  std::string title;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with(" ")) title = line;
    if (line.starts_with("Usage: ")) {
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        if (word.starts_with("--")) all[0].required.insert(word);
      }
    }
    const std::string inner = add_help_line(all[0], title, line);
    if (inner.empty()) continue;
    all[0].is_group = true;
    const std::vector<HelpedCommand> below = commands_from_help(name.empty() ? inner : name + " " + inner);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

}  // namespace dragoman
