// dragoman help: shows the flags and examples of a command, as its flag --help does.
#include "dragoman/cli/help/help.h"

#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/help/hints.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"

namespace dragoman::cli {

namespace {

// The command with this name, such as {"tokenizer", "train"}. Flags are ignored.
const CommandEntry& named_command(const CommandEntry& program, const std::vector<std::string>& words) {
  std::string name = program.name;
  for (const std::string& word : words) name += word.starts_with("-") ? "" : " " + word;
  for (const CommandEntry* command : all_commands(program)) {
    if (command->full_name == name) return *command;
  }
  if (const auto message = unknown_command_message(find_command(program, words))) throw UsageError(*message);
  const std::string asked = name.substr(program.name.size() + 1);
  throw UsageError(join("there is no command '", asked, "', because '", asked.substr(0, asked.rfind(' ')),
                        "' has none inside it; ask for one command at a time."));
}

}  // namespace

void add_help(CLI::App& program) {
  const auto show_help = [&program](const std::vector<std::string>& words) {
    const CommandEntry tree = command_tree(program);
    print(help_text(named_command(tree, words), help_columns()));
  };
  add_command_about_commands(program, "help", "show the flags and examples of a command", show_help,
                             {{"the flags of translate", "dragoman help translate"},
                              {"a command inside another", "dragoman help tokenizer train"}});
}

}  // namespace dragoman::cli
