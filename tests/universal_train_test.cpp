// `dragoman train` with Universal Transformers, whose tokens take a fixed number of steps or decide it themselves.
#include <gtest/gtest.h>

#include <string>

#include "dragoman/base/files.h"
#include "tests/learning.h"

namespace dragoman {
namespace {

class UniversalTraining : public LearningTest {
 protected:
  UniversalTraining()
      : LearningTest(
            "--arch universal --depth-steps 3 --d-model 16 --d-ff 32 --heads 2 --norm pre --dropout 0.1"
            " --schedule inverse-sqrt") {}
};

TEST_F(UniversalTraining, WithAFixedDepthLearnsAndResumes) {
  replace_file(file("probe"), "the old cat\na small house\tesuoh llams a\n");
  expect_to_learn_and_to_resume("--position-offset 5 --probe " + file("probe"));
}

TEST_F(UniversalTraining, WithHaltingLearnsAndResumes) {
  expect_to_learn_and_to_resume("--halting act --step-signal learned --attention-dropout 0.1 --relu-dropout 0.1");
}

TEST_F(UniversalTraining, RecordsTheCostOfItsSteps) {
  run_training("model", "--halting act --halted copy --ponder-cost 0.1 --steps 10");
  for (const Json& record : timeless_metrics(file("model"))) {
    if (record["kind"] != "progress") continue;
    for (const char* side : {"ponder-encoder", "ponder-decoder"}) {
      EXPECT_GT(record[side], 0.1 * 1) << record.dump();  // at least one step
      EXPECT_LE(record[side], 0.1 * 4) << record.dump();  // at most three and a remainder
    }
  }
}

TEST_F(UniversalTraining, AKilledRunEndsWithTheSameBytes) {
  expect_the_same_bytes_after_a_kill("--halting act --steps 120");
}

TEST_F(UniversalTraining, DoesNotDependOnTheNumberOfThreads) {
  expect_the_same_with_any_threads("by", " --halting act");
}

TEST_F(UniversalTraining, CheckpointsAreAveragedAndExported) { expect_to_average_and_export(" --halting act"); }

TEST(UniversalSettings, ThatDoNotFitAreRefused) {
  const auto refused = [](const std::string& flags, const std::string& part) {
    expect_one_sentence(run("inspect --arch universal " + flags), 2, part);
  };
  refused("--depth-steps 0", "depth-steps is 0");
  refused("--halted copy", "halted is copy, but halting is none, so every token takes all steps; set halting to act, ");
  refused("--ponder-cost 0.1", "ponder-cost is 0.1, but halting is none");
  refused("--halting act --halting-threshold 1", "halting-threshold is 1; it must be above 0 and below 1.");
  refused("--encoder-layers 2", "encoder-layers");
}

TEST(ChaseTask, ReportsEveryNumberOfHopsAndTheStepsOfAModelThatHalts) {
  const Ending halting =
      run("demo --task chase --arch universal --depth-steps 3 --d-model 8 --d-ff 8 --heads 2 --halting act --steps 3");
  EXPECT_EQ(halting.status, 0) << halting.err;
  EXPECT_NE(halting.out.find("hops  strings   right  steps of the answer"), std::string::npos) << halting.out;
  const Ending plain = run("demo --task chase --layers 1 --d-model 8 --d-ff 8 --heads 2 --steps 3");
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_NE(plain.out.find("hops  strings   right\n   1  "), std::string::npos) << plain.out;
}

}  // namespace
}  // namespace dragoman
