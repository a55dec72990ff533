// dragoman demo, with a single step of training: what it leaves in the model's directory.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "dragoman/demo/plain_words.h"
#include "dragoman/model/files/words.h"
#include "tests/program.h"

namespace dragoman {
namespace {

TEST(Demo, WritesTheWordsThatItKnows) {
  const std::string directory = scratch("_demo");
  const Ending ending = run("demo --steps 1 --model " + directory);
  ASSERT_EQ(ending.status, 0) << ending.err;
  const std::vector<std::string> words = model::read_words(directory);
  const std::set<std::string> known(words.begin(), words.end());
  EXPECT_FALSE(known.contains("hello"));
  std::ifstream test(directory + "/text/test.en");
  int checked = 0;
  for (std::string line; std::getline(test, line);) {
    for (const std::string_view word : demo::plain_words(line)) {
      if (std::string_view(".,?!").find(word) != std::string_view::npos) continue;
      std::string small(word);
      small[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(small[0])));
      EXPECT_TRUE(known.contains(std::string(word)) || known.contains(small)) << word;
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace dragoman
