// `dragoman train` with recurrent networks: they learn, a run that was stopped or killed ends with the same bytes as an
// uninterrupted one, and settings that do not fit each other are refused in one sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "tests/learning.h"

namespace dragoman {
namespace {

class RecurrentTraining : public LearningTest {
 protected:
  RecurrentTraining()
      : LearningTest(
            "--arch rnn --embedding 12 --encoder-hidden 8 --hidden 16 --embedding-dropout 0.1 --output-dropout 0.1") {}
};

TEST_F(RecurrentTraining, WithAdditiveAttentionLearnsAndResumes) {
  replace_file(file("probe"), "the old cat\na small house\tesuoh llams a\n");
  expect_to_learn_and_to_resume("--initial-state noise --layer-dropout 0.1 --context-dropout 0.1 --probe " +
                                file("probe"));
}

TEST_F(RecurrentTraining, WithoutAttentionLearnsAndResumes) {
  replace_file(file("probe"), "the old cat\n");
  expect_to_learn_and_to_resume("--context fixed --readout state --layers 2 --layer-dropout 0.1 --probe " +
                                file("probe"));
}

TEST_F(RecurrentTraining, WithAnEncoderThatAttendsToItsPastLearnsAndResumes) {
  expect_to_learn_and_to_resume("--encoder-self-attention");
}

TEST_F(RecurrentTraining, WithInputFeedingLearnsAndResumes) {
  expect_to_learn_and_to_resume("--context current --input-feeding --cell lstm --attention-score general");
}

TEST_F(RecurrentTraining, WithConditionalCellsLearnsAndResumes) {
  expect_to_learn_and_to_resume("--context conditional --readout deep --bridge mean --tie decoder");
}

// Hard attention keeps a baseline, the mean of what its choices have earned, which belongs to a checkpoint.
TEST_F(RecurrentTraining, WithHardAttentionLearnsAndResumes) {
  expect_to_learn_and_to_resume("--attention-mode hard --hard-return to-go");
}

TEST_F(RecurrentTraining, WithGumbelNoiseLearnsAndResumes) {
  expect_to_learn_and_to_resume("--attention-mode gumbel --gumbel-steps 30");
}

TEST_F(RecurrentTraining, AKilledRunEndsWithTheSameBytes) {
  expect_the_same_bytes_after_a_kill("--attention-mode hard --steps 120");
}

TEST_F(RecurrentTraining, DoesNotDependOnTheNumberOfThreads) {
  for (const std::string mode : {"soft", "hard"}) {
    expect_the_same_with_any_threads(mode, " --context conditional --attention-mode " + mode);
  }
}

TEST_F(RecurrentTraining, TheSeedDecides) {
  run_training("one", "--steps 10 --attention-mode hard");
  run_training("two", "--steps 10 --attention-mode hard");
  run_training("other", "--steps 10 --attention-mode hard --seed 2");
  expect_same_run(file("one"), file("two"), 10);
  EXPECT_NE(read_file(file("one/model.safetensors")), read_file(file("other/model.safetensors")));
}

TEST_F(RecurrentTraining, OfADirectoryNeedsNoArchitecture) {
  run_training("model", "--steps 10");
  const Ending longer = run("train --model " + file("model") + " --hidden 16 --steps 20");
  EXPECT_EQ(longer.status, 0) << longer.err;
  EXPECT_EQ(resumed_step(longer), 10);
  expect_one_sentence(run("train --model " + file("model") + " --cell lstm --steps 30"), 2, "cell was gru and is lstm");
  expect_one_sentence(run("train --model " + file("model") + " --arch transformer --steps 30"), 2,
                      "arch is transformer, but the run in this directory is of the architecture rnn;");
  run_training("started", "--steps 10 --init " + file("model"));
  EXPECT_LT(losses("started").front(), losses("model").front());
}

TEST_F(RecurrentTraining, CheckpointsAreAveraged) {
  run_training("model", "--steps 20 --average 0 --ema 0");
  const Ending ending = run("average --model " + file("model") + " --last 2 --output " + file("mean"));
  ASSERT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(read_file(file("mean/model.safetensors")), read_file(file("model/model.safetensors")));
  const Ending translated = run("translate --threads 1 --model " + file("mean") + " " + file("valid.en"));
  EXPECT_EQ(translated.status, 0) << translated.err;
  EXPECT_EQ(std::ranges::count(translated.out, '\n'), 30);
}

TEST(RecurrentSettings, ThatDoNotFitAreRefusedWithBothNames) {
  const auto refused = [](const std::string& flags, const std::string& part) {
    expect_one_sentence(run("inspect --arch rnn --encoder-hidden 8 --hidden 18 " + flags), 2, part);
  };
  const std::string widths = "but hidden is 18 and two directions of encoder-hidden 8 make 16; make them equal, or ";
  refused("--attention-score dot", "attention-score dot multiplies the decoder's state with the encoder's, " + widths);
  refused("--attention-score scaled --bidirectional=false", "but hidden is 18 and encoder-hidden is 8;");
  refused("--bridge copy", "bridge is copy, which needs states of one width, " + widths + "set bridge to tanh.");
  refused("--bridge copy --hidden 16 --decoder-layers 2", "encoder-layers is 1 and decoder-layers is 2;");
  refused("--context conditional --cell lstm", "context is conditional, which is made of two GRUs, but cell is lstm;");
  refused("--input-feeding", "input-feeding is for context current, but context is previous;");
  refused("--context current --readout deep", "context current has a readout of its own, tanh, but readout is deep;");
  refused("--context fixed --attention-mode hard", "attention-mode is hard, but context fixed has no attention;");
  refused("--context fixed --attention-mode gumbel", "attention-mode is gumbel, but context fixed has no attention;");
  refused("--cell lstm --reset before", "reset is a setting of GRUs, but cell is lstm;");
  refused("--encoder-self-attention --initial-state noise", "initial-state is noise, but with encoder-self-attention");
  refused("--source-vocabulary 50", "tie is three-way, which needs one vocabulary for both sides");
  refused("--soft-share 1.5", "soft-share is 1.5; it must be from 0 to 1.");
  refused("--hidden 0", "hidden is 0; it must be from 1 to ");
  refused("--heads 4", "there is no flag '--heads' for the architecture rnn; transformer and universal have it.");
  refused("--cell gur", "--cell: 'gur' is not one of vanilla, gru, lstm. Did you mean 'gru'?");
}

TEST_F(RecurrentTraining, IsRefusedBeforeAnythingIsWritten) {
  expect_one_sentence(run(train("model", "--attention-score dot --hidden 10")), 2, "attention-score dot");
  expect_one_sentence(run(train("model", "--preset base")), 2,
                      "arch is rnn, but the preset is of the architecture transformer; leave one of them out.");
  expect_one_sentence(run("train --model " + file("model") + text_flags() + " --arch transformer --preset rnn-luong"),
                      2, "arch is transformer, but the preset is of the architecture rnn; leave one of them out.");
  EXPECT_FALSE(std::filesystem::exists(file("model")));
}

TEST(RecurrentDemo, RefusesSettingsThatDoNotFit) {
  const std::string reverse = "demo --task reverse --steps 2 --arch rnn ";
  expect_one_sentence(run(reverse + "--context fixed --attention-mode hard"), 2, "context fixed has no attention;");
  expect_one_sentence(run(reverse + "--preset symbols"), 2, "the preset is of the architecture transformer;");
  expect_one_sentence(run("demo --arch rnn"), 2, "--arch has no effect with --task translate;");
  expect_one_sentence(run("demo --preset rnn-symbols"), 2, "--preset has no effect with --task translate;");
}

TEST(RecurrentDemo, ReversesStrings) {
  const Ending ending = run("demo --task reverse --arch rnn --embedding 8 --encoder-hidden 8 --hidden 8 --steps 5");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(
      ending.err.find("A model of the kind rnn (1 + 1 GRU layers of width 8, attention additive) learns to reverse"),
      std::string::npos)
      << ending.err;
  EXPECT_NE(ending.out.find("attention is largest at the symbol to write in "), std::string::npos) << ending.out;
}

}  // namespace
}  // namespace dragoman
