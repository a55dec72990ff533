// The program: parses the command line, runs one command, and turns every error into one line on standard error and an
// exit status: 2 for wrong usage, 1 for a failed run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/failure.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/signals.h"

namespace dragoman::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

void add_commands(CLI::App& program, const RequestedArchitecture& requested) {
  add_demo(program);
  add_train(program, requested);
  add_translate(program);
  add_serve(program);
  add_show(program);
  add_evaluate(program);
  add_average(program);
  add_export(program);
  add_inspect(program, requested);
  add_doctor(program);
  add_gradcheck(program);
  add_tokenizer(program);
  add_score(program);
  add_completion(program);
  add_manual(program);
}

// The innermost command on the command line, such as `tokenizer train`, or `tokenizer` if nothing follows it. Without a
// command, the program itself.
CLI::App& chosen(CLI::App& program) {
  const std::vector<CLI::App*> commands = program.get_subcommands();
  return commands.empty() ? program : chosen(*commands.front());
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  const bool is_nested = parent != nullptr && parent->get_parent() != nullptr;
  return (is_nested ? full_name(*parent) + " " : "") + command.get_name();
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// The subcommands of `command`.
std::vector<std::string> command_names(CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* choice : command.get_subcommands([](CLI::App*) { return true; })) {
    names.push_back(choice->get_name());
  }
  return names;
}

// The message about an argument that no flag or command accepts.
std::string unexpected_argument_message(CLI::App& program) {
  const std::vector<std::string> arguments = program.remaining(true);
  std::string argument = arguments.empty() ? "" : arguments.front();
  CLI::App& command = chosen(program);
  if (argument.starts_with("-")) {
    argument.resize(std::min(argument.size(), argument.find('=')));
    return join("there is no flag '", argument, "'.", suggestion(argument, flags_of(command)));
  }
  const std::vector<std::string> choices = command_names(command);
  if (choices.empty()) return join("'", argument, "' is neither a flag nor a flag's value.");
  const std::string before = &command == &program ? "" : full_name(command) + " ";
  return join("there is no command '", before, argument, "'.", suggestion(argument, choices), " 'dragoman ", before,
              "--help' shows them all.");
}

// Parses the command line and runs the command. An error in the command line becomes a UsageError.
int run(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(program.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(version_text());
    return 0;
  } catch (const CLI::ExtrasError&) {
    throw UsageError(unexpected_argument_message(program));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    throw UsageError(text.substr(0, text.find(':')) + " needs a value.");
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (command_names(chosen(program)).empty()) return 0;  // a command has run
  // Only a group of commands, or nothing, was given.
  std::fputs(program.help().c_str(), stderr);
  return kWrongUsage;
}

// Prints the message in one line, even if it quotes an argument with line breaks.
int report_error(CLI::App& program, std::string text, int status) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  note(full_name(chosen(program)) + ": " + printable(text));
  return status;
}

int run_program(int argc, char** argv) {
  CLI::App program("The Transformer of 'Attention Is All You Need'.", "dragoman");
  program.get_formatter()->column_width(38);
  program.require_subcommand(0, 1);
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_version_flag("--version", "", "print version and build and exit");
  try {
    const RequestedArchitecture requested = requested_architecture({argv + 1, argv + argc});
    add_commands(program, requested);
    if (!requested.problem.empty()) {
      note(join(argv[1], ": ", printable(requested.problem)));
      return kWrongUsage;
    }
    const int status = run(program, argc, argv);
    flush_output();
    return status;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const UsageError& error) {
    return report_error(program, error.what(), kWrongUsage);
  } catch (...) {
    return report_error(program, failure_sentence(std::current_exception()), kFailed);
  }
}

}  // namespace
}  // namespace dragoman::cli

int main(int argc, char** argv) {
  // Without this, a file that is opened later could take the place of a standard stream that the caller closed.
  if (!dragoman::cli::hold_closed_streams()) return dragoman::cli::kFailed;
  // By default these signals end the program at a write to a closed pipe or to a file above the allowed size. If they
  // are ignored, the write fails instead, and print() throws.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return dragoman::cli::run_program(argc, argv);
  } catch (...) {  // there is not even memory for a message
    return dragoman::cli::kFailed;
  }
}
