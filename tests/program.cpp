#include "tests/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dragoman {

std::string scratch(const std::string& suffix) {
  return testing::TempDir() + "dragoman_program_" + std::to_string(::getpid()) + suffix;
}

Ending shell(const std::string& line) {
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

Ending run(const std::string& arguments) { return shell(kProgram + " " + arguments); }

void expect_one_sentence(const Ending& ending, int status, const std::string& part) {
  EXPECT_EQ(ending.status, status);
  EXPECT_EQ(ending.out, "");
  EXPECT_EQ(std::count(ending.err.begin(), ending.err.end(), '\n'), 1) << ending.err;
  EXPECT_TRUE(ending.err.ends_with(".\n") || ending.err.ends_with("?\n")) << ending.err;
  EXPECT_NE(ending.err.find(part), std::string::npos) << ending.err;
}

void expect_last_sentence(Ending ending, int status, const std::string& part) {
  const std::size_t before_last = ending.err.rfind('\n', ending.err.empty() ? 0 : ending.err.size() - 2);
  if (before_last != std::string::npos) ending.err.erase(0, before_last + 1);
  expect_one_sentence(ending, status, part);
}

}  // namespace dragoman
