#include "dragoman/params/parameter_block.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/backend/testing.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/feed_forward.h"

namespace dragoman::nn {

using namespace params;
namespace {

// Attention and a small vocabulary of five rows, padded to eight in memory.
struct Layers {
  Parameter E = Parameter({5, 6}, Initial::normal(1)).rounded_rows(8);
  SelfAttention self{{.d_model = 6, .h = 2, .d_k = 3, .d_v = 4, .bias = true}, 0, 0};
  Parameter missing;

  void parameters(ParameterVisitor& visit) {
    visit("E", E);
    visit.inside("self", self);
    visit("missing", missing);
  }
};

class ParametersTest : public ::testing::Test {
 protected:
  const NamedTensor& named(const std::string& name) const {
    for (const NamedTensor& tensor : block.tensors()) {
      if (tensor.name == name) return tensor;
    }
    throw Error("no tensor " + name);
  }
  Doubles values(const Array& x) const { return values_of(*on, x); }
  Array gradient(const Parameter& parameter) const { return parameter.tensor().variable()->gradient; }

  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 2});
  Layers layers;
  ParameterBlock block{*on, DType::kFloat32, layers, Purpose::kTraining};
};

TEST_F(ParametersTest, NamedColumnsAreListedUnderTheirOwnNames) {
  std::vector<std::string> names;
  for (const NamedTensor& tensor : block.tensors()) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"E", "self.W_Q", "self.W_K", "self.W_V", "self.b_Q", "self.b_K",
                                             "self.b_V", "self.W_O", "self.b_O"}));
  EXPECT_EQ(named("self.W_V").shape, (Shape{6, 8}));
  EXPECT_EQ(named("self.b_K").shape, (Shape{6}));
}

TEST_F(ParametersTest, QueriesKeysAndValuesAreColumnsOfOneMatrix) {
  const Array whole = layers.self.W_QKV.W.tensor().array();
  EXPECT_EQ(whole.shape(), (Shape{6, 6 + 6 + 8}));
  EXPECT_EQ(named("self.W_Q").values.raw(), whole.raw());
  EXPECT_EQ(named("self.W_K").values.raw(), whole.columns(6, 6).raw());
  EXPECT_EQ(named("self.W_V").values.raw(), whole.columns(12, 8).raw());
  EXPECT_EQ(named("self.W_V").values.row_stride(), whole.row_stride());
}

TEST_F(ParametersTest, GradientsHaveTheLayoutOfTheValues) {
  EXPECT_EQ(block.gradients().shape(), block.values().shape());
  const auto offset = [](const Array& part, const Array& all) {
    return static_cast<const char*>(part.raw()) - static_cast<const char*>(all.raw());
  };
  for (const Parameter* parameter : {&layers.E, &layers.self.W_QKV.W, &layers.self.W_QKV.b}) {
    EXPECT_EQ(offset(gradient(*parameter), block.gradients()), offset(parameter->tensor().array(), block.values()));
    EXPECT_EQ(offset(parameter->tensor().array(), block.values()) % 128, 0);
  }
}

TEST_F(ParametersTest, ForInferenceThereAreNoGradients) {
  Layers others;
  const ParameterBlock inference(*on, DType::kFloat32, others, Purpose::kInference);
  EXPECT_TRUE(inference.gradients().absent());
  EXPECT_EQ(others.E.tensor().variable(), nullptr);
}

// The output of the layers' self-attention for a batch of one sentence.
Doubles attended(Backend& on, const Layers& layers) {
  const ArenaScope scratch(on.arena());
  const Array x = make_array(on, {5, 6}, DType::kFloat32, random_values(30, 9));
  const Segments sentence = make_segments(on, {5});
  Pass pass{.on = on};
  return values_of(on, layers.self(Tensor(on, x), {sentence, sentence, {}}, pass).array());
}

TEST_F(ParametersTest, PackedWeightsComputeTheSame) {
  Layers packed, rounded;
  packed.E.used_as(Use::kVocabulary);
  ParameterBlock exact(*on, WeightForm::kFloat32, packed), near(*on, WeightForm::kInt8, rounded);
  for (ParameterBlock* each : {&block, &exact, &near}) each->initialise(3);
  EXPECT_FALSE(packed.self.W_QKV.W.tensor());
  EXPECT_EQ(packed.self.W_QKV.W.packed().out, 6 + 6 + 8);
  EXPECT_EQ(packed.E.packed().out, 5);
  EXPECT_EQ(attended(*on, packed), attended(*on, layers));
  expect_near(attended(*on, rounded), attended(*on, layers), 0.05);
}

TEST_F(ParametersTest, TheSameSeedDrawsTheSameBits) {
  block.initialise(3);
  const Doubles first = values(block.values());
  block.initialise(4);
  EXPECT_NE(values(block.values()), first);
  block.initialise(3);
  EXPECT_EQ(values(block.values()), first);
}

TEST_F(ParametersTest, ATensorsNumbersDependOnItsNameAndNotOnItsNeighbours) {
  struct Alone {
    SelfAttention self{{.d_model = 6, .h = 2, .d_k = 3, .d_v = 4}, 0, 0};
    void parameters(ParameterVisitor& visit) { visit.inside("self", self); }
  } alone;
  ParameterBlock other(*on, DType::kFloat32, alone, Purpose::kInference);
  block.initialise(1);
  other.initialise(1);
  EXPECT_EQ(values(alone.self.W_QKV.W.tensor().array()), values(layers.self.W_QKV.W.tensor().array()));
  EXPECT_NE(values(named("self.W_Q").values), values(named("self.W_K").values));  // same shape, different names
}

TEST_F(ParametersTest, RowsBeyondTheVocabularyStayZeroThroughAdam) {
  block.initialise(1);
  block.begin_update();
  const Array ones = make_array(*on, {5, 6}, DType::kFloat32, Doubles(30, 1));
  on->scaled(ones, 1.0, sink_of(*on, layers.E.tensor().variable()));
  block.finish_update();
  Array theta = block.values(), m = on->empty_like(theta), v = on->empty_like(theta);
  on->fill(m, 0.0);
  on->fill(v, 0.0);
  const Doubles before = values(theta);
  Array none;
  on->adam(block.gradients(), {}, {.rate = 0.1, .weight_decay = 0.1}, theta, m, v, none);
  const Doubles after = values(theta);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NE(after[i], before[i]);
  for (std::size_t i = 30; i < 48; ++i) EXPECT_EQ(after[i], 0) << "element " << i << " of the rows 5 to 7";
}

TEST_F(ParametersTest, ParametersThatNoGradientReachedGetZeros) {
  for (const Parameter* parameter : {&layers.E, &layers.self.W_QKV.W}) {
    Array stale = gradient(*parameter);
    on->fill(stale, 7.0);
  }
  block.begin_update();
  const Array ones = make_array(*on, {5, 6}, DType::kFloat32, Doubles(30, 1));
  on->scaled(ones, 1.0, sink_of(*on, layers.E.tensor().variable()));  // overwrites
  on->scaled(ones, 2.0, sink_of(*on, layers.E.tensor().variable()));  // adds
  block.finish_update();
  EXPECT_EQ(values(gradient(layers.E)), Doubles(30, 3));
  EXPECT_EQ(values(gradient(layers.self.W_QKV.W)), Doubles(120, 0));
}

double limit_of(const std::string& name, const ParameterVisitor& visitor) {
  for (const NamedTensor& tensor : visitor.tensors()) {
    if (tensor.name == name && tensor.initial.kind == Initial::Kind::kUniform) return tensor.initial.amount;
  }
  throw Error("no uniform tensor " + name);
}

ParameterVisitor attention_of(std::int64_t d_model, AttentionInit init) {
  SelfAttention self({.d_model = d_model, .h = d_model / 64, .init = init}, 0, 0);
  ParameterVisitor visitor;
  self.parameters(visitor);
  return visitor;
}

TEST(Initial, BothRulesGiveTheSameAttentionLimitsForThePapersSizes) {
  for (const auto& [d_model, limit] : {std::pair{512, 0.0541266}, {1024, 0.0382733}}) {
    for (const AttentionInit init : {AttentionInit::kT2T, AttentionInit::kFairseq}) {
      const ParameterVisitor visitor = attention_of(d_model, init);
      for (const char* name : {"W_Q", "W_K", "W_V"}) EXPECT_NEAR(limit_of(name, visitor), limit, 5e-8);
    }
  }
  EXPECT_NEAR(limit_of("W_O", attention_of(512, AttentionInit::kT2T)), 0.0765466, 5e-8);
}

TEST(Initial, FeedForwardLimitsForThePapersSizesAreGlorots) {
  FeedForward ffn(512, 2048, 0);
  ParameterVisitor visitor;
  ffn.parameters(visitor);
  EXPECT_NEAR(limit_of("W_1", visitor), 0.0484123, 5e-8);
  EXPECT_NEAR(limit_of("W_2", visitor), 0.0484123, 5e-8);
}

TEST(Initial, DrawsFollowTheirDistribution) {
  struct Drawn {
    Parameter uniform{{100, 100}, Initial::uniform(0.5)}, normal{{100, 100}, Initial::normal(0.25)};
    Parameter constant{{3}, Initial::constant(1)};
    void parameters(ParameterVisitor& visit) {
      visit("uniform", uniform);
      visit("normal", normal);
      visit("constant", constant);
    }
  } drawn;
  const auto on = make_backend(Device{}, {.threads = 1});
  ParameterBlock block(*on, DType::kFloat64, drawn, Purpose::kInference);
  block.initialise(1);
  const auto moments = [&](const Parameter& parameter) {
    double mean = 0, square = 0, largest = 0;
    for (const double x : values_of(*on, parameter.tensor().array())) {
      mean += x / 1e4;
      square += x * x / 1e4;
      largest = std::max(largest, std::abs(x));
    }
    return std::array{mean, square, largest};
  };
  const auto uniform = moments(drawn.uniform), normal = moments(drawn.normal);
  EXPECT_NEAR(uniform[0], 0, 0.01);
  EXPECT_NEAR(uniform[1], 0.25 / 3, 0.003);
  EXPECT_LE(uniform[2], 0.5);
  EXPECT_NEAR(normal[0], 0, 0.01);
  EXPECT_NEAR(normal[1], 0.0625, 0.003);
  EXPECT_GT(normal[2], 0.75);
  EXPECT_EQ(values_of(*on, drawn.constant.tensor().array()), (Doubles{1, 1, 1}));
}

TEST(Initial, TheRowOfTheReservedIdMayBeZero) {
  Initial initial = Initial::normal(1);
  initial.zero_first_row = true;
  struct Table {
    Parameter E;
    void parameters(ParameterVisitor& visit) { visit("E", E); }
  } table{Parameter({2, 3}, initial)};
  const auto on = make_backend(Device{}, {.threads = 1});
  ParameterBlock block(*on, DType::kFloat64, table, Purpose::kInference);
  block.initialise(1);
  const Doubles rows = values_of(*on, table.E.tensor().array());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rows[i], 0);
  for (int i = 3; i < 6; ++i) EXPECT_NE(rows[i], 0);
}

// A matrix between two vectors, and a running mean that the optimiser does not update.
struct WithBuffer {
  Parameter b{{3}, Initial::constant(1)}, W{{4, 3}, Initial::normal(1)}, gain{{3}, Initial::constant(1)};
  Buffer mean{{3}, 0.5}, missing;

  void parameters(ParameterVisitor& visit) {
    visit("b", b);
    visit("W", W);
    visit("mean", mean);
    visit("gain", gain);
    visit("missing", missing);
  }
};

TEST(Buffer, IsSavedAfterTheParametersButIsNotOneOfThem) {
  const auto on = make_backend(Device{}, {.threads = 1});
  WithBuffer layer;
  ParameterBlock block(*on, DType::kFloat32, layer, Purpose::kTraining);
  block.initialise(1);
  std::vector<std::string> trained, saved;
  for (const NamedTensor& tensor : block.tensors()) trained.push_back(tensor.name);
  for (const NamedTensor& tensor : block.saved()) saved.push_back(tensor.name);
  EXPECT_EQ(trained, (std::vector<std::string>{"b", "W", "gain"}));
  EXPECT_EQ(saved, (std::vector<std::string>{"b", "W", "gain", "mean"}));
  EXPECT_EQ(values_of(*on, layer.mean.values()), (Doubles{0.5, 0.5, 0.5}));
  EXPECT_EQ(block.values().count(), ParameterBlock::elements(layer));
}

TEST(Buffer, ExistsForInferenceToo) {
  const auto on = make_backend(Device{}, {.threads = 1});
  WithBuffer layer;
  ParameterBlock block(*on, WeightForm::kInt8, layer);
  block.initialise(1);
  EXPECT_EQ(values_of(*on, layer.mean.values()), (Doubles{0.5, 0.5, 0.5}));
}

TEST(ParameterBlock, ListsItsRangesOfVectorsAndMatrices) {
  const auto on = make_backend(Device{}, {.threads = 1});
  WithBuffer layer;
  const ParameterBlock block(*on, DType::kFloat32, layer, Purpose::kTraining);
  std::vector<bool> is_vectors;
  std::int64_t end = 0;
  for (const BlockRange& range : block.ranges()) {
    EXPECT_EQ(range.first, end);
    end = range.first + range.count;
    is_vectors.push_back(range.is_vectors);
  }
  EXPECT_EQ(is_vectors, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(end, block.values().count());
}

}  // namespace
}  // namespace dragoman::nn
