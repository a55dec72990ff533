// The program: parses the command line, runs one command, and turns every error into one line on standard error and an
// exit status: 2 for wrong usage, 1 for a failed run.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "dragoman/backend/instructions.h"
#include "dragoman/base/ending_signals.h"
#include "dragoman/base/error.h"
#include "dragoman/base/failure.h"
#include "dragoman/base/printable.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/help/help.h"
#include "dragoman/cli/help/hints.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/settings/command.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/signals.h"
#include "dragoman/exchange/exchange.h"

namespace dragoman::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr const char* kInstructions = "--instructions";

// Takes --instructions, which comes before the command, from the arguments. The environment variable does the same: it
// also reaches the processes that a command starts.
void choose_instructions(std::vector<std::string>& arguments) {
  constexpr const char* kVariable = "DRAGOMAN_INSTRUCTIONS";
  if (arguments.size() >= 2 && arguments[0] == kInstructions) {
    setenv(kVariable, arguments[1].c_str(), 1);
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  } else if (!arguments.empty() && arguments[0].starts_with(std::string(kInstructions) + "=")) {
    setenv(kVariable, arguments[0].substr(std::strlen(kInstructions) + 1).c_str(), 1);
    arguments.erase(arguments.begin());
  }
  const char* name = std::getenv(kVariable);
  if (name != nullptr && *name != '\0') use_instructions(name);
}

// Parses the command line and runs the command. An error in the command line becomes a UsageError.
int run(CLI::App& program, const CommandLine& line) {
  if (const auto message = flag_as_value_message(line)) throw UsageError(*message);
  if (const auto message = misplaced_argument_message(line)) throw UsageError(*message);
  try {
    parse(program, line.arguments);
  } catch (const CLI::CallForHelp&) {
    if (const auto message = unknown_command_message(line)) throw UsageError(*message);
    print(help_text(*line.command, help_columns()));
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(version_text());
    return 0;
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> unexpected = program.remaining(true);
    throw UsageError(unexpected_argument_message(line, unexpected.empty() ? "" : unexpected.front()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    throw UsageError(missing_value_message(*line.command, text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (line.command->commands.empty()) return 0;  // a command has run
  // Only a group of commands, or nothing, was given.
  std::fputs(help_text(*line.command, help_columns()).c_str(), stderr);
  return kWrongUsage;
}

// Prints the message in one line, even if it quotes an argument with line breaks.
int report_error(const std::string& command, std::string text, int status) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  note(command + ": " + printable(text));
  return status;
}

// Whether rank 0 prints the message of this process, which failed. All ranks have the same command line, so all find a
// mistake in it, and rank 0 prints it. But a rank may also fail alone, because its machine lacks something. It then
// joins the others and tells rank 0 the reason.
bool rank_0_reports(const std::vector<std::string>& arguments, const std::string& reason) {
  if (exchange::has_joined() || exchange::launched_rank().value_or(0) == 0) return false;
  const bool trains = !arguments.empty() && arguments.front() == "train";
  if (!trains) return true;
  if (exchange::mpi_version().empty()) return false;  // it cannot tell rank 0
  exchange::join_ranks([](const std::string&) {})->report_failure(reason);
  return false;  // rank 0 does not answer
}

int run_program(int argc, char** argv) {
  Command program("The Transformer of 'Attention Is All You Need'.", "dragoman");
  program.examples = {{"learn to translate in a few minutes", "dragoman demo"},
                      {"translate with what was learned",
                       "echo 'The old man gave the child a red book.' | dragoman translate --model dragoman-demo"}};
  program.require_subcommand(0, 1);
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_version_flag("--version", "", "print version and build and exit");
  std::string unused;  // choose_instructions() reads the value
  program
      .add_option(
          kInstructions, unused,
          "compute with these CPU instructions, such as avx2 or neon, instead of the best; goes before the command")
      ->type_name("NAME");
  std::string command = program.get_name();  // for messages
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto fail = [&](int status) {
    const std::string reason = failure_sentence(std::current_exception());
    return rank_0_reports(arguments, reason) ? status : report_error(command, reason, status);
  };
  try {
    choose_instructions(arguments);
    const RequestedArchitecture requested = requested_architecture(arguments);
    add_commands(program, requested);
    const CommandEntry tree = command_tree(program);
    const CommandLine line = find_command(tree, arguments, requested.name);
    command = line.command->short_name();
    require<UsageError>(requested.problem.empty(), requested.problem);
    const int status = run(program, line);
    flush_output();
    return status;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const exchange::RankError&) {  // it has been reported
    return kFailed;
  } catch (const UsageError&) {
    return fail(kWrongUsage);
  } catch (...) {
    return fail(kFailed);
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
  dragoman::end_by_signals();
  try {
    const int status = dragoman::cli::run_program(argc, argv);
    dragoman::exchange::leave_ranks(status);
    return status;
  } catch (...) {  // there is not even memory for a message
    return dragoman::cli::kFailed;
  }
}
