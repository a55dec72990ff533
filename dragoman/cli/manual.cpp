// dragoman manual: prints the man page in troff format.
#include <fmt/format.h>

#include <set>
#include <string>

#include "dragoman/cli/commands.h"
#include "dragoman/cli/completions/command_tree.h"
#include "dragoman/cli/help/help.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/version.h"

namespace dragoman::cli {
namespace {

// Escapes text for troff, so that a minus sign can be copied from the page, and the text is not read as a command.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '-': result += "\\-"; break;
      case '\\': result += "\\e"; break;
      case '\'': result += "\\(aq"; break;
      case '`': result += "\\(ga"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      default: result += c;
    }
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

// Makes a sentence of a help text: "print JSON" becomes "Print JSON."
std::string as_sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

std::string section_of(const FlagEntry& flag) {
  std::string text = ".TP\n";
  if (!flag.short_name.empty()) text += bold(flag.short_name) + ", ";
  text += bold(flag.name);
  if (!flag.is_switch())
    text += flag.choices().empty() ? " \\fI" + escaped(flag.placeholder) + "\\fR" : " " + escaped(flag.placeholder);
  text += "\n" + escaped(as_sentence(flag.help)) + "\n";
  if (flag.is_required) text += "Required.\n";
  if (!flag.initial.empty()) text += "Default: " + escaped(flag.initial) + ".\n";
  return text;
}

// "[FILE]...", with the name in italics.
std::string written_argument(const FlagEntry& argument) {
  return fmt::format("[\\fI{}\\fR]{}", escaped(argument.name), argument.is_repeated ? "..." : "");
}

std::string section_of(const CommandEntry& command) {
  std::string text = fmt::format(".SS {}\n{}\n", escaped(command.full_name), escaped(as_sentence(command.help)));
  for (const FlagEntry& argument : command.arguments) {
    text += fmt::format(".TP\n{}\n{}\n", written_argument(argument), escaped(as_sentence(argument.help)));
  }
  std::string group;
  for (const FlagEntry& flag : command.flags) {
    if (flag.group != group) text += fmt::format(".PP\n{}:\n", escaped(flag.group));
    group = flag.group;
    text += section_of(flag);
  }
  return text;
}

// The examples of all commands, each once, although a group and a command of it may share one.
std::string examples_of(const CommandEntry& program) {
  std::string text = ".SH EXAMPLES\n";
  std::set<std::string> seen;
  for (const CommandEntry* command : all_commands(program)) {
    for (const Example& example : command->examples) {
      if (!seen.insert(example.line).second) continue;
      text += fmt::format(".PP\n{}\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n",
                          escaped(command->short_name() + ": " + example.purpose + ":"), escaped(example.line));
    }
  }
  return text;
}

constexpr const char* kDescription = R"(.SH DESCRIPTION
.B dragoman
trains models that translate, from text files and without any other program; translates with them; and scores
translations.
Results go to standard output.
Errors are one sentence on standard error.
.PP
Every flag of a command that has
.B \-\-config
is also a key of the YAML file that
.B \-\-config
names, as in
.BR "heads: 8" .
Flags override the file.
A flag's value may follow it after a space or after =; a switch is turned off by
.BR =false .
If a flag that takes one value is repeated, the last one counts.
Where the value is
.IR FILE,... ", " DIR,...\&
or
.IR NAME,... ,
several may be given with commas between them.
)";

constexpr const char* kEnding = R"(.SH FILES
A model is a directory.
.TP
.I config.json
Describes the model: sizes, languages, seed, origin of the weights.
.TP
.I model.safetensors
The weights.
.TP
.I tokenizer.model
The vocabulary, or
.I tokenizer.source.model
and
.I tokenizer.target.model
if there are two.
.TP
.I checkpoints/
States of a training run to resume from.
.TP
.I metrics.jsonl
Losses, rates and validations, a record on each line;
.I report.html
shows them as curves.
.PP
To translate, the first three are enough.
.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The run failed.
.TP
.B 2
Wrong usage, configuration or input.
.TP
.BR 129 ", " 130 ", " 143
SIGHUP, Ctrl\-C or SIGTERM ended it. Training has saved its state; other commands leave no unfinished files.
)";

std::string manual(const CommandEntry& program) {
  std::string text = fmt::format(".TH DRAGOMAN 1 \"\" \"dragoman {}\" \"User Commands\"\n", escaped(kVersion));
  text += ".SH NAME\ndragoman \\- " + escaped(program.help.substr(0, program.help.find('.'))) + "\n";
  text += ".SH SYNOPSIS\n";
  for (const CommandEntry* command : all_commands(program)) {
    if (command->commands.empty()) text += escaped(usage_of(*command)) + "\n.br\n";
  }
  text += kDescription;
  text += ".SH COMMANDS\n";
  for (const CommandEntry* command : all_commands(program)) text += section_of(*command);
  return text + kEnding + examples_of(program);
}

}  // namespace

void add_manual(CLI::App& program) {
  add_plain_command(program, "manual", "print the man page", [&program] { print(manual(command_tree(program))); },
                    {{"read it", "dragoman manual | man -l -"}, {"keep it for man", "dragoman manual > dragoman.1"}});
}

}  // namespace dragoman::cli
