#include "dragoman/nn/batch_norm.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::nn {
namespace {

// Two sentences, of three rows and of one.
struct NormExample {
  explicit NormExample(bool with_padding = false) : layer(2, 1e-5, with_padding) { block.initialise(1); }

  Doubles operator()(bool training, bool batch_statistics = false) {
    const Tensor x = bench.tensor({4, 2}, {1, 10, 3, 14, 5, 6, 7, 2});
    const Pass pass{.on = *bench.on, .training = training, .batch_statistics = batch_statistics};
    return bench.values(layer(x, bench.segments({3, 1}), pass).y);
  }
  Doubles running_mean() const { return bench.values(layer.running_mean.values()); }
  Doubles running_variance() const { return bench.values(layer.running_variance.values()); }

  Workbench bench;
  BatchNorm layer;
  params::ParameterBlock block{*bench.on, DType::kFloat64, layer, params::Purpose::kTraining};
};

const Doubles kOfBatch = {-1.341639, .447213, -.447213, 1.341640, .447213, -.447213, 1.341639, -1.341640};

TEST(BatchNormLayer, TrainingUsesTheBatchAndMovesTheRunningValues) {
  NormExample example;
  expect_near(example(true), kOfBatch, 5e-7);
  expect_near(example.running_mean(), {.4, .8}, 1e-12);
  expect_near(example.running_variance(), {1.566667, 3.566667}, 5e-7);
}

TEST(BatchNormLayer, OtherPassesUseTheRunningValuesAlone) {
  NormExample example;
  const Doubles before = example(false);
  EXPECT_NEAR(before[1], 10 / std::sqrt(1 + 1e-5), 1e-12);
  example(true);
  const Doubles after = example(false);
  EXPECT_NEAR(after[1], (10 - .8) / std::sqrt(3.5666666667 + 1e-5), 1e-9);
  expect_near(example.running_mean(), {.4, .8}, 1e-12);
}

TEST(BatchNormLayer, BatchStatisticsOutsideTrainingChangeNoRunningValue) {
  NormExample example;
  expect_near(example(false, true), kOfBatch, 5e-7);
  EXPECT_EQ(example.running_mean(), (Doubles{0, 0}));
  EXPECT_EQ(example.running_variance(), (Doubles{1, 1}));
}

TEST(BatchNormLayer, PaddingIsCountedIfItIsIncluded) {
  NormExample example(true);
  expect_near(example(true), {-.635000, .889001, .127000, 1.651001, .889000, .127000, 1.651000, -.635001}, 5e-7);
  expect_near(example.running_mean(), {.2666667, .5333333}, 5e-7);
  // The unbiased variance of six rows.
  expect_near(example.running_variance(), {.9 + .1 * 6.888889 * 6 / 5, .9 + .1 * 27.555556 * 6 / 5}, 5e-7);
}

TEST(BatchNormLayer, RunningValuesAreSavedButNotTrained) {
  NormExample example;
  ASSERT_EQ(example.block.tensors().size(), 2u);
  ASSERT_EQ(example.block.buffer_tensors().size(), 2u);
  EXPECT_EQ(example.block.buffer_tensors()[0].name, "running_mean");
  EXPECT_EQ(example.block.buffer_tensors()[1].name, "running_variance");
}

}  // namespace
}  // namespace dragoman::nn
