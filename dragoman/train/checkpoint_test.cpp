#include "dragoman/train/checkpoint.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::train {
namespace {

class CheckpointTest : public data::CorpusTest {
 protected:
  Checkpoint write(std::int64_t step) {
    return write_checkpoint(directory, step, *small.on, tensors(), {{"step", step}});
  }
  TrainingTensors tensors() const {
    return {.weights = small.block.tensors(), .moments = small.block.tensors_in(small.block.gradients())};
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> found;
    for (const Checkpoint& checkpoint : list_checkpoints(directory)) found.push_back(checkpoint.step);
    return found;
  }

  model::SmallModel small;
};

TEST_F(CheckpointTest, ReadsBackAsItWas) {
  const Checkpoint checkpoint = write(3);
  EXPECT_EQ(read_state(checkpoint)["step"], 3);
  model::SmallModel other(model::small_config(), {.seed = 2});
  read_tensors(checkpoint, *other.on,
               {.weights = other.block.tensors(), .moments = other.block.tensors_in(other.block.gradients())});
  EXPECT_EQ(values_of(*other.on, other.parameter("enc.0.self.W_Q")),
            values_of(*small.on, small.parameter("enc.0.self.W_Q")));
}

TEST_F(CheckpointTest, AreListedByStepAndUnfinishedOnesAreNot) {
  for (const std::int64_t step : {100, 20, 3}) write(step);
  make_directory(directory / "checkpoints" / "step-200.unfinished");
  make_directory(directory / "checkpoints" / "step-x");
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 20, 100}));
  remove_remnants(directory);
  EXPECT_FALSE(std::filesystem::exists(directory / "checkpoints" / "step-200.unfinished"));
  remove_checkpoint(list_checkpoints(directory)[1]);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{3, 100}));
}

TEST_F(CheckpointTest, DamageIsNamedByItsFile) {
  const Checkpoint checkpoint = write(3);
  for (const char* name : {"model.safetensors", "optimiser.safetensors", "state.json"}) {
    const std::string whole = read_file(checkpoint.path / name);
    replace_file(checkpoint.path / name, whole + " ");
    EXPECT_NE(data::complaint_of([&] { read_state(checkpoint); }).find(std::string(name) + "' is damaged"),
              std::string::npos);
    replace_file(checkpoint.path / name, whole);
  }
  EXPECT_EQ(read_state(checkpoint)["step"], 3);
}

TEST_F(CheckpointTest, RemnantsAreClearedAwayAndAFailureIsNamed) {
  make_directory(directory / "checkpoints");
  replace_file(directory / "checkpoints" / "step-9.unfinished", "");
  EXPECT_EQ(read_state(write(9))["step"], 9);
  std::filesystem::remove_all(directory / "checkpoints");
  replace_file(directory / "checkpoints", "a file where the directory should be");
  EXPECT_NE(data::complaint_of([&] { write(12); }).find("cannot make the directory"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
