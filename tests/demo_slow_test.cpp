// `dragoman demo`: the commands that it prints work where it was run, and what it leaves in the model's directory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/demo/plain_words.h"
#include "dragoman/model/files/words.h"
#include "tests/program.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

class Demo : public ::testing::Test {
 protected:
  Demo() { std::filesystem::create_directories(directory); }
  ~Demo() override { std::filesystem::remove_all(directory); }

  Ending here(const std::string& line) const { return shell("cd " + directory + " && " + line); }

  // The commands in what the demo printed at last: the lines that are indented.
  static std::vector<std::string> commands(const std::string& out) {
    std::vector<std::string> found;
    std::istringstream lines(out.substr(std::min(out.find("What you can do next:"), out.size())));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  ")) found.push_back(line.substr(2));
    }
    return found;
  }

  void expect_commands_that_work(const std::string& out) const;

  std::string directory = scratch("_demo");
};

// `out` is what the demo printed when it was run in `directory` with --model 'my demo'.
void Demo::expect_commands_that_work(const std::string& out) const {
  const std::vector<std::string> next = commands(out);
  ASSERT_EQ(next.size(), 4u) << out;
  const std::string program = tested_program();
  EXPECT_EQ(next[0], "echo 'The old man gave the child a red book.' | " + program + " translate --model 'my demo'");
  EXPECT_EQ(here(next[0] + " | wc -l").out, "1\n");
  EXPECT_EQ(next[1], program + " serve --model 'my demo'");
  EXPECT_NE(out.find("open my demo/report.html in a browser"), std::string::npos) << out;
  EXPECT_TRUE(std::filesystem::exists(directory + "/my demo/report.html"));
  ASSERT_EQ(here(next[2]).status, 0);
  EXPECT_EQ(read_file(directory + "/my.grammar"),
            read_file(DRAGOMAN_SOURCE_DIR "/configs/demo/english-german.grammar"));
  EXPECT_EQ(next[3], program + " demo --grammar my.grammar --model my-demo");
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The roles are found without the grammar; the grammar only judges them. This model has learned for a part of the time,
// and its heads differ less than those of a whole run: the head with the lowest error must have the role, and those
// with it must be better than the others by ten points on average.
void expect_alignment_heads_to_err_least(const std::string& model) {
  const std::string text = model + "/text/test";
  const Ending ending = run("heads --json --model '" + model + "' --reference '" + text + ".de' --alignments '" + text +
                            ".align' --sentences 1000 '" + text + ".en'");
  ASSERT_EQ(ending.status, 0) << ending.err;
  std::vector<double> named, others;
  const Json found = parse_json(ending.out, "the heads");
  for (const Json& head : found["heads"]) {
    if (head["attention"] != "cross") continue;
    (head["role"] == "alignment" ? named : others).push_back(head["alignment_error"]);
  }
  ASSERT_FALSE(named.empty() || others.empty()) << found["heads"].dump(1);
  EXPECT_LT(*std::ranges::min_element(named), *std::ranges::min_element(others)) << found["heads"].dump(1);
  EXPECT_LT(mean(named) + 0.1, mean(others)) << found["heads"].dump(1);
}

// A part of a training run is too short to learn what pronouns stand for; here only the figures are checked.
void expect_pronoun_figures(const std::string& model, const std::string& printed) {
  const Ending ending = run("heads --model '" + model + "'");
  ASSERT_EQ(ending.status, 0) << ending.err;
  const std::string figures =
      ending.out.substr(std::min(ending.out.find("300 sentences with a pronoun"), ending.out.size()));
  EXPECT_FALSE(figures.empty()) << ending.out;
  EXPECT_NE(printed.find(figures), std::string::npos) << printed;
  const Json found = parse_json(read_file(model + "/heads.json"), "heads.json")["pronoun"];
  EXPECT_EQ(found["example"]["sentences"][0]["text"], "The animal didn't cross the street because it was too tired.");
  EXPECT_EQ(found["example"]["sentences"][1]["meant"], "street");
  EXPECT_EQ(found["example"]["place"], found["attention"] == "cross" ? 9 : 8);  // of es, or of it
  EXPECT_GT(found["prefers"], 0.5);                                             // some head is better than chance
}

void expect_words_of_the_test_set(const std::string& model) {
  const std::vector<std::string> words = model::read_words(model);
  const std::set<std::string> known(words.begin(), words.end());
  EXPECT_FALSE(known.contains("hello"));
  std::ifstream test(model + "/text/test.en");
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
  const std::string count = std::to_string(words.size()), english = read_file(DRAGOMAN_SOURCE_DIR "/README.md"),
                    chinese = read_file(DRAGOMAN_SOURCE_DIR "/README.zh-CN.md");
  EXPECT_TRUE(std::regex_search(english, std::regex(count + "\\s+English\\s+words"))) << count;
  EXPECT_NE(chinese.find(count + " 个英语词"), std::string::npos) << count;
}

// One model serves both questions, because training it takes most of the time. Its name has a space, which the printed
// commands must quote.
TEST_F(Demo, LearnsHeadsThatAlignWordsAndPrintsCommandsThatWork) {
  const std::string call = kProgram + " demo --steps 240 --model 'my demo'", model = directory + "/my demo";
  const Ending ending = here(call);
  ASSERT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(parse_json(read_file(model + "/heads.json"), "heads.json")["sentences"], 500);
  expect_commands_that_work(ending.out);
  expect_alignment_heads_to_err_least(model);  // `heads` keeps what is known of pronouns
  expect_pronoun_figures(model, ending.out);
  expect_words_of_the_test_set(model);
  // A run of the same demo has nothing left to train, and is called by its name here.
  const std::string folder = std::filesystem::path(tested_program()).parent_path();
  const Ending again = here("PATH=" + folder + ":\"$PATH\" " + call);
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(commands(again.out).at(1), "dragoman serve --model 'my demo'");
}

}  // namespace
}  // namespace dragoman
