// dragoman complexity as its user sees it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "dragoman/base/fields_json.h"
#include "tests/program.h"

namespace dragoman {
namespace {

const std::string kSmall = "complexity --n 8:32 --d 64,128 --rows 128 --path-n 16,50 --threads 1 ";

TEST(Complexity, CountsStepsAndPathsAgreeWithTable1) {
  const Ending ending = run(kSmall + "--counts-only");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(ending.err, "");
  EXPECT_NE(ending.out.find("equal the formulas at all 40 measured sizes"), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("  dilated           k n d², k = 3"), std::string::npos) << ending.out;
  EXPECT_EQ(ending.out.find("forward ms"), std::string::npos);
}

TEST(Complexity, PrintsTimesAndSlopes) {
  const Ending ending = run(kSmall + "--layers self,lstm --rounds 1");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(ending.out.find("slope over n, from n = 16: multiply-adds 2.00, time "), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("with backward ms"), std::string::npos);
  EXPECT_EQ(ending.out.find("recurrent over n"), std::string::npos);
}

TEST(Complexity, PrintsJsonAndWritesAPage) {
  const std::string page = scratch(".html");
  const Ending ending = run(kSmall + "--counts-only --layers restricted --r 5 --json --output " + page);
  EXPECT_EQ(ending.status, 0) << ending.err;
  const Json json = Json::parse(ending.out);
  EXPECT_EQ(json["layers"][0]["layer"], "restricted");
  EXPECT_EQ(json["layers"][0]["paths"][1]["length"], 25);
  std::ifstream file(page);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("<svg "), std::string::npos);
  std::filesystem::remove(page);
}

TEST(Complexity, BadInputGetsOneSentence) {
  expect_one_sentence(run("complexity --n 0"), 2, "n is 0; it must be from 1 to 65536.");
  expect_one_sentence(run("complexity --n 64:32"), 2, "'64:32' is not a range of sizes");
  expect_one_sentence(run("complexity --n abc"), 2, "abc");
  expect_one_sentence(run("complexity --d 100"), 2, "d is 100, which is not a multiple of the width of a head, 64");
  expect_one_sentence(run("complexity --layers transistor"), 2, "'transistor' is not one of self, self+projections");
  expect_one_sentence(run("complexity --layers self,self"), 2, "--layers names 'self' twice.");
  expect_one_sentence(run("complexity --r 10"), 2, "r is 10; it must be odd");
  expect_one_sentence(run("complexity --precision bf16"), 2, "needs a GPU");
  expect_one_sentence(run("complexity --output /no/such/place.html"), 2, "/no/such/place.html");
}

}  // namespace
}  // namespace dragoman
