// Runs the program as its user would, and records the result.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
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
inline std::string scratch(const std::string& suffix) {
  return testing::TempDir() + "dragoman_program_" + std::to_string(::getpid()) + suffix;
}

// Runs a line of shell. Standard error is captured through a file.
inline Ending shell(const std::string& line) {
  const std::string err_path = scratch(".err");
  Ending ending;
  FILE* out = ::popen(("{ " + line + "\n} 2>'" + err_path + "'").c_str(), "r");
  if (out == nullptr) return ending;
  std::array<char, 4096> block{};
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), out)) > 0;) {
    ending.out.append(block.data(), got);
  }
  const int status = ::pclose(out);
  ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ostringstream err;
  err << std::ifstream(err_path, std::ios::binary).rdbuf();
  ending.err = err.str();
  std::filesystem::remove(err_path);
  return ending;
}

inline Ending run(const std::string& arguments) { return shell(kProgram + " " + arguments); }

// Checks that a command failed with this status and printed nothing but one line, to standard error, that ends as a
// sentence does and contains `part`.
inline void expect_one_sentence(const Ending& ending, int status, const std::string& part) {
  EXPECT_EQ(ending.status, status);
  EXPECT_EQ(ending.out, "");
  EXPECT_EQ(std::count(ending.err.begin(), ending.err.end(), '\n'), 1) << ending.err;
  EXPECT_TRUE(ending.err.ends_with(".\n") || ending.err.ends_with("?\n")) << ending.err;
  EXPECT_NE(ending.err.find(part), std::string::npos) << ending.err;
}

// The same for a command that printed other lines to standard error before it failed: checks the last line.
inline void expect_last_sentence(Ending ending, int status, const std::string& part) {
  const std::size_t before_last = ending.err.rfind('\n', ending.err.empty() ? 0 : ending.err.size() - 2);
  if (before_last != std::string::npos) ending.err.erase(0, before_last + 1);
  expect_one_sentence(ending, status, part);
}

}  // namespace dragoman
