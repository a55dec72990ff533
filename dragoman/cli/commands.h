// The program's commands, one source file each. add_NAME() gives the program a subcommand whose callback runs it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace dragoman::cli {

struct AskedArchitecture;

// Parameters, cost and memory of a preset or of any settings. The flags are those of this architecture.
void add_inspect(CLI::App& program, const AskedArchitecture& asked);

// Standard input to standard output, line by line.
void add_translate(CLI::App& program);

// Translates over HTTP.
void add_serve(CLI::App& program);

// One self-contained page of attention.
void add_show(CLI::App& program);

// Translates a test set and scores it.
void add_evaluate(CLI::App& program);

// The mean of a run's last checkpoints.
void add_average(CLI::App& program);

// A copy of a model in another precision.
void add_export(CLI::App& program);

// Makes a corpus, trains a small model on it and shows what it learned.
void add_demo(CLI::App& program);

// From text files to a model directory. The flags are those of this architecture.
void add_train(CLI::App& program, const AskedArchitecture& asked);

// Every gradient against finite differences.
void add_gradcheck(CLI::App& program);

// Learns a vocabulary; text to tokens and back.
void add_tokenizer(CLI::App& program);

// BLEU, chrF and TER of translations.
void add_score(CLI::App& program);

// Scripts for shells, and the man page.
void add_completion(CLI::App& program);
void add_manual(CLI::App& program);

// What --version prints: version, commit, compiler, vector instructions, BLAS and CUDA.
std::string version_text();

}  // namespace dragoman::cli
