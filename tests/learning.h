// Small training runs of models of any architecture: they learn, and a run that was stopped continues as if it had not
// been.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/training.h"

namespace dragoman {

class LearningTest : public TrainingTest {
 protected:
  // The flags give the architecture and its sizes.
  explicit LearningTest(const std::string& model_flags) : model_flags_(model_flags) {}

  // Turns on everything that makes a step depend on earlier ones, as TrainingTest::flags() does. A cooldown would make
  // the rates depend on the number of steps.
  std::string train(const std::string& model, const std::string& more) const {
    return "train --model " + file(model) + text_flags() + " " + model_flags_ +
           " --vocabulary 60 --max-length 40 --warmup 10 --peak-rate 0.01 --cooldown 0 --batch-tokens 256"
           " --accumulate 2 --ema 0.9 --average 2 --save-every 10 --valid-every 20 --report-every 10"
           " --valid-bleu-sentences 3 --threads 1 " +
           more;
  }
  Ending run_training(const std::string& model, const std::string& more) const {
    const Ending ending = run(train(model, more));
    EXPECT_EQ(ending.status, 0) << ending.err;
    return ending;
  }
  // The cross-entropy of each record of training, from first to last.
  std::vector<double> losses(const std::string& model) const {
    std::vector<double> values;
    for (const Json& record : timeless_metrics(file(model))) {
      if (record["kind"] == "progress") values.push_back(record["nll"]);
    }
    return values;
  }
  // Trains 40 steps at once, and in another directory 20 steps and then 20 more.
  void expect_to_learn_and_to_resume(const std::string& flags) const {
    run_training("straight", flags + " --steps 40");
    const std::vector<double> nll = losses("straight");
    ASSERT_EQ(nll.size(), 4u);
    EXPECT_LT(nll.back(), nll.front() - 0.2);
    run_training("resumed", flags + " --steps 20");
    EXPECT_EQ(resumed_step(run_training("resumed", flags + " --steps 40")), 20);
    expect_same_directory(file("straight"), file("resumed"));
  }
  // Kills a run after its first checkpoint, and compares the rest with a run that was never killed.
  void expect_the_same_bytes_after_a_kill(const std::string& flags) const {
    const std::string model = file("killed");
    {
      Child child(train("killed", flags));
      EXPECT_TRUE(child.wait_until([&] { return !checkpoint_steps(model).empty(); })) << child.wait().err;
      child.kill();
      EXPECT_EQ(child.wait().status, 128 + SIGKILL);
    }
    EXPECT_GT(resumed_step(run_training("killed", flags)), 0);
    run_training("straight", flags);
    expect_same_directory(file("straight"), model);
  }

 private:
  std::string model_flags_;
};

}  // namespace dragoman
