#include <fmt/format.h>

#include <vector>

#include "dragoman/cli/completions/completions.h"

namespace dragoman::cli {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

// The shell function __dragoman_at COMMANDS tests whether these are the commands on the line so far. Its list of names
// goes between kAtOpening and kAtClosing.
constexpr const char* kAtOpening = R"(# fish completion for dragoman. Written by 'dragoman completion fish'.

function __dragoman_at
    set -l command dragoman
    for word in (commandline -opc)[2..]
        switch "$command $word"
            case )";
constexpr const char* kAtClosing = R"(
                set command "$command $word"
        end
    end
    test "$command" = "$argv"
end

complete -c dragoman -f
)";

// The flags of `complete` that describe the value of this flag.
std::string value_of(const FlagEntry& flag) {
  if (flag.is_switch()) return "";
  if (const std::vector<std::string> choices = flag.choices(); !choices.empty()) {
    return fmt::format(" -x -a '{}'", fmt::join(choices, " "));
  }
  if (flag.takes_file()) return " -r -F";
  if (flag.takes_directory()) return " -x -a '(__fish_complete_directories)'";
  return " -x";
}

// The flags of `complete` that describe an argument.
std::string argument_of(const FlagEntry& argument) {
  if (argument.takes_file()) return " -F";
  return value_of(argument).replace(0, 3, " -f");  // -x also says that a flag needs a value
}

}  // namespace

std::string fish_completions(const CommandEntry& program) {
  std::string script, names;
  for (const CommandEntry* command : all_commands(program)) {
    if (command != &program) names += (names.empty() ? "" : " ") + quoted(command->full_name);
    const std::string at = fmt::format("complete -c dragoman -n '__dragoman_at {}'", command->full_name);
    for (const CommandEntry& inner : command->commands) {
      script += fmt::format("{} -a {} -d {}\n", at, inner.name, quoted(inner.help));
    }
    for (const FlagEntry& argument : command->arguments) script += at + argument_of(argument) + "\n";
    for (const FlagEntry& flag : command->flags) {
      const std::string short_flag = flag.short_name.empty() ? "" : " -s " + flag.short_name.substr(1);
      script +=
          fmt::format("{}{} -l {}{} -d {}\n", at, short_flag, flag.name.substr(2), value_of(flag), quoted(flag.help));
    }
  }
  return kAtOpening + names + kAtClosing + script;
}

}  // namespace dragoman::cli
