// dragoman completion: prints scripts for shells that complete the commands and flags of the program.
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/completions/completions.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"

namespace dragoman::cli {

namespace {

struct Shell {
  std::string name;
  std::string (*completions)(const CommandEntry&);
  std::string place;  // of the script, for good
};

const std::vector<Shell>& shells() {
  static const std::vector<Shell> kShells{
      {"bash", bash_completions, "~/.local/share/bash-completion/completions/dragoman"},
      {"zsh", zsh_completions, "~/.zfunc/_dragoman"},
      {"fish", fish_completions, "~/.config/fish/completions/dragoman.fish"}};
  return kShells;
}

Example for_good(const Shell& shell) {
  return {"for good", join("dragoman completion ", shell.name, " > ", shell.place)};
}

Example for_now(const Shell& shell) {
  const std::string script = "dragoman completion " + shell.name;
  return {"for this session", shell.name == "fish" ? script + " | source" : join("source <(", script, ")")};
}

}  // namespace

void add_completion(CLI::App& program) {
  const Shell& bash = shells().front();
  CLI::App& group = add_command_group(program, "completion", "print a script that completes commands and flags",
                                      {for_now(bash), for_good(bash)});
  for (const Shell& shell : shells()) {
    add_plain_command(
        group, shell.name, "print completions for " + shell.name,
        [&program, completions = shell.completions] { print(completions(tree_with_arguments(command_tree(program)))); },
        {for_now(shell), for_good(shell)});
  }
}

}  // namespace dragoman::cli
