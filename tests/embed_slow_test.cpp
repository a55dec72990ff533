// Builds and runs a program against the installed package, as another project would.
#include <gtest/gtest.h>

#include <string>

#include "tests/small_model.h"

namespace dragoman {
namespace {

class Package : public SmallModelTest {};

TEST_F(Package, LetsAnotherProgramTranslate) {
  const std::string source = std::string(DRAGOMAN_SOURCE_DIR) + "/examples/embed", build = file("build");
  const auto succeeds = [](const std::string& line) {
    const Ending ending = shell(line);
    EXPECT_EQ(ending.status, 0) << line << "\n" << ending.out << ending.err;
    return ending.status == 0;
  };
  ASSERT_TRUE(succeeds("cmake --install '" DRAGOMAN_BINARY_DIR "' --prefix " + file("installed")));
  ASSERT_TRUE(succeeds("cmake -S '" + source + "' -B " + build + " -D CMAKE_PREFIX_PATH=" + file("installed")));
  ASSERT_TRUE(succeeds("cmake --build " + build));
  ASSERT_TRUE(succeeds(build + "/embed --help"));
  const std::string input = write("input", "one two\n\nthree\n");
  const std::string ours = shell(command("translate", "") + " < " + input).out;
  EXPECT_EQ(shell(build + "/embed " + model + " < " + input + " | cut -f 2").out, ours);
  EXPECT_EQ(
      shell(build + "/embed /no/such/model").err,
      "embed: there is no model directory '/no/such/model'; name one that 'dragoman train' or 'dragoman demo' made.\n");
}

}  // namespace
}  // namespace dragoman
