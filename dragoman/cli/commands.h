// The commands of the program, one source file each. add_NAME() adds a subcommand to the program, with a callback that
// runs it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace dragoman::cli {

struct RequestedArchitecture;

// Adds all commands, in the order of `dragoman help`.
void add_commands(CLI::App& program, const RequestedArchitecture& requested);

// Shows parameters, cost and memory of a preset or of any settings. The model flags are those of the given
// architecture.
void add_inspect(CLI::App& program, const RequestedArchitecture& requested);

// Translates standard input to standard output, line by line.
void add_translate(CLI::App& program);

// Translates over HTTP.
void add_serve(CLI::App& program);

// Writes a self-contained page that shows attention.
void add_show(CLI::App& program);

// Translates a test set and scores it.
void add_evaluate(CLI::App& program);

// Averages the last checkpoints of a run.
void add_average(CLI::App& program);

// Takes a model of another program.
void add_import(CLI::App& program);

// Copies a model in another precision, or for another program.
void add_export(CLI::App& program);

// Makes a corpus, trains a small model on it and shows what it learned.
void add_demo(CLI::App& program, const RequestedArchitecture& requested);

// Trains a model from text files. The model flags are those of the given architecture.
void add_train(CLI::App& program, const RequestedArchitecture& requested);

// Makes Table 3 of the paper: trains variations of a model and compares them.
void add_ablate(CLI::App& program, const RequestedArchitecture& requested);

// Finds what the attention heads of a model do.
void add_heads(CLI::App& program);

// Writes the curves of training runs as a page.
void add_report(CLI::App& program);

// Checks the machine, models and texts.
void add_doctor(CLI::App& program);

// Measures Table 1 of the paper: operations, time, sequential operations and path lengths of layers.
void add_complexity(CLI::App& program);

// Shows Table 2 of the paper, with the cost of training runs.
void add_cost(CLI::App& program);

// Checks every gradient against finite differences.
void add_gradcheck(CLI::App& program);

// Learns a vocabulary; converts text to tokens and back.
void add_tokenizer(CLI::App& program);

// Computes BLEU, chrF and TER of translations.
void add_score(CLI::App& program);

// Print completion scripts for shells, and the man page.
void add_completion(CLI::App& program);
void add_manual(CLI::App& program);

// Shows the help of a command.
void add_help(CLI::App& program);

// What --version prints: version, commit, compiler, vector instructions, BLAS and CUDA.
std::string version_text();

}  // namespace dragoman::cli
