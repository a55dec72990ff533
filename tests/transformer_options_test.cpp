// The Transformer with other scores and with normalisation by batch, from training to translation: runs resume with the
// same bytes, translations do not depend on batch mates or threads, and checkpoints are averaged with their running
// values.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "dragoman/model/files/safetensors.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class TransformerOptions : public TrainingTest {
 protected:
  Ending trained(const std::string& model, const std::string& more) const {
    const Ending ending =
        run(train(model, more + " --save-every 10 --valid-every 20 --report-every 20 --warmup 20 --average 2"));
    EXPECT_EQ(ending.status, 0) << ending.err;
    return ending;
  }
  void expect_to_resume(const std::string& flags) const {
    trained("straight", flags + " --steps 40");
    trained("resumed", flags + " --steps 20");
    EXPECT_EQ(resumed_step(trained("resumed", flags + " --steps 40")), 20);
    expect_same_directory(file("straight"), file("resumed"));
  }
  // Whatever the other lines of a batch and the number of threads.
  void expect_one_translation_of_each_line(const std::string& model, const std::string& flags) const {
    const auto translated = [&](const std::string& how) {
      const Ending ending = run("translate --max-extra 6 --scores --model " + file(model) + " " + flags + " " + how +
                                " " + file("valid.en"));
      EXPECT_EQ(ending.status, 0) << ending.err;
      return ending.out;
    };
    const std::string expected = translated("--threads 2");
    EXPECT_EQ(std::ranges::count(expected, '\n'), 30);
    EXPECT_EQ(translated("--threads 1 --batch-size 1"), expected) << flags;
    EXPECT_EQ(translated("--workers 2 --threads 2 --batch-size 7"), expected) << flags;
  }
  std::vector<float> tensor(const std::string& weights, const std::string& name) const {
    const model::SafetensorsFile from(weights);
    const auto& labels = from.labels();
    const auto found = std::ranges::find(labels, name, &model::TensorLabel::name);
    if (found == labels.end()) return {};
    std::vector<float> values(static_cast<std::size_t>(found->count()));
    from.read(name, 0, values);
    return values;
  }
};

TEST_F(TransformerOptions, AdditiveScoresLearnResumeAndTranslate) {
  expect_to_resume("--attention-score additive --attention-dropout 0.1 --window 6");
  EXPECT_EQ(tensor(file("straight/model.safetensors"), "dec.0.cross.v").size(), 16u);
  expect_one_translation_of_each_line("straight", "--beam 4");
  expect_one_translation_of_each_line("straight", "--beam 2 --precision int8");
}

TEST_F(TransformerOptions, BatchNormLearnsResumesAndTranslates) {
  expect_to_resume("--norm-kind batch --batch-norm-padding include --attention-score dot");
  // The running values have moved, and they are part of checkpoints and of the published model.
  for (const std::string weights : {"straight/model.safetensors", "straight/checkpoints/step-40/model.safetensors"}) {
    const std::vector<float> variance = tensor(file(weights), "enc.0.ln1.running_variance");
    ASSERT_EQ(variance.size(), 16u) << weights;
    EXPECT_NE(variance, std::vector<float>(16, 1.0f)) << weights;
  }
  expect_one_translation_of_each_line("straight", "--beam 4");
  expect_one_translation_of_each_line("straight", "--beam 2 --precision int8");
}

TEST_F(TransformerOptions, AKilledRunWithBatchNormEndsWithTheSameBytes) {
  const std::string flags = "--norm-kind batch --norm pre --steps 60 --save-every 10", model = file("killed");
  {
    Child child(train("killed", flags));
    EXPECT_TRUE(child.wait_until([&] { return !checkpoint_steps(model).empty(); })) << child.wait().err;
    child.kill();
    EXPECT_EQ(child.wait().status, 128 + SIGKILL);
  }
  const Ending rest = run(train("killed", flags));
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_GT(resumed_step(rest), 0);
  EXPECT_EQ(run(train("straight", flags)).status, 0);
  expect_same_directory(file("straight"), model);
}

TEST_F(TransformerOptions, DoNotDependOnTheNumberOfThreads) {
  for (const std::string threads : {"1", "2"}) {
    trained("of" + threads, "--norm-kind batch --attention-score additive --steps 20 --threads " + threads);
  }
  expect_same_run(file("of1"), file("of2"), 20);
}

TEST_F(TransformerOptions, ValidationReportsTheLossWithBatchStatisticsToo) {
  trained("layer", "--steps 20");
  trained("batch", "--steps 20 --norm-kind batch");
  const auto validation = [&](const std::string& model) {
    for (const Json& record : timeless_metrics(file(model))) {
      if (record["kind"] == "validation") return record;
    }
    return Json();
  };
  EXPECT_FALSE(validation("layer").contains("nll_of_batch_statistics"));
  const Json batch = validation("batch");
  ASSERT_TRUE(batch.contains("nll_of_batch_statistics"));
  EXPECT_NE(batch["nll_of_batch_statistics"], batch["nll"]);
}

TEST_F(TransformerOptions, AnAverageHasTheMeanOfTheRunningValues) {
  trained("model", "--norm-kind batch --steps 20");
  const Ending ending = run("average --model " + file("model") + " --last 2 --output " + file("mean"));
  ASSERT_EQ(ending.status, 0) << ending.err;
  for (const std::string name : {"dec.0.ln2.running_mean", "dec.0.ln2.running_variance"}) {
    const std::vector<float> first = tensor(checkpoint(file("model"), 10) + "/model.safetensors", name),
                             second = tensor(checkpoint(file("model"), 20) + "/model.safetensors", name),
                             mean = tensor(file("mean/model.safetensors"), name);
    ASSERT_EQ(mean.size(), 16u);
    EXPECT_NE(first, second);
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_FLOAT_EQ(mean[i], (first[i] + second[i]) / 2) << name;
  }
}

TEST_F(TransformerOptions, EnsemblesAndHeadsTakeAnyScore) {
  trained("additive", "--attention-score additive --steps 20");
  trained("batch", "--norm-kind batch --attention-score dot --steps 20");
  const Ending both = run("translate --threads 1 --max-extra 6 --model " + file("additive") + "," + file("batch") +
                          " " + file("valid.en"));
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_EQ(std::ranges::count(both.out, '\n'), 30);
  // Also of a checkpoint.
  for (const std::string& model : {file("additive"), checkpoint(file("additive"), 10)}) {
    const Ending heads =
        run("heads --threads 1 --model " + model + " --reference " + file("valid.ne") + " " + file("valid.en"));
    EXPECT_EQ(heads.status, 0) << heads.err;
    EXPECT_NE(heads.out.find("mean entropy in bits: encoder "), std::string::npos) << heads.out;
    EXPECT_NE(heads.out.find(", cross "), std::string::npos) << heads.out;
  }
}

TEST(TransformerOptionsUsage, SettingsThatDoNotFitAreRefusedWithBothNames) {
  expect_one_sentence(run("inspect --batch-norm-padding include"), 2,
                      "batch-norm-padding is include, but norm-kind is layer; set norm-kind to batch,");
  expect_one_sentence(run("inspect --norm-kind group"), 2, "norm-kind");
  expect_one_sentence(run("inspect --attention-score general"), 2, "attention-score");
  expect_one_sentence(run("inspect --norm-kind batch --batch-norm-epsilon 0"), 2, "batch-norm-epsilon");
}

}  // namespace
}  // namespace dragoman
