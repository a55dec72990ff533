// Everything that the program does with a model, it does with Universal Transformers. The weights are random.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/universal/testing.h"
#include "tests/random_model.h"
#include "tests/server_process.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

// `model` is a Transformer with the same words.
class Universal : public SmallModelTest {
 protected:
  Universal() {
    model::UniversalConfig config = model::universal::small_universal();
    write_random_model<model::universal::SmallUniversal>(file("fixed"), config, 6);
    config.halting = model::universal::HaltingName::kAct;
    config.signal = model::universal::SignalName::kLearned;
    config.norm = model::transformer::Norm::kPre;
    config.T = 5;
    write_random_model<model::universal::SmallUniversal>(file("act"), config, 6);
  }

  static inline const std::vector<std::string> kNames{"fixed", "act"};
};

TEST_F(Universal, TranslatesToTheSameBytesHoweverTheWorkIsSharedOut) {
  const std::string text = joined(random_lines(30, 4));
  for (const std::string& name : kNames) {
    for (const std::string how : {"--beam 4", "--beam 4 --precision int8", "--search sample"}) {
      expect_the_same_however_shared_out(name, text, how);
    }
  }
}

TEST_F(Universal, ListsTheNBestAndBeginsWithThePrefixes) {
  EXPECT_EQ(lines_of(with("act", "three four\n", "--n-best 4").out).size(), 4u);
  const std::string prefixes = write("prefixes", "nine eight\n\n");
  const std::vector<std::string> lines = lines_of(with("act", "one two\nthree\n", "--prefix " + prefixes).out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("nine eight")) << lines[0];
}

TEST_F(Universal, FormsEnsemblesWithOtherArchitectures) {
  const std::string text = joined(random_lines(12, 5));
  const std::string both = with("act", text, "--scores --model " + file("fixed") + " --model " + model).out;
  EXPECT_EQ(std::ranges::count(both, '\n'), 12);
}

// The layers of a trace are the steps; a model that halts also tells how many steps each token took.
TEST_F(Universal, TracesShowTheSteps) {
  const auto trace = [&](const std::string& name) {
    const std::string to = file(name + ".jsonl");
    EXPECT_EQ(with(name, "one two three\n", "--search greedy --attention " + to).status, 0);
    return Json::parse(read_file(to));
  };
  EXPECT_EQ(trace("fixed")["attention"]["encoder"].size(), 3u);
  EXPECT_FALSE(trace("fixed").contains("pondering"));
  const Json halted = trace("act");
  EXPECT_EQ(halted["attention"]["cross"].size(), 5u);
  EXPECT_EQ(halted["pondering"]["source"]["steps"].size(), halted["src"].size());
  for (const Json& steps : halted["pondering"]["target"]["steps"]) EXPECT_TRUE(steps >= 1 && steps <= 5) << steps;
}

// The server reads the links off the trace of the search, the command line off a second pass. A word may occur once, so
// that even a model that has learned nothing comes to an end.
TEST_F(Universal, TheServerGivesTheAlignmentOfTheCommandLine) {
  std::string links;
  for (const std::string& name : kNames) {
    ServerProcess server({"--model", file(name), "--threads", "1"});
    Client client(server.port());
    for (const std::string line : {"one two three", "four five", "six seven eight nine"}) {
      const Json body{{"q", line}, {"no_repeat_ngram", 1}, {"max_extra", 10}, {"alignment", true}};
      const auto answer = client.ask(posted("/v1/translate", body));
      ASSERT_EQ(answer.status, 200) << answer.body;
      const Json sentence = parse_json(answer.body, "the answer")["translations"][0]["sentences"][0];
      ASSERT_TRUE(sentence.contains("alignment")) << sentence;
      links += sentence["alignment"];
      const std::string printed = with(name, line + "\n", "--no-repeat-ngram 1 --alignment").out;
      EXPECT_EQ(lines_of(printed).at(0), std::string(sentence["text"]) + "\t" + std::string(sentence["alignment"]));
    }
  }
  EXPECT_NE(links, "");  // a word that attends most to the end of the sentence has none, but not all do
}

TEST_F(Universal, EvaluationsReportThePonderTime) {
  const std::string source = write("source", joined(random_lines(8, 4))),
                    reference = write("reference", joined(random_lines(8, 5)));
  const auto evaluated = [&](const std::string& name) {
    const Ending ending = run("evaluate --json --search greedy --threads 1 --model " + file(name) + " --source " +
                              source + " --reference " + reference);
    EXPECT_EQ(ending.status, 0) << ending.err;
    return Json::parse(ending.out);
  };
  EXPECT_FALSE(evaluated("fixed").contains("ponder_time"));
  const Json time = evaluated("act")["ponder_time"];
  for (const char* stack : {"encoder", "decoder"}) EXPECT_TRUE(time[stack] > 1 && time[stack] <= 6) << time.dump();
}

}  // namespace
}  // namespace dragoman
