#include "dragoman/nn/recurrent.h"

#include <gtest/gtest.h>

#include "dragoman/nn/layer_testing.h"
#include "dragoman/nn/scalar_model_testing.h"

namespace dragoman::nn {
namespace {

constexpr double kWorkedTolerance = 5e-7;

class RecurrentLayers : public ::testing::Test {
 protected:
  Workbench bench;
  Backend& on = *bench.on;
};

TEST_F(RecurrentLayers, AGruThatResetsBefore) {
  Bound<Cell> gru(on, CellSizes{.kind = CellKind::kGru, .reset = Reset::kBefore, .in = 2, .H = 2});
  gru.set("W_z", {.1, .3, -.2, .4}), gru.set("U_z", {.5, -.1, .2, .6}), gru.set("b_z", {.1, -.1});
  gru.set("W_r", {-.3, .2, .5, .1}), gru.set("U_r", {.4, .3, -.6, .2}), gru.set("b_r", {0, .2});
  gru.set("W_n", {.7, -.4, .2, .9}), gru.set("U_n", {-.5, .8, .3, .1}), gru.set("b_n", {.05, -.05});
  const Tensor x = bench.tensor({1, 2}, {1, -.5}), h = bench.tensor({1, 2}, {.5, -.25});
  expect_near(bench.values(gru.layer.step(gru.layer.W(x), {}, {h, {}}).h), {.472321, -.419369}, 2 * kWorkedTolerance);
}

TEST_F(RecurrentLayers, AGruThatResetsAfter) {
  Bound<Cell> gru(on, CellSizes{.kind = CellKind::kGru, .in = 2, .H = 2});
  gru.set("W_z", {.1, .3, -.2, .4}), gru.set("U_z", {.5, -.1, .2, .6}), gru.set("b_z", {.1, -.1});
  gru.set("W_r", {-.3, .2, .5, .1}), gru.set("U_r", {.4, .3, -.6, .2}), gru.set("b_r", {0, .2});
  gru.set("W_n", {.7, -.4, .2, .9}), gru.set("U_n", {-.5, .8, .3, .1}), gru.set("b_n", {.05, -.05});
  gru.set("b_u", {.1, .2});
  const Tensor x = bench.tensor({1, 2}, {1, -.5}), h = bench.tensor({1, 2}, {.5, -.25});
  expect_near(bench.values(gru.layer.step(gru.layer.W(x), {}, {h, {}}).h), {.499723, -.362398}, 2 * kWorkedTolerance);
}

// A vanilla layer of width 1 in both directions, with a second sentence of one token in the batch.
TEST_F(RecurrentLayers, BothDirectionsOfARaggedBatch) {
  Bound<RecurrentLayer> layer(on, CellSizes{.kind = CellKind::kVanilla, .in = 1, .H = 1}, true);
  layer.set("forwards.W", {.5}), layer.set("forwards.U", {.8}), layer.set("forwards.b", {.1});
  layer.set("backwards.W", {-.4}), layer.set("backwards.U", {.6}), layer.set("backwards.b", {.2});
  const Segments segments = bench.segments({3, 1});
  const data::TimeRows rows = data::time_rows(on, segments, segments);
  const RecurrentLayer::Output output = layer.layer(bench.tensor({4, 1}, {1, -1, 2, .75}), rows);
  expect_near(bench.values(output.states), {.537050, -.037478, .029631, .270840, .808854, -.537050, .442230, -.099668},
              kWorkedTolerance * 2);
  expect_near(bench.values(output.last.h), {.808854, -.037478, .442230, -.099668}, kWorkedTolerance * 2);
}

TEST_F(RecurrentLayers, TheShorterSentenceMayComeFirst) {
  Bound<RecurrentLayer> layer(on, CellSizes{.kind = CellKind::kVanilla, .in = 1, .H = 1}, true);
  layer.set("forwards.W", {.5}), layer.set("forwards.U", {.8}), layer.set("forwards.b", {.1});
  layer.set("backwards.W", {-.4}), layer.set("backwards.U", {.6}), layer.set("backwards.b", {.2});
  const Segments segments = bench.segments({1, 3});
  const data::TimeRows rows = data::time_rows(on, segments, segments);
  const RecurrentLayer::Output output = layer.layer(bench.tensor({4, 1}, {.75, 1, -1, 2}), rows);
  expect_near(bench.values(output.last.h), {.442230, -.099668, .808854, -.037478}, kWorkedTolerance * 2);
}

TEST_F(RecurrentLayers, TheForgetGateStartsOpen) {
  Cell lstm(CellSizes{.kind = CellKind::kLstm, .in = 3, .H = 2});
  params::ParameterVisitor visitor;
  lstm.parameters(visitor);
  for (const params::NamedTensor& tensor : visitor.tensors()) {
    if (tensor.name.starts_with("b_")) {
      EXPECT_EQ(tensor.initial.amount, tensor.name == "b_f" ? 1 : 0) << tensor.name;
    }
  }
}

TEST_F(RecurrentLayers, AWholeModelWithAFixedContext) {
  ScalarModel model(bench);
  Pass pass{.on = on};
  const Recording recording(on);
  const ScalarModel::Run run = model.run(nullptr, pass);
  expect_near(bench.values(run.s), {.695209, .821413, .366391}, kWorkedTolerance);
  EXPECT_NEAR(bench.values(run.loss)[0], 3.288031, kWorkedTolerance);
  backward(run.loss);
  EXPECT_NEAR(model.gradient("enc.forwards.U"), .033977, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("enc.forwards.W"), .122591, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("dec.C"), -.102467, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("dec.U"), -.079608, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("from_c", 1), .123346, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("e", 0), .174716, kWorkedTolerance);
}

TEST_F(RecurrentLayers, AWholeModelWithAttention) {
  ScalarModel model(bench);
  const MemoryAttention dot({.score = KeyScore::kDot, .H = 1, .d_h = 1, .d_k = 1, .d_v = 1}, 0);
  Pass pass{.on = on};
  const Recording recording(on);
  const ScalarModel::Run run = model.run(&dot, pass);
  expect_near(bench.values(run.c), {.537748, .521712, .534065}, kWorkedTolerance);
  expect_near(bench.values(run.s), {.634866, .768281, .242818}, kWorkedTolerance);
  EXPECT_NEAR(bench.values(run.loss)[0], 3.276944, kWorkedTolerance);
  backward(run.loss);
  EXPECT_NEAR(model.gradient("enc.forwards.U"), .024830, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("enc.forwards.W"), .060137, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("dec.C"), -.024167, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("dec.U"), .007553, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("from_c", 1), .013921, kWorkedTolerance);
  EXPECT_NEAR(model.gradient("e", 0), .226557, kWorkedTolerance);
}

}  // namespace
}  // namespace dragoman::nn
