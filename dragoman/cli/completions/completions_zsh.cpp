#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dragoman/cli/completions/completions.h"

namespace dragoman::cli {
namespace {

std::string function_name(const CommandEntry& command) {
  std::string name = "_" + command.full_name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

// Escapes text for single quotes, with a backslash before each of `marks`.
std::string quoted(const std::string& text, std::string_view marks) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '\\' || marks.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// The shell's action that completes the value of the flag, or the argument.
std::string action_of(const FlagEntry& flag) {
  const std::vector<std::string> choices = flag.choices();
  if (!choices.empty()) return fmt::format("({})", fmt::join(choices, " "));
  if (!flag.takes_file() && !flag.takes_directory()) return " ";  // completes nothing
  const std::string action = flag.takes_file() ? "_files" : "_files -/";
  return flag.takes_list() ? "_sequence " + action : action;
}

// The description of a flag for _arguments.
std::string specification(const FlagEntry& flag) {
  const std::string help = quoted(flag.help, "[]");
  if (flag.is_switch()) {
    if (flag.short_name.empty()) return fmt::format("'{}[{}]'", flag.name, help);
    return fmt::format("'({0} {1})'{{{0},{1}}}'[{2}]'", flag.short_name, flag.name, help);
  }
  return fmt::format("'{}=[{}]:{}:{}'", flag.name, help, flag.name.substr(2), action_of(flag));
}

std::string arguments_of(const CommandEntry& command) {
  std::string lines;
  for (const FlagEntry& flag : command.flags) lines += " \\\n    " + specification(flag);
  for (const FlagEntry& argument : command.arguments) {
    lines += fmt::format(" \\\n    '{}:{}:{}'", argument.is_repeated ? "*" : "", argument.name, action_of(argument));
  }
  return lines;
}

std::string function_of(const CommandEntry& command) {
  const std::string name = function_name(command);
  if (command.commands.empty()) return fmt::format("{}() {{\n  _arguments{}\n}}\n\n", name, arguments_of(command));
  std::string described, cases;
  for (const CommandEntry& inner : command.commands) {
    described += fmt::format("        '{}:{}'\n", inner.name, quoted(inner.help, ""));
    cases += fmt::format("        {}) {} ;;\n", inner.name, function_name(inner));
  }
  return fmt::format(R"({}() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C{} \
    '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
{}      )
      _describe command commands
      ;;
    rest)
      case $words[1] in
{}      esac
      ;;
  esac
}}

)",
                     name, arguments_of(command), described, cases);
}

}  // namespace

std::string zsh_completions(const CommandEntry& program) {
  std::string script = "#compdef dragoman\n# zsh completion for dragoman. Written by 'dragoman completion zsh'.\n\n";
  for (const CommandEntry* command : all_commands(program)) script += function_of(*command);
  // The file is either the body of the autoloaded function _dragoman, or it is sourced.
  return script +
         "if [[ $funcstack[1] == _dragoman ]]; then\n  _dragoman \"$@\"\nelse\n"
         "  compdef _dragoman dragoman\nfi\n";
}

}  // namespace dragoman::cli
