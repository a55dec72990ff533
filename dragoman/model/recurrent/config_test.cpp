#include "dragoman/model/recurrent/config.h"

#include <gtest/gtest.h>

#include "dragoman/model/recurrent/recurrent.h"

namespace dragoman::model::recurrent {
namespace {

std::int64_t parameter_count(const RecurrentConfig& config) {
  RecurrentModel model(config);
  params::ParameterVisitor visitor;
  model.parameters(visitor);
  std::int64_t count = 0;
  for (const params::NamedTensor& tensor : visitor.tensors()) count += tensor.shape.count();
  return count;
}

// One vocabulary of 10,000, E 128, GRU 256 in both directions, decoder 256, additive.
RecurrentConfig bahdanau() {
  RecurrentConfig config;
  config.E = 128;
  config.reset = ResetName::kBefore;
  return config;
}

TEST(RecurrentConfig, CountsParametersAsTheFormulasDo) {
  RecurrentConfig config = bahdanau();
  EXPECT_EQ(parameter_count(config), 2997136);
  config.reset = ResetName::kAfter;
  EXPECT_EQ(parameter_count(config), 2997136 + 3 * 256);
  config = bahdanau();
  config.score = ScoreName::kAlign;
  config.value_width = 512;
  EXPECT_EQ(parameter_count(config), 3258768);
  config.score = ScoreName::kAdditive;
  config.context = ContextName::kFixed;
  EXPECT_EQ(parameter_count(config), 2800016);
}

TEST(RecurrentConfig, CountsTheParametersOfLstmsWithInputFeeding) {
  RecurrentConfig config = bahdanau();
  config.reset = ResetName::kAfter;
  config.cell = CellName::kLstm;
  config.N_enc = config.N_dec = 2;
  config.H_enc = 128;
  config.context = ContextName::kCurrent;
  config.score = ScoreName::kGeneral;
  config.input_feeding = true;
  EXPECT_EQ(parameter_count(config), 3392400);
  config.E = config.H_enc = 256;
  config.H_dec = 512;
  EXPECT_EQ(parameter_count(config), 10969104);
}

TEST(RecurrentConfig, CountsMultiplyAddsAsTheFormulasDo) {
  const Checked count = multiply_adds(bahdanau(), 15, 15);
  EXPECT_EQ(count.value, 8847360 + 131072 + 1966080 + 10321920 + 1155840 + 1474560 + 19200000);
  EXPECT_FALSE(count.overflowed);
}

void expect_refused(void (*change)(RecurrentConfig& config), const std::string& first, const std::string& second) {
  RecurrentConfig config;
  change(config);
  try {
    config.validate();
    ADD_FAILURE() << "no error for " << first;
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(first), std::string::npos) << text;
    EXPECT_NE(text.find(second), std::string::npos) << text;
  }
}

TEST(RecurrentConfig, NamesBothSettingsThatDoNotFit) {
  expect_refused([](auto& c) { c.score = ScoreName::kDot; }, "attention-score dot", "hidden is 256");
  expect_refused([](auto& c) { c.score = ScoreName::kScaled, c.H_dec = 100; }, "attention-score scaled", "make 512");
  expect_refused([](auto& c) { c.context = ContextName::kConditional, c.cell = CellName::kLstm; }, "conditional",
                 "cell is lstm");
  expect_refused([](auto& c) { c.input_feeding = true; }, "input-feeding", "context is previous");
  expect_refused([](auto& c) { c.context = ContextName::kCurrent, c.readout = ReadoutName::kDeep; }, "context current",
                 "readout is deep");
  expect_refused([](auto& c) { c.bridge = BridgeName::kCopy; }, "bridge is copy", "hidden is 256");
  expect_refused([](auto& c) { c.bridge = BridgeName::kCopy, c.H_dec = 512, c.N_dec = 2; }, "encoder-layers is 1",
                 "decoder-layers is 2");
  expect_refused([](auto& c) { c.reset = ResetName::kBefore, c.cell = CellName::kLstm; }, "reset", "cell is lstm");
  expect_refused([](auto& c) { c.context = ContextName::kFixed, c.mode = ModeName::kHard; }, "attention-mode is hard",
                 "context fixed");
  expect_refused([](auto& c) { c.encoder_self_attention = true, c.initial_state = StartName::kNoise; },
                 "initial-state is noise", "encoder-self-attention");
  expect_refused([](auto& c) { c.soft_share = 1.5f; }, "soft-share is 1.5", "from 0 to 1");
  expect_refused([](auto& c) { c.tie = Tie::kThreeWay, c.V_source = 50; }, "tie is three-way",
                 "source-vocabulary is 50");
}

TEST(RecurrentConfig, DescribesItself) {
  EXPECT_EQ(describe(RecurrentConfig()), "1 + 1 GRU layers of width 256, attention additive");
}

}  // namespace
}  // namespace dragoman::model::recurrent
