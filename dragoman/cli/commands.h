// The program's commands, one source file each. add_NAME() gives the program a subcommand whose callback runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dragoman::cli {

// Parameters, cost and memory of a preset or of any settings.
void add_inspect(CLI::App& program);

// Trains a small model on a toy task and shows what it learned.
void add_demo(CLI::App& program);

// Every gradient against finite differences.
void add_gradcheck(CLI::App& program);

// Learns a vocabulary; text to tokens and back.
void add_tokenizer(CLI::App& program);

// BLEU of translations.
void add_score(CLI::App& program);

// What --version prints: version, commit, compiler, vector instructions, BLAS and CUDA.
std::string version_text();

}  // namespace dragoman::cli
