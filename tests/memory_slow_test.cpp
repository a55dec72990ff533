// A run stays within the memory that it was given: in training, in validation, and in translating for BLEU.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/matching.h"
#include "tests/training.h"

namespace dragoman {
namespace {

class Memory : public TrainingTest {
 protected:
  // A model whose training step needs much more memory than the program itself.
  std::string large(const std::string& more) const {
    return "train --model " + file("model") + text_flags() +
           " --layers 2 --d-model 128 --d-ff 512 --heads 4 --vocabulary 60 --max-length 40 --batch-tokens 8000"
           " --steps 3 --valid-every 2 --save-every 2 --valid-bleu-sentences 30 " +
           more;
  }
};

TEST_F(Memory, IsEnoughAtHalfOfWhatWholeBatchesNeed) {
  write_text("train", 2000, 1);
  const Ending planned = run(large(""));
  const int whole = number_in(planned.err, "memory: ([0-9,]+) MiB of");
  ASSERT_GT(whole, 0) << planned.err;
  std::filesystem::remove_all(file("model"));

  Child child(large("--memory-mb " + std::to_string(whole / 2)));
  const Ending ending = child.wait();
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_LT(number_in(ending.err, "up to ([0-9,]+) tokens a side"), 8000) << ending.err;
  EXPECT_LE(child.peak_mebibytes(), whole / 2);
  EXPECT_GT(child.peak_mebibytes(), whole / 4) << "the plan asks for much more than is used";
}

TEST_F(Memory, TooLittleIsRefusedWithTheAmountNeeded) {
  const Ending refused = run(large("--memory-mb 20"));
  expect_last_sentence(refused, 1, "training this model needs at least ");
  EXPECT_FALSE(std::filesystem::exists(file("model/model.safetensors")));
  const long enough = number_in(refused.err, "needs at least ([0-9]+) MiB");
  Child child(large("--memory-mb " + std::to_string(enough)));
  EXPECT_EQ(child.wait().status, 0) << child.wait().err;
  EXPECT_LE(child.peak_mebibytes(), enough);
}

}  // namespace
}  // namespace dragoman
