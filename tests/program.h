// Runs the program as its user would, and records the result.
#pragma once

#include <string>

#include "tests/tested_program.h"

namespace dragoman {

inline const std::string kProgram = "'" + tested_program() + "'";

// How a command ended, and what it printed to standard output and standard error.
struct Ending {
  int status = -1;  // the exit status; 128 + n if signal n ended it; -1 if it could not be started
  std::string out;
  std::string err;
};

// A path in the directory for temporary files that no other test process uses: tests run in parallel.
std::string scratch(const std::string& suffix);

// Runs a line of shell. Standard error is captured through a file.
Ending shell(const std::string& line);

// Runs the program with these arguments.
Ending run(const std::string& arguments);

// Checks that a command failed with this status and printed nothing but one line, to standard error, that ends as a
// sentence does and contains `part`.
void expect_one_sentence(const Ending& ending, int status, const std::string& part);

// The same for a command that printed other lines to standard error before it failed: checks the last line.
void expect_last_sentence(Ending ending, int status, const std::string& part);

}  // namespace dragoman
