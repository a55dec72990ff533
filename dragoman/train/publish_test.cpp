#include "dragoman/train/publish.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/model/testing.h"

namespace dragoman::train {
namespace {

class PublishTest : public data::CorpusTest {
 protected:
  // A checkpoint whose weights are all `value`.
  void save(std::int64_t step, float value, bool scheduled = true) {
    set_weights(value);
    state.step = step;
    state.scheduled = scheduled;
    write_checkpoint(directory, step, *small.on, {.weights = small.block.tensors(), .moments = {}}, to_json(state));
  }
  void set_weights(float value) {
    for (params::NamedTensor tensor : small.block.tensors()) small.on->fill(tensor.values, value);
  }
  std::string publish(std::span<const params::NamedTensor> average = {}) {
    return publish_weights(directory, state, *small.on, small.block.tensors(), average);
  }
  float published() const {
    std::vector<float> value(1);
    model::SafetensorsFile(model::weights_file(directory)).read("enc.0.self.W_Q", 0, value);
    return value[0];
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> found;
    for (const Checkpoint& checkpoint : list_checkpoints(directory)) found.push_back(checkpoint.step);
    return found;
  }

  model::SmallModel small;
  RunState state;
};

TEST_F(PublishTest, TheMeanLeavesOutCheckpointsThatWereNotScheduled) {
  state.settings.training.average = 3;
  save(10, 1);
  EXPECT_EQ(publish(), "the latest weights");
  save(20, 2);
  save(25, 100, false);
  save(30, 6);
  EXPECT_EQ(publish(), "the mean of the last 3 checkpoints");
  EXPECT_EQ(published(), 3);
  save(35, 100, false);
  publish();
  EXPECT_EQ(published(), 3);
}

TEST_F(PublishTest, WithoutAMeanTheMovingAverageThenTheBestThenTheLatestAreTaken) {
  state.settings.training.average = 0;
  set_weights(1);
  publish();
  EXPECT_EQ(published(), 1);
  set_weights(2);
  make_directory(directory / "checkpoints");
  write_weights(best_weights(directory), *small.on, small.block.tensors());
  state.best = Best{.step = 5, .scores = {{"nll", 1}}};
  set_weights(3);
  EXPECT_EQ(publish(), "the best validated weights, of step 5");
  EXPECT_EQ(published(), 2);
  publish(small.block.tensors());
  EXPECT_EQ(published(), 3);
}

TEST_F(PublishTest, PruningKeepsTheLatestAndWhatTheMeanNeeds) {
  for (const std::int64_t step : {10, 20, 30, 40}) save(step, 1);
  prune_checkpoints(directory, 3);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{20, 30, 40}));
  save(45, 1, false);
  prune_checkpoints(directory, 3);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{20, 30, 40, 45}));
  save(50, 1);
  prune_checkpoints(directory, 3);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{30, 40, 50}));
  save(55, 1, false);
  prune_checkpoints(directory, 1);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{40, 50, 55}));  // at least two scheduled ones
}

TEST_F(PublishTest, TheBestWeightsAreThoseThatACheckpointKnowsOf) {
  make_directory(directory / "checkpoints");
  const auto best = [&]() -> float {
    std::vector<float> value(1);
    model::SafetensorsFile(best_weights(directory)).read("enc.0.self.W_Q", 0, value);
    return value[0];
  };
  const auto validate = [&](std::int64_t step, float value) {
    set_weights(value);
    write_best(directory, step, *small.on, small.block.tensors());
  };
  validate(5, 1);
  validate(10, 2);
  settle_best(directory, Best{.step = 10, .scores = {{"nll", 1}}});
  EXPECT_EQ(best(), 2);
  validate(15, 3);
  settle_best(directory, Best{.step = 10, .scores = {{"nll", 1}}});  // the run was killed and resumes from step 10
  EXPECT_EQ(best(), 2);
  EXPECT_EQ(list_directory(directory / "checkpoints").size(), 1u);
}

}  // namespace
}  // namespace dragoman::train
