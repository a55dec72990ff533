#include "dragoman/cli/show/invocation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

TEST(ShellWord, IsQuotedOnlyIfAShellWouldInterpretIt) {
  EXPECT_EQ(shell_word("runs/en-de_1.2"), "runs/en-de_1.2");
  EXPECT_EQ(shell_word("my model"), "'my model'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word("~/model"), "'~/model'");
  EXPECT_EQ(shell_word(""), "''");
}

class ProgramCall : public ::testing::Test {
 protected:
  ProgramCall() {
    for (const char* folder : {"bin", "other"}) {
      fs::create_directories(directory / folder);
      std::ofstream(directory / folder / "dragoman");
      fs::permissions(directory / folder / "dragoman", fs::perms::owner_all);
    }
  }
  ~ProgramCall() override { fs::remove_all(directory); }

  fs::path directory = ::testing::TempDir() + "dragoman_call_" + std::to_string(::getpid());
  std::string bin = directory / "bin", other = directory / "other", program = bin + "/dragoman";
};

TEST_F(ProgramCall, IsTheNameIfAShellFindsThisProgram) {
  EXPECT_EQ(program_call("dragoman", ""), "dragoman");
  EXPECT_EQ(program_call(program, "/no/such/directory:" + bin), "dragoman");
  EXPECT_EQ(program_call(program, bin + ":" + other), "dragoman");
}

TEST_F(ProgramCall, IsThePathIfAShellFindsAnotherProgramOrNone) {
  EXPECT_EQ(program_call(program, ""), program);
  EXPECT_EQ(program_call(program, other), program);
  EXPECT_EQ(program_call(program, other + ":" + bin), program);
  fs::permissions(other + "/dragoman", fs::perms::owner_read);
  EXPECT_EQ(program_call(program, other + ":" + bin), "dragoman");  // a shell passes over what it cannot run
  EXPECT_EQ(program_call("./my programs/dragoman", ""), "'./my programs/dragoman'");
}

}  // namespace
}  // namespace dragoman::cli
