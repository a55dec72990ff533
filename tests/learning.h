// Small training runs of models of any architecture: they learn, and a run that was stopped continues as if it had not
// been.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
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
  // Trains 20 steps with one thread and with two, in directories whose names begin with `name`.
  void expect_the_same_with_any_threads(const std::string& name, const std::string& flags) const {
    for (const std::string threads : {"1", "2"})
      run_training(name + threads, "--steps 20 --threads " + threads + flags);
    expect_same_run(file(name + "1"), file(name + "2"), 20);
  }
  // Trains "model", averages its last two checkpoints as "mean", exports that as "int8", and translates with it.
  void expect_to_average_and_export(const std::string& flags) const {
    run_training("model", "--steps 20 --average 0 --ema 0" + flags);
    const Ending averaged = run("average --model " + file("model") + " --last 2 --output " + file("mean"));
    ASSERT_EQ(averaged.status, 0) << averaged.err;
    const Ending exported = run("export --precision int8 --model " + file("mean") + " --output " + file("int8"));
    ASSERT_EQ(exported.status, 0) << exported.err;
    const Ending translated = run("translate --threads 1 --model " + file("int8") + " " + file("valid.en"));
    EXPECT_EQ(translated.status, 0) << translated.err;
  }

 private:
  std::string model_flags_;
};

}  // namespace dragoman
