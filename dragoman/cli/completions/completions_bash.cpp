#include <fmt/format.h>

#include <map>
#include <vector>

#include "dragoman/cli/completions/completions.h"

namespace dragoman::cli {
namespace {

// `word` is the word that is being typed, `before` the flag or word before it. `command` becomes the longest sequence
// of commands on the line.
constexpr const char* kScript = R"(# bash completion for dragoman. Written by 'dragoman completion bash'.

_dragoman_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }}

# _dragoman_paths f|d [list]: completes a file or directory; in a list a,b,c, its last item.
_dragoman_paths() {{
  local typed=''
  if [[ ${{2-}} == list ]]; then typed=${{word%"${{word##*,}}"}}; fi
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen "-$1" -P "$typed" -- "${{word#"$typed"}}")
}}

_dragoman() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=dragoman i
  # --flag=value is three words.
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $before == '=' ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {names})
        command+=" ${{COMP_WORDS[i]}}"
        ;;
    esac
  done
  case "$command $before" in
{values}    *)
      case $command in
{words}      esac
      ;;
  esac
}}

complete -F _dragoman dragoman
)";

// The shell command that completes the value of the flag, or the argument.
std::string completer(const FlagEntry& flag) {
  const std::vector<std::string> choices = flag.choices();
  if (!choices.empty()) return fmt::format("_dragoman_words '{}'", fmt::join(choices, " "));
  if (flag.takes_file() || flag.takes_directory()) {
    return fmt::format("_dragoman_paths {}{}", flag.takes_file() ? "f" : "d", flag.takes_list() ? " list" : "");
  }
  return "COMPREPLY=()";
}

std::string words_of(const CommandEntry& command) {
  std::vector<std::string> words;
  for (const CommandEntry& inner : command.commands) words.push_back(inner.name);
  for (const FlagEntry& flag : command.flags) words.push_back(flag.name);
  return fmt::format("{}", fmt::join(words, " "));
}

// The shell commands that complete a word that is not the value of a flag: a command, a flag or an argument.
std::string word_completer(const CommandEntry& command) {
  const std::string words = fmt::format("_dragoman_words '{}'", words_of(command));
  if (command.arguments.empty()) return words;
  return fmt::format("{}; [[ $word == -* ]] || {}", words, completer(command.arguments.front()));
}

}  // namespace

std::string bash_completions(const CommandEntry& program) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> flags;  // by the shell command that completes their values
  std::string words;
  for (const CommandEntry* command : all_commands(program)) {
    if (command != &program) names.push_back("'" + command->full_name + "'");
    for (const FlagEntry& flag : command->flags) {
      if (flag.is_switch()) continue;
      flags[completer(flag)].push_back(fmt::format("'{} {}'", command->full_name, flag.name));
    }
    words += fmt::format("        '{}') {} ;;\n", command->full_name, word_completer(*command));
  }
  std::string values;
  for (const auto& [complete, all] : flags) {
    values += fmt::format("    {}) {} ;;\n", fmt::join(all, " | \\\n      "), complete);
  }
  return fmt::format(kScript, fmt::arg("names", fmt::join(names, " | \\\n        ")), fmt::arg("values", values),
                     fmt::arg("words", words));
}

}  // namespace dragoman::cli
