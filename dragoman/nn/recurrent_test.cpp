#include "dragoman/nn/recurrent.h"

#include <gtest/gtest.h>

#include "dragoman/nn/layer_testing.h"
#include "dragoman/nn/memory_attention.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/linear.h"
#include "dragoman/ops/smoothed_cross_entropy.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::nn {
namespace {

constexpr double kTolerance = 5e-7;

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
  expect_near(bench.values(gru.layer.step(gru.layer.W(x), {}, {h, {}}).h), {.472321, -.419369}, 2 * kTolerance);
}

TEST_F(RecurrentLayers, AGruThatResetsAfter) {
  Bound<Cell> gru(on, CellSizes{.kind = CellKind::kGru, .in = 2, .H = 2});
  gru.set("W_z", {.1, .3, -.2, .4}), gru.set("U_z", {.5, -.1, .2, .6}), gru.set("b_z", {.1, -.1});
  gru.set("W_r", {-.3, .2, .5, .1}), gru.set("U_r", {.4, .3, -.6, .2}), gru.set("b_r", {0, .2});
  gru.set("W_n", {.7, -.4, .2, .9}), gru.set("U_n", {-.5, .8, .3, .1}), gru.set("b_n", {.05, -.05});
  gru.set("b_u", {.1, .2});
  const Tensor x = bench.tensor({1, 2}, {1, -.5}), h = bench.tensor({1, 2}, {.5, -.25});
  expect_near(bench.values(gru.layer.step(gru.layer.W(x), {}, {h, {}}).h), {.499723, -.362398}, 2 * kTolerance);
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
              kTolerance * 2);
  expect_near(bench.values(output.last.h), {.808854, -.037478, .442230, -.099668}, kTolerance * 2);
}

TEST_F(RecurrentLayers, TheShorterSentenceMayComeFirst) {
  Bound<RecurrentLayer> layer(on, CellSizes{.kind = CellKind::kVanilla, .in = 1, .H = 1}, true);
  layer.set("forwards.W", {.5}), layer.set("forwards.U", {.8}), layer.set("forwards.b", {.1});
  layer.set("backwards.W", {-.4}), layer.set("backwards.U", {.6}), layer.set("backwards.b", {.2});
  const Segments segments = bench.segments({1, 3});
  const data::TimeRows rows = data::time_rows(on, segments, segments);
  const RecurrentLayer::Output output = layer.layer(bench.tensor({4, 1}, {.75, 1, -1, 2}), rows);
  expect_near(bench.values(output.last.h), {.442230, -.099668, .808854, -.037478}, kTolerance * 2);
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

// A whole model of scalars: the encoder h = tanh(.5 x + .8 h + .1) reads x = 1, -1, 2. The decoder
// s = tanh(.6 e + .4 c + .5 s - .05) starts from the encoder's last state. The logits of A, B and EOS are
// s (.7, -.6, .2) + c (-.3, .8, .1) + (0, .1, -.1). The target is B A EOS.
struct ScalarModel {
  struct Weights {
    RecurrentLayer encoder{CellSizes{.kind = CellKind::kVanilla, .in = 1, .H = 1}, false};
    Cell decoder{CellSizes{.kind = CellKind::kVanilla, .in = 1, .context = 1, .H = 1}};
    Linear from_s, from_c;
    Parameter embeddings{{3, 1}, params::Initial::constant(0)};  // of BOS, B, A

    Weights() {
      from_s.W = Parameter({1, 3}, params::Initial::constant(0));
      from_s.b = Parameter({3}, params::Initial::constant(0));
      from_c.W = Parameter({1, 3}, params::Initial::constant(0));
    }
    void parameters(ParameterVisitor& visit) {
      visit.inside("enc", encoder);
      visit.inside("dec", decoder);
      visit("from_s", from_s.W);
      visit("bias", from_s.b);
      visit("from_c", from_c.W);
      visit("e", embeddings);
    }
  };

  explicit ScalarModel(const Workbench& bench_) : bench(bench_), weights(*bench.on) {
    weights.set("enc.forwards.W", {.5}), weights.set("enc.forwards.U", {.8}), weights.set("enc.forwards.b", {.1});
    weights.set("dec.W", {.6}), weights.set("dec.C", {.4}), weights.set("dec.U", {.5}), weights.set("dec.b", {-.05});
    weights.set("from_s", {.7, -.6, .2}), weights.set("from_c", {-.3, .8, .1}), weights.set("bias", {0, .1, -.1});
    weights.set("e", {.3, .9, -.5});
  }

  // The states of the decoder, the contexts, and the loss.
  struct Run {
    Tensor s, c, loss;
  };
  Run run(const MemoryAttention* attention, Pass& pass) {
    const Segments segments = bench.segments({3});
    const data::TimeRows rows = data::time_rows(*bench.on, segments, segments);
    const Weights& w = weights.layer;
    const RecurrentLayer::Output encoded = w.encoder(bench.tensor({3, 1}, {1, -1, 2}), rows);
    // A copy, because columns of a parameter are no views.
    const Tensor e = ops::add(w.embeddings.tensor(), bench.tensor({3, 1}, {0, 0, 0}));
    CellLoop loop(w.decoder, w.decoder.W(e), {ops::take_rows(encoded.last.h, rows.sorted), {}}, rows);
    const Tensor contexts = loop_rows(e, 3, 1, DType::kFloat64);
    loop.set_context_inputs({contexts.array()});
    const Memory memory{encoded.states, encoded.states, segments};
    std::optional<AttentionLoop> attend;
    if (attention != nullptr) attend.emplace(*attention, memory, rows, contexts, loop.states_before(), pass);
    for (std::int64_t t = 0; t < 3; ++t) {
      if (attend) {
        loop.step(t, attend->step(t, loop.before(t).h));
      } else {
        const Tensor c = row_range(contexts, t, 1);
        ops::store_part(ops::take_rows(encoded.last.h, rows.sorted), c);
        loop.step(t, c);
      }
    }
    const Tensor logits = ops::add(w.from_s(loop.states().h), w.from_c(contexts));
    const Array targets = make_array(*bench.on, {3}, DType::kInt32, {1, 0, 2});
    const Tensor unit = bench.tensor({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    return {loop.states().h, contexts, ops::smoothed_cross_entropy(logits, unit, {}, targets, {}).loss};
  }
  double gradient(const std::string& name, std::size_t i = 0) { return weights.gradient(name)[i]; }

  const Workbench& bench;
  Bound<Weights> weights;
};

TEST_F(RecurrentLayers, AWholeModelWithAFixedContext) {
  ScalarModel model(bench);
  Pass pass{.on = on};
  const Recording recording(on);
  const ScalarModel::Run run = model.run(nullptr, pass);
  expect_near(bench.values(run.s), {.695209, .821413, .366391}, kTolerance);
  EXPECT_NEAR(bench.values(run.loss)[0], 3.288031, kTolerance);
  backward(run.loss);
  EXPECT_NEAR(model.gradient("enc.forwards.U"), .033977, kTolerance);
  EXPECT_NEAR(model.gradient("enc.forwards.W"), .122591, kTolerance);
  EXPECT_NEAR(model.gradient("dec.C"), -.102467, kTolerance);
  EXPECT_NEAR(model.gradient("dec.U"), -.079608, kTolerance);
  EXPECT_NEAR(model.gradient("from_c", 1), .123346, kTolerance);
  EXPECT_NEAR(model.gradient("e", 0), .174716, kTolerance);
}

TEST_F(RecurrentLayers, AWholeModelWithAttention) {
  ScalarModel model(bench);
  const MemoryAttention dot({.score = KeyScore::kDot, .H = 1, .d_h = 1, .d_k = 1, .d_v = 1}, 0);
  Pass pass{.on = on};
  const Recording recording(on);
  const ScalarModel::Run run = model.run(&dot, pass);
  expect_near(bench.values(run.c), {.537748, .521712, .534065}, kTolerance);
  expect_near(bench.values(run.s), {.634866, .768281, .242818}, kTolerance);
  EXPECT_NEAR(bench.values(run.loss)[0], 3.276944, kTolerance);
  backward(run.loss);
  EXPECT_NEAR(model.gradient("enc.forwards.U"), .024830, kTolerance);
  EXPECT_NEAR(model.gradient("enc.forwards.W"), .060137, kTolerance);
  EXPECT_NEAR(model.gradient("dec.C"), -.024167, kTolerance);
  EXPECT_NEAR(model.gradient("dec.U"), .007553, kTolerance);
  EXPECT_NEAR(model.gradient("from_c", 1), .013921, kTolerance);
  EXPECT_NEAR(model.gradient("e", 0), .226557, kTolerance);
}

}  // namespace
}  // namespace dragoman::nn
