#include "dragoman/cli/completions/command_tree.h"

#include <algorithm>

#include "dragoman/cli/settings/command.h"

namespace dragoman::cli {
namespace {

// What --help shows besides CLI11's description; null for a command that was made without it.
const Command* as_command(const CLI::App& app) { return dynamic_cast<const Command*>(&app); }

FlagEntry flag_of(const CLI::Option& option) {
  const std::string short_name = option.get_snames().empty() ? "" : "-" + option.get_snames().front();
  const bool is_long = !option.get_lnames().empty();
  FlagEntry flag{.name = is_long ? "--" + option.get_lnames().front() : short_name,
                 .short_name = is_long ? short_name : "",
                 .placeholder = "",
                 .initial = option.get_default_str(),
                 .help = option.get_description(),
                 .group = option.get_group()};
  if (option.get_items_expected_max() > 0) flag.placeholder = option.get_type_name();
  return flag;
}

FlagEntry argument_of(const CLI::Option& option) {
  const std::string name = option.get_name(true, false), type = option.get_type_name();
  return {.name = name,
          .short_name = "",
          .placeholder = type.empty() ? name : type,
          .initial = option.get_default_str(),
          .help = option.get_description(),
          .group = option.get_group(),
          .is_repeated = option.get_items_expected_max() > 1};
}

CommandEntry entry_of(const CLI::App& command, const std::string& before) {
  CommandEntry entry{.name = command.get_name(),
                     .full_name = before + command.get_name(),
                     .help = command.get_description(),
                     .flags = {},
                     .arguments = {},
                     .commands = {},
                     .examples = {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) entry.flags.push_back(flag_of(*option));
    if (option->get_positional()) entry.arguments.push_back(argument_of(*option));
  }
  if (const Command* known = as_command(command)) {
    entry.examples = known->examples;
    entry.takes_command = known->takes_command;
    for (FlagEntry& flag : entry.flags) flag.is_required = std::ranges::count(known->required, flag.name) > 0;
  }
  for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
    entry.commands.push_back(entry_of(*inner, entry.full_name + " "));
  }
  return entry;
}

// The commands as arguments of a command with these flags.
std::vector<CommandEntry> as_arguments(const std::vector<CommandEntry>& commands, const std::string& before,
                                       const std::vector<FlagEntry>& flags) {
  std::vector<CommandEntry> words;
  for (const CommandEntry& command : commands) {
    const std::string full_name = before + " " + command.name;
    words.push_back({.name = command.name,
                     .full_name = full_name,
                     .help = command.help,
                     .flags = flags,
                     .arguments = {},
                     .commands = as_arguments(command.commands, full_name, flags),
                     .examples = {}});
  }
  return words;
}

void append(const CommandEntry& command, std::vector<const CommandEntry*>& all) {
  all.push_back(&command);
  for (const CommandEntry& inner : command.commands) append(inner, all);
}

}  // namespace

std::vector<std::string> FlagEntry::choices() const {
  std::vector<std::string> all;
  if (placeholder.find('|') == std::string::npos) return all;
  for (std::size_t begin = 0; begin <= placeholder.size();) {
    const std::size_t end = std::min(placeholder.find('|', begin), placeholder.size());
    all.push_back(placeholder.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

const FlagEntry* CommandEntry::flag(std::string_view flag_name) const {
  const auto is_it = [&](const FlagEntry& entry) {
    return entry.name == flag_name || (!flag_name.empty() && entry.short_name == flag_name);
  };
  const auto found = std::ranges::find_if(flags, is_it);
  return found == flags.end() ? nullptr : &*found;
}

std::string CommandEntry::short_name() const {
  const std::size_t space = full_name.find(' ');
  return space == std::string::npos ? full_name : full_name.substr(space + 1);
}

CommandEntry command_tree(const CLI::App& program) { return entry_of(program, ""); }

CommandEntry tree_with_arguments(CommandEntry program) {
  const std::vector<CommandEntry> commands = program.commands;
  for (CommandEntry& command : program.commands) {
    if (!command.takes_command) continue;
    command.arguments.clear();
    command.commands = as_arguments(commands, command.full_name, command.flags);
    std::erase_if(command.commands, [&](const CommandEntry& word) { return word.name == command.name; });
  }
  return program;
}

std::vector<const CommandEntry*> all_commands(const CommandEntry& root) {
  std::vector<const CommandEntry*> all;
  append(root, all);
  return all;
}

}  // namespace dragoman::cli
