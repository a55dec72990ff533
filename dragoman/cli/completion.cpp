// dragoman completion: prints scripts for shells that complete the commands and flags of the program.
#include "dragoman/cli/commands.h"
#include "dragoman/cli/completions/completions.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"

namespace dragoman::cli {

void add_completion(CLI::App& program) {
  CLI::App& group = add_command_group(program, "completion", "print a script that completes commands and flags");
  const auto add = [&](const std::string& shell, std::string (*completions)(const CommandEntry&)) {
    add_plain_command(group, shell, "for " + shell,
                      [&program, completions] { print(completions(command_tree(program))); });
  };
  add("bash", bash_completions);
  add("zsh", zsh_completions);
  add("fish", fish_completions);
}

}  // namespace dragoman::cli
