// dragoman cost as its user sees it.
#include <gtest/gtest.h>

#include "dragoman/base/files.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class CostCli : public TrainingTest {
 protected:
  void make_run(const std::string& name, const std::string& more) const {
    const Ending ending = run(train(name, more));
    ASSERT_EQ(ending.status, 0) << ending.err;
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(CostCli, ShowsThePapersTable) {
  const Ending ending = run("cost");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(has(ending.out, "  ConvS2S ")) << ending.out;
  EXPECT_TRUE(has(ending.out, "3.28e18"));
  EXPECT_FALSE(has(ending.out, "Training runs"));
}

TEST_F(CostCli, ComparesRunsOfTwoSeedsWithAnotherModel) {
  make_run("small-1", "--steps 60 --seed 1");
  make_run("small-2", "--steps 60 --seed 2");
  make_run("wide", "--steps 60 --d-ff 64");
  const std::string models = " --model " + file("small-1") + "," + file("wide") + " --model " + file("small-2");
  const Ending ending = run("cost --json --output " + file("cost.html") + models);
  ASSERT_EQ(ending.status, 0) << ending.err;
  const Json rows = Json::parse(ending.out)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["row"], "small");
  EXPECT_EQ(rows[0]["runs"].size(), 2u);
  EXPECT_EQ(rows[0]["steps"]["mean"], 60);
  EXPECT_GT(rows[0]["seconds"]["mean"], 0);
  EXPECT_GE(rows[0]["seconds_to_bleu"]["mean"], rows[0]["seconds_to_95_percent"]["mean"]);
  EXPECT_GT(rows[0]["machine_rate"]["mean"], 0);
  // The same sentences cost more in the wider model.
  EXPECT_GT(rows[1]["flops_by_model"]["mean"], rows[0]["runs"][0]["flops_by_model"]);
  EXPECT_TRUE(has(read_file(file("cost.html")), "<svg "));

  const std::string markdown = run("cost --markdown --rate 1e12" + models).out;
  EXPECT_TRUE(has(markdown, "| small | 1 + 1 layers")) << markdown;
  EXPECT_TRUE(has(markdown, "| 1.00e12 |\n")) << markdown;
}

TEST_F(CostCli, CountsPresetsOfEveryArchitectureBeforeTraining) {
  const Ending ending = run("cost --json --preset base,multi30k-gru --preset universal-base,conv-iwslt --sentence 25");
  ASSERT_EQ(ending.status, 0) << ending.err;
  const Json rows = Json::parse(ending.out)["rows"];
  EXPECT_NEAR(rows[0]["flops_by_model"]["mean"].get<double>(), 9.52e17, 0.005e17);
  EXPECT_GT(rows[1]["flops_by_model"]["mean"], 0);
  EXPECT_GT(rows[2]["flops_by_model"]["mean"], 0);
  EXPECT_GT(rows[3]["flops_by_model"]["mean"], 0);
  EXPECT_EQ(rows[3]["seconds"], nullptr);
}

TEST_F(CostCli, BadInputGetsOneSentence) {
  make_directory(file("empty"));
  make_directory(file("begun"));
  replace_file(file("begun/metrics.jsonl"), "");
  make_directory(file("damaged"));
  replace_file(file("damaged/metrics.jsonl"), "{\"kind\": 1\n{}\n");
  expect_one_sentence(run("cost --model " + file("none")), 1, "there is no directory");
  expect_one_sentence(run("cost --model " + file("empty")), 1, "it has no metrics.jsonl");
  expect_one_sentence(run("cost --model " + file("begun")), 1, "'begun' has no records of its progress yet");
  expect_one_sentence(run("cost --model " + file("damaged")), 1, "line 1 of");
  expect_one_sentence(run("cost --model " + file("empty") + "," + file("empty/")), 2, "is named twice");
  expect_one_sentence(run("cost --preset basement"), 2, "basement");
  expect_one_sentence(run("cost --preset base --sentence 0"), 2, "sentence is 0; it must be above 0.");
  expect_one_sentence(run("cost --preset base --sentence 9000000000000"), 2, "too large to count");
  expect_one_sentence(run("cost --sentence 30"), 2, "without --preset");
  expect_one_sentence(run("cost --rate 1e12"), 2, "without --model");
  expect_one_sentence(run("cost --rate 0.5 --model " + file("empty")), 2, "rate is 0.5; it must be at least 1");
  expect_one_sentence(run("cost --json --markdown"), 2, "either --markdown or --json");
  expect_one_sentence(run("cost --output /no/such/place.html"), 2, "/no/such/place.html");
}

}  // namespace
}  // namespace dragoman
