#include "dragoman/cli/completions/completions.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace dragoman::cli {
namespace {

// A program with arguments, which are given without a flag's name: `copy --force [FILE]...`, `explain [small|large]`
// and `list [DIR]`. It must outlive its tree.
struct Program {
  Program() {
    CLI::App& copy = *app.add_subcommand("copy", "copy files");
    copy.add_flag("--force", word, "replace files");
    copy.add_option("FILE", files, "what to copy")->type_name("");
    app.add_subcommand("explain", "say more")->add_option("WORD", word, "which one")->type_name("small|large");
    app.add_subcommand("list", "list files")->add_option("--directory,DIR", word, "where")->type_name("DIR");
  }
  CommandEntry tree() const { return command_tree(app); }

  CLI::App app{"A program.", "dragoman"};
  std::vector<std::string> files;
  std::string word;
};

TEST(CommandTree, HasArgumentsBesideFlags) {
  const Program program;
  const CommandEntry copy = program.tree().commands.at(0), list = program.tree().commands.at(2);
  ASSERT_EQ(copy.flags.size(), 2u);  // --help and --force
  EXPECT_EQ(copy.flags[1].name, "--force");
  ASSERT_EQ(copy.arguments.size(), 1u);
  EXPECT_EQ(copy.arguments[0].name, "FILE");
  EXPECT_EQ(copy.arguments[0].help, "what to copy");
  EXPECT_TRUE(copy.arguments[0].takes_file());
  EXPECT_TRUE(copy.arguments[0].is_repeated);
  // The directory may be given with or without its flag.
  ASSERT_EQ(list.flags.size(), 2u);
  EXPECT_EQ(list.flags[1].name, "--directory");
  ASSERT_EQ(list.arguments.size(), 1u);
  EXPECT_TRUE(list.arguments[0].takes_directory());
  EXPECT_FALSE(list.arguments[0].is_repeated);
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
}

TEST(Completions, CompleteArguments) {
  const Program program;
  const std::string bash = bash_completions(program.tree()), zsh = zsh_completions(program.tree()),
                    fish = fish_completions(program.tree());
  expect_part(bash, "'dragoman copy') _dragoman_words '--help --force'; [[ $word == -* ]] || _dragoman_paths f ;;");
  expect_part(bash, "'dragoman explain') _dragoman_words '--help'; [[ $word == -* ]] || _dragoman_words 'small large'");
  expect_part(bash, "'dragoman list') _dragoman_words '--help --directory'; [[ $word == -* ]] || _dragoman_paths d ;;");
  expect_part(zsh, "'*:FILE:_files'");
  expect_part(zsh, "':WORD:(small large)'");
  expect_part(zsh, "':DIR:_files -/'");
  expect_part(fish, "'__dragoman_at dragoman copy' -F\n");
  expect_part(fish, "'__dragoman_at dragoman explain' -f -a 'small large'\n");
  expect_part(fish, "'__dragoman_at dragoman list' -f -a '(__fish_complete_directories)'\n");
}

}  // namespace
}  // namespace dragoman::cli
