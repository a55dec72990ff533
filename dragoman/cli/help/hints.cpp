#include "dragoman/cli/help/hints.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/help/values.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::cli {
namespace {

// Names that other programs have for our flags. The first row whose flag the command has counts.
struct OtherName {
  std::string_view given, flag;
};
constexpr OtherName kOtherNames[] = {
    {"-V", "--version"},
    {"-b", "--beam"},
    {"-c", "--config"},
    {"-d", "--device"},
    {"-i", "--input"},
    {"-m", "--model"},
    {"-o", "--output"},
    {"-p", "--port"},
    {"-v", "--version"},
    {"--batch", "--batch-tokens"},
    {"--batch-size", "--batch-tokens"},
    {"--beam-size", "--beam"},
    {"--checkpoint", "--model"},
    {"--cpu", "--device cpu"},
    {"--cuda", "--device cuda"},
    {"--gpu", "--device cuda"},
    {"--host", "--address"},
    {"--hyp", "--hypothesis"},
    {"--max-steps", "--steps"},
    {"--num-beams", "--beam"},
    {"--out", "--output"},
    {"--ref", "--reference"},
    {"--source", "--train-source"},
    {"--src", "--source"},
    {"--src", "--train-source"},
    {"--target", "--train-target"},
    {"--tgt", "--train-target"},
    {"--vocab", "--vocabulary"},
    {"--vocab-size", "--vocabulary"},
};

// Words that are given for a command of the program, and what is meant.
constexpr OtherName kOtherCommands[] = {
    {"bleu", "dragoman score"},
    {"decode", "dragoman translate"},
    {"encode", "dragoman tokenizer encode"},
    {"eval", "dragoman evaluate"},
    {"fairseq-generate", "dragoman translate"},
    {"fairseq-train", "dragoman train"},
    {"generate", "dragoman translate"},
    {"info", "dragoman inspect"},
    {"list", "dragoman inspect --list"},
    {"marian-decoder", "dragoman translate"},
    {"predict", "dragoman translate"},
    {"sacrebleu", "dragoman score"},
    {"version", "dragoman --version"},
};

// What to do instead of giving a flag that dragoman does not have, where another name is not enough.
struct OtherWay {
  std::string_view given, command, advice;
};
constexpr std::string_view kRates = "Did you mean '--rate-constant', or '--schedule inverse-sqrt --peak-rate'?";
constexpr OtherWay kOtherWays[] = {
    {"--learning-rate", "train", kRates},
    {"--lr", "train", kRates},
    {"--epochs", "train", "Training is counted in updates: --steps."},
    {"--train-sets", "train", "Did you mean '--train-source FILE --train-target FILE'?"},
    {"--resume", "train", "A run is resumed by itself if --model names its directory."},
    {"--metric", "score", "BLEU and chrF are always computed; --ter adds TER."},
    {"--metrics", "score", "BLEU and chrF are always computed; --ter adds TER."},
};

// Whether this other name stands for a flag with a value, as -m does for --model.
bool other_name_takes_value(std::string_view flag) {
  const auto* found = std::ranges::find(kOtherNames, flag, &OtherName::given);
  return found != std::end(kOtherNames) && found->flag != "--version" &&
         found->flag.find(' ') == std::string_view::npos;
}

std::string help_hint(const CommandEntry& command, std::string_view what) {
  return join(" '", command.full_name, " --help' shows ", what, ".");
}

std::vector<std::string> flag_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const FlagEntry& flag : command.flags) names.push_back(flag.name);
  return names;
}

std::string name_of(const std::string& argument) { return argument.substr(0, argument.find('=')); }

// Word processors turn two minus signs into a dash.
std::string with_plain_dashes(const std::string& argument) {
  for (const std::string_view dash : {"\u2013", "\u2014", "\u2212"}) {
    if (argument.starts_with(dash)) return "--" + argument.substr(dash.size());
  }
  return argument;
}

// " Did you mean '--address'?"
std::string question(std::string_view meant) { return join(" Did you mean '", meant, "'?"); }

std::string other_name_hint(const CommandEntry& command, const std::string& flag) {
  for (const OtherWay& way : kOtherWays) {
    if (way.given == flag && way.command == command.short_name()) return join(" ", way.advice);
  }
  for (const OtherName& other : kOtherNames) {
    const bool is_here = command.flag(other.flag.substr(0, other.flag.find(' '))) != nullptr;
    if (other.given == flag && is_here) return question(other.flag);
  }
  return "";
}

// " Did you mean '--quiet=false'?" for --no-quiet.
std::string negation_hint(const CommandEntry& command, const std::string& flag) {
  constexpr std::string_view kNo = "--no-";
  if (!flag.starts_with(kNo)) return "";
  const FlagEntry* meant = command.flag("--" + flag.substr(kNo.size()));
  return meant != nullptr && meant->is_switch() ? question(meant->name + "=false") : "";
}

// " It is a flag of evaluate and score.", or a question if it is a flag of the program.
std::string owners_hint(const CommandEntry& program, const std::string& flag) {
  constexpr std::size_t kMaxOwners = 4;
  std::vector<std::string> owners;
  for (const CommandEntry* command : all_commands(program)) {
    if (command->flag(flag) != nullptr) owners.push_back(command->short_name());
  }
  if (owners.empty() || owners.size() > kMaxOwners) return "";
  if (owners.front() == program.name) return question(program.name + " " + flag);
  return join(" It is a flag of ", listed(owners), ".");
}

// " for the architecture rnn; transformer and convolutional have it." if that is so; else empty.
std::string architecture_hint(const CommandLine& line, const std::string& flag) {
  if (line.command->flag("--arch") == nullptr) return "";
  std::vector<std::string> owners;
  for (const std::string& name : model::architecture_names()) {
    model::ModelConfig config = model::architecture(name).presets.front().model;
    const std::vector<std::string> keys = keys_of(config);
    if (std::ranges::any_of(keys, [&](const std::string& key) { return "--" + key == flag; })) owners.push_back(name);
  }
  if (owners.empty()) return "";
  return join(" for the architecture ", line.architecture, "; ", listed(owners), owners.size() == 1 ? " has" : " have",
              " it.");
}

// The place of the first argument after the command that is neither a flag nor the value of a flag of one of its
// subcommands; the number of arguments if there is none.
std::size_t next_word(const CommandLine& line) {
  const std::vector<const CommandEntry*> commands = all_commands(*line.command);
  std::size_t at = line.begin;
  for (; at < line.arguments.size(); ++at) {
    const std::string& argument = line.arguments[at];
    if (!argument.starts_with("-")) break;
    const bool has_value = std::ranges::any_of(commands, [&](const CommandEntry* command) {
      const FlagEntry* flag = command->flag(argument);
      return flag != nullptr && !flag->is_switch();
    });
    if (has_value || other_name_takes_value(argument)) ++at;
  }
  return std::min(at, line.arguments.size());
}

std::string unknown_flag_message(const CommandLine& line, const std::string& argument) {
  const CommandEntry& command = *line.command;
  const std::string given = name_of(argument), flag = name_of(with_plain_dashes(argument));
  if (command.flag(flag) != nullptr && flag == given) {  // it is before the command
    return join("'", flag, "' belongs after the command, as in '", command.full_name, " ", flag, " ...'.");
  }
  if (const std::string hint = architecture_hint(line, flag); !hint.empty()) {
    return join("there is no flag '", flag, "'", hint);
  }
  const std::string message = join("there is no flag '", given, "'.");
  if (const std::string hint = other_name_hint(command, flag); !hint.empty()) return message + hint;
  if (const std::string hint = negation_hint(command, flag); !hint.empty()) return message + hint;
  const std::string owners = owners_hint(line.program, flag);
  const std::string near = owners.empty() ? suggestion(flag, flag_names(command)) : "";
  if (!near.empty()) return message + near;
  if (command.flag(flag.substr(0, flag.find(' '))) != nullptr) return message + " Write it without the quotes.";
  return message + owners + (owners.ends_with('?') ? "" : help_hint(command, "them all"));
}

}  // namespace

CommandLine find_command(const CommandEntry& program, std::vector<std::string> arguments,
                         const std::string& architecture) {
  CommandLine line{
      .program = program, .arguments = std::move(arguments), .command = &program, .architecture = architecture};
  while (!line.command->commands.empty()) {
    const std::size_t word = next_word(line);
    if (word == line.arguments.size()) break;
    const auto& inner = line.command->commands;
    const auto found = std::ranges::find(inner, line.arguments[word], &CommandEntry::name);
    if (found == inner.end()) break;
    line.command = &*found;
    line.begin = word + 1;
  }
  return line;
}

std::optional<std::string> flag_as_value_message(const CommandLine& line) {
  for (std::size_t i = line.begin; i + 1 < line.arguments.size(); ++i) {
    const FlagEntry* flag = line.command->flag(line.arguments[i]);
    if (flag == nullptr || flag->is_switch()) continue;
    ++i;  // its value
    const std::string next = name_of(line.arguments[i]);
    if (line.command->flag(next) == nullptr) continue;
    return join(flag->name, " needs a value, but the flag '", next, "' follows it.");
  }
  return std::nullopt;
}

std::optional<std::string> misplaced_argument_message(const CommandLine& line) {
  if (line.command->arguments.empty()) return std::nullopt;
  for (std::size_t i = line.begin; i < line.arguments.size(); ++i) {
    const std::string& argument = line.arguments[i];
    const FlagEntry* flag = line.command->flag(argument);
    if (flag != nullptr && !flag->is_switch()) ++i;  // its value
    if (argument.starts_with("-") && line.command->flag(name_of(argument)) == nullptr) return std::nullopt;
    if (argument.starts_with("-")) continue;
    if (with_plain_dashes(argument) != argument) return unknown_flag_message(line, argument);
    if (const std::string hint = switch_hint(line, i); !hint.empty()) {
      return join("'", argument, "' is no value of the switch before it.", hint);
    }
    std::error_code ignored;
    const bool is_out_of_place = line.command->arguments.front().takes_file() &&
                                 !line.command->arguments.front().takes_directory() &&
                                 std::filesystem::is_directory(argument, ignored);
    if (!is_out_of_place) continue;
    if (const std::string hint = value_hint(line, i); hint.find("Did you mean") != std::string::npos) {
      return join("'", argument, "' is a directory.", hint);
    }
  }
  return std::nullopt;
}

std::optional<std::string> unknown_command_message(const CommandLine& line) {
  constexpr std::size_t kFew = 5;
  const CommandEntry& group = *line.command;
  const std::size_t at = next_word(line);
  if (group.commands.empty() || at == line.arguments.size()) return std::nullopt;
  const std::string& word = line.arguments[at];
  std::vector<std::string> names;
  for (const CommandEntry& inner : group.commands) names.push_back(inner.name);
  const std::string before = &group == &line.program ? "" : group.short_name() + " ";
  const auto* other = std::ranges::find(kOtherCommands, word, &OtherName::given);
  const bool is_other = &group == &line.program && other != std::end(kOtherCommands);
  const std::string message =
      join("there is no command '", before, word, "'.", is_other ? question(other->flag) : suggestion(word, names));
  if (is_other) return message;
  return names.size() <= kFew ? join(message, " There are ", listed(names), ".")
                              : message + help_hint(group, "them all");
}

std::string unexpected_argument_message(const CommandLine& line, const std::string& argument) {
  if (with_plain_dashes(argument).starts_with("-")) return unknown_flag_message(line, argument);
  if (const auto message = unknown_command_message(line)) return *message;
  const auto at = std::ranges::find(line.arguments, argument) - line.arguments.begin();
  if (const std::string name = switch_before(line, static_cast<std::size_t>(at)); !name.empty()) {
    return join("'", argument, "' follows ", name, ", which takes no value; leave it out.");
  }
  const std::string message = join("'", argument, "' is neither a flag nor a flag's value.");
  const std::string hint = value_hint(line, static_cast<std::size_t>(at));
  return message + (hint.empty() ? help_hint(*line.command, "examples") : hint);
}

std::string missing_value_message(const CommandEntry& command, const std::string& flag) {
  const FlagEntry* entry = command.flag(flag);
  const std::string value = entry == nullptr ? "VALUE" : entry->one_value();
  return join(flag, " needs a value, as in '", flag, " ", value, "'.");
}

}  // namespace dragoman::cli
