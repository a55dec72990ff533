// `dragoman train` with convolutional networks, by Adam and by Nesterov's momentum.
#include <gtest/gtest.h>

#include <string>

#include "dragoman/base/files.h"
#include "tests/learning.h"

namespace dragoman {
namespace {

class ConvolutionalTraining : public LearningTest {
 protected:
  ConvolutionalTraining()
      : LearningTest(
            "--arch conv --layers 2 --embedding 16 --encoder-channels 16 --decoder-channels 16 --max-positions 50"
            " --dropout 0.1") {}
};

TEST_F(ConvolutionalTraining, LearnsAndResumes) {
  replace_file(file("probe"), "the old cat\na small house\tesuoh llams a\n");
  expect_to_learn_and_to_resume("--decoder-kernels 3,2 --encoder-dilations 1,2 --probe " + file("probe"));
}

TEST_F(ConvolutionalTraining, ByNesterovsMomentumLearnsAndResumes) {
  expect_to_learn_and_to_resume("--tie three-way --optimiser nesterov --momentum 0.9 --peak-rate 0.3 --clip 0.5");
}

TEST_F(ConvolutionalTraining, AKilledRunEndsWithTheSameBytes) {
  expect_the_same_bytes_after_a_kill("--steps 120 --optimiser nesterov --momentum 0.9 --peak-rate 0.3");
}

TEST_F(ConvolutionalTraining, DoesNotDependOnTheNumberOfThreads) { expect_the_same_with_any_threads("by", ""); }

TEST_F(ConvolutionalTraining, CheckpointsAreAveragedAndExported) {
  expect_to_average_and_export("");
  const Ending refused = run(train("again", "--steps 10 --init " + file("int8")));
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("it is an exported copy, which can translate but not be trained."), std::string::npos)
      << refused.err;
  run_training("started", "--steps 10 --init " + file("mean"));
  EXPECT_LT(losses("started").front(), losses("model").front());
}

TEST(ConvolutionalSettings, ThatDoNotFitAreRefused) {
  const auto refused = [](const std::string& flags, const std::string& part) {
    expect_one_sentence(run("inspect --arch conv " + flags), 2, part);
  };
  refused("--encoder-dilations 1,3,9", "encoder-dilations is for 3 layers, but encoder-layers is 4;");
  refused("--encoder-kernels 4", "encoder-kernels has 4; the encoder's taps lie on both sides of a word");
  refused("--decoder-channels 0", "decoder-channels has '0', but its items are numbers from 1 to ");
  refused("--tie decoder --output-width 100", "but output-width is 100; make them equal, or set tie to none.");
}

TEST_F(ConvolutionalTraining, RefusesSettingsOfAnotherOptimiser) {
  expect_one_sentence(run(train("model", "--momentum 0.5")), 2, "--momentum has no effect with the optimiser adam;");
  expect_one_sentence(run(train("model", "--optimiser nesterov --beta2 0.9")), 2,
                      "--beta2 has no effect with the optimiser nesterov;");
}

TEST(ConvolutionalDemo, ReversesStrings) {
  const Ending ending = run(
      "demo --task reverse --arch conv --layers 1 --embedding 8 --encoder-channels 8 --decoder-channels 8 --steps 5");
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_NE(
      ending.err.find("A model of the kind conv (1 + 1 convolutional layers of width 8, kernel 3) learns to reverse"),
      std::string::npos)
      << ending.err;
  EXPECT_NE(ending.out.find("attention is largest at the symbol to write in "), std::string::npos) << ending.out;
}

}  // namespace
}  // namespace dragoman
