// The completions and the manual that the program prints: they contain every command and flag of --help, and bash
// accepts them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/command_help.h"
#include "tests/program.h"

namespace dragoman {
namespace {

// The completions that bash would offer for this line. The last word is the one to complete; it may be empty.
std::string completed(const std::string& words) {
  const std::string script = scratch(".bash");
  const Ending made = run("completion bash >'" + script + "'");
  EXPECT_EQ(made.status, 0) << made.err;
  const Ending ending = shell(
      "bash -c 'source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _dragoman; "
      "echo \"${COMPREPLY[@]}\"' bash '" +
      script + "' dragoman " + words);
  std::filesystem::remove(script);
  EXPECT_EQ(ending.err, "");
  return ending.out;
}

TEST(BashCompletion, KnowsCommandsFlagsAndTheirValues) {
  EXPECT_EQ(completed("trans"), "translate\n");
  EXPECT_EQ(completed("tokenizer ''"), "train encode decode --help\n");
  EXPECT_EQ(completed("help tra"), "train translate\n");
  EXPECT_EQ(completed("help tokenizer ''"), "train encode decode --help\n");
  EXPECT_EQ(completed("help train ''"), "--help\n");
  EXPECT_EQ(completed("tokenizer train --byte"), "--byte-fallback\n");
  EXPECT_EQ(completed("train --norm ''"), "post pre\n");
  EXPECT_EQ(completed("train --heads 8 --norm pr"), "pre\n");
  EXPECT_EQ(completed("train --norm = po"), "post\n");  // bash splits --norm=po this way
  EXPECT_EQ(completed("train --norm ="), "post pre\n");
  EXPECT_EQ(completed("train --heads ''"), "\n");
}

TEST(BashCompletion, OffersFilesAndDirectoriesWhereTheyBelong) {
  const std::string directory = scratch("_paths");
  std::filesystem::create_directories(directory + "/model");
  std::ofstream(directory + "/text.en");
  const std::string here = directory + "/";
  EXPECT_EQ(completed("score --reference " + here + "t"), here + "text.en\n");
  EXPECT_EQ(completed("score --reference a," + here + "t"), "a," + here + "text.en\n");
  EXPECT_EQ(completed("translate --model " + here), here + "model\n");
  EXPECT_EQ(completed("translate --config " + here + "t"), here + "text.en\n");
  EXPECT_EQ(completed("translate --beam 4 " + here + "t"), here + "text.en\n");  // a file without a flag
  EXPECT_EQ(completed("translate " + here + "text.en --qui"), "--quiet\n");
  std::filesystem::remove_all(directory);
}

TEST(Completions, HoldEveryFlagOfEveryCommand) {
  const std::string bash = run("completion bash").out, zsh = run("completion zsh").out,
                    fish = run("completion fish").out;
  const std::vector<HelpedCommand> commands = commands_from_help();
  EXPECT_GT(commands.size(), 12u);
  for (const HelpedCommand& command : commands) {
    const std::string& name = command.name;
    const std::set<std::string>& flags = command.flags;
    const std::string full_name = name.empty() ? "dragoman" : "dragoman " + name;
    std::string function = "\n_" + full_name + "()";
    std::replace(function.begin(), function.end(), ' ', '_');
    const std::size_t in_bash = bash.find("'" + full_name + "') _dragoman_words '"), in_zsh = zsh.find(function);
    ASSERT_TRUE(in_bash != std::string::npos && in_zsh != std::string::npos) << full_name;
    const std::string words = bash.substr(in_bash, bash.find('\n', in_bash) - in_bash);
    const std::string arguments = zsh.substr(in_zsh, zsh.find("\n}\n", in_zsh) - in_zsh);
    EXPECT_TRUE(flags.contains("--help")) << full_name;
    for (const std::string& flag : flags) {
      EXPECT_TRUE(words.find(flag + " ") != std::string::npos || words.find(flag + "'") != std::string::npos) << flag;
      EXPECT_NE(arguments.find(flag), std::string::npos) << full_name << flag;
      const std::string condition = "'__dragoman_at " + full_name + "'";
      EXPECT_TRUE(fish.find(condition + " -l " + flag.substr(2) + " ") != std::string::npos ||
                  fish.find(condition + " -s h -l " + flag.substr(2) + " ") != std::string::npos)
          << full_name << flag;
    }
  }
}

// troff text without its escapes.
std::string plain(std::string text) {
  for (const char* escape : {"\\fB", "\\fI", "\\fR", "\\"}) {
    for (std::size_t at; (at = text.find(escape)) != std::string::npos;) text.erase(at, std::string(escape).size());
  }
  return text;
}

TEST(Manual, HoldsEveryFlagOfEveryCommandWithItsDefault) {
  const std::string manual = plain(run("manual").out);
  for (const HelpedCommand& command : commands_from_help()) {
    const std::string full_name = command.name.empty() ? "dragoman" : "dragoman " + command.name;
    const std::size_t begin = manual.find(".SS " + full_name + "\n");
    ASSERT_NE(begin, std::string::npos) << full_name;
    const std::string section = manual.substr(begin, manual.find("\n.S", begin) - begin);
    for (const std::string& flag : command.flags) {
      EXPECT_NE(section.find(flag), std::string::npos) << full_name << flag;
    }
  }
  EXPECT_NE(manual.find("--norm post|pre\n"), std::string::npos);
  EXPECT_NE(manual.find("dragoman translate --model DIR [FLAG]... [FILE]...\n"), std::string::npos);
  EXPECT_NE(manual.find("--d-model N\nWidth of every sub-layer(aqs output.\nDefault: 512.\n"), std::string::npos);
}

TEST(Manual, HoldsEveryExample) {
  std::string manual = plain(run("manual").out);
  manual.erase(0, manual.find("\n.SH EXAMPLES\n"));
  for (const auto& [escape, mark] : {std::pair{"(aq", "'"}, std::pair{"(ti", "~"}}) {
    for (std::size_t at; (at = manual.find(escape)) != std::string::npos;) manual.replace(at, 3, mark);
  }
  for (const HelpedCommand& command : commands_from_help()) {
    for (const std::string& example : command.examples) {
      // The first line of one that is continued.
      EXPECT_NE(manual.find("\n" + example.substr(0, example.find("  "))), std::string::npos) << example;
    }
  }
}

TEST(Manual, IsFormattedWithoutAWarning) {
  if (shell("command -v groff").status != 0) GTEST_SKIP() << "there is no groff";
  const Ending ending = shell(kProgram + " manual | groff -man -ww -Tutf8 -rLL=100n");
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(ending.err, "");
  EXPECT_NE(ending.out.find("Wrong usage, configuration or input."), std::string::npos);
}

}  // namespace
}  // namespace dragoman
