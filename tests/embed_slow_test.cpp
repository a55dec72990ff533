// What `cmake --install` installs: a program against the package is built and run, as another project would; the
// program works where it is moved.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/small_model.h"

namespace dragoman {
namespace {

class Package : public SmallModelTest {
 protected:
  static bool succeeds(const std::string& line) {
    const Ending ending = shell(line);
    EXPECT_EQ(ending.status, 0) << line << "\n" << ending.out << ending.err;
    return ending.status == 0;
  }
  bool install() const { return succeeds("cmake --install '" DRAGOMAN_BINARY_DIR "' --prefix " + file("installed")); }
};

TEST_F(Package, LetsAnotherProgramTranslate) {
  const std::string source = std::string(DRAGOMAN_SOURCE_DIR) + "/examples/embed", build = file("build");
  ASSERT_TRUE(install());
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

TEST_F(Package, MayBeMoved) {
  ASSERT_TRUE(install());
  std::filesystem::rename(file("installed"), file("moved"));
  const Ending ending = shell(file("moved/bin/dragoman") + " --version");
  EXPECT_EQ(ending.out, run("--version").out);
  EXPECT_EQ(ending.status, 0) << ending.err;
#if defined(DRAGOMAN_MPI_MODULE)
  EXPECT_NE(ending.out.find("MPI:        Open MPI v"), std::string::npos) << ending.out;
#endif
}

}  // namespace
}  // namespace dragoman
