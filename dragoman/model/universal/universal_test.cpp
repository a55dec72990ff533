#include "dragoman/model/universal/universal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dragoman/autograd/record.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/model/universal/testing.h"
#include "dragoman/nn/positions.h"
#include "dragoman/ops/depth.h"

namespace dragoman::model::universal {
namespace {

UniversalConfig adaptive(int T_max) {
  UniversalConfig config = small_universal();
  config.T = T_max;
  config.halting = HaltingName::kAct;
  return config;
}

UniversalConfig base(int T) {
  auto config = preset("universal-base").model.as<UniversalConfig>();
  config.T = T;
  return config;
}

TEST(UniversalConfig, CountsParametersAsTheFormulasDo) {
  EXPECT_EQ(parameter_count(base(6)), 67'284'992);
  UniversalConfig config = base(12);
  config.halting = HaltingName::kAct;
  EXPECT_EQ(parameter_count(config), 67'299'330);
  config = preset("universal-multi30k").model.as<UniversalConfig>();
  EXPECT_EQ(parameter_count(config), 1'744'384);
  config.halting = HaltingName::kAct;
  config.T = 8;
  EXPECT_EQ(parameter_count(config), 1'745'666);
}

TEST(UniversalConfig, CountsTheMemorysKeysAndValuesOnce) {
  UniversalConfig config = small_universal();
  const std::int64_t d = config.d_model, n = 5, m = 3;
  const auto count = [&](int T) {
    config.T = T;
    return ModelConfig(config).multiply_adds(n, m);
  };
  const std::int64_t step = count(2) - count(1);
  EXPECT_EQ(count(7) - count(1), 6 * step);
  EXPECT_EQ(count(1), step + 2 * n * d * d + m * d * config.V_target);
}

void expect_refused(const UniversalConfig& config, const std::string& text) {
  try {
    config.validate();
    FAIL() << text;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(UniversalConfig, RefusesWhatCannotWork) {
  UniversalConfig config = small_universal();
  config.T = 0;
  expect_refused(config, "depth-steps is 0");
  config = small_universal();
  config.halted = HaltedName::kCopy;
  expect_refused(config, "halted is copy, but halting is none");
  config = small_universal();
  config.act_output = OutputName::kInterpolate;
  expect_refused(config, "act-output is interpolate, but halting is none");
  config = small_universal();
  config.ponder_cost = 0.5f;
  expect_refused(config, "ponder-cost is 0.5, but halting is none");
  config = adaptive(3);
  config.threshold = 1;
  expect_refused(config, "halting-threshold is 1");
  config = adaptive(3);
  config.halting_bias = 11;
  expect_refused(config, "halting-bias is 11");
  config = small_universal();
  config.halting_bias = -2;
  expect_refused(config, "halting-bias is -2, but halting is none");
  config = adaptive(3);
  config.ponder_cost = -1;
  expect_refused(config, "ponder-cost is -1");
  config = small_universal();
  config.d_model = 21;
  config.d_k = config.d_v = 10;
  expect_refused(config, "d-model is 21");
}

TEST(UniversalConfig, TheHaltingBiasIsTheInitialBiasOfBothStacks) {
  UniversalConfig config = adaptive(3);
  for (const float bias : {1.0f, -2.5f}) {
    config.halting_bias = bias;
    const SmallUniversal small(config);
    for (const char* name : {"enc.halting.b", "dec.halting.b"}) {
      EXPECT_EQ(values_of(*small.on, small.parameter(name)), Doubles{bias}) << name;
    }
  }
}

TEST(UniversalConfig, HasTheTransformersSettingsExceptThoseThatItFixes) {
  std::set<std::string> keys;
  ModelConfig config(small_universal());
  config.fields([&](const std::string& key, auto&&...) { keys.insert(key); });
  for (const char* key : {"depth-steps", "d-model", "heads", "dropout", "window", "tie"}) EXPECT_EQ(keys.count(key), 1);
  for (const char* key : {"encoder-layers", "positions", "max-positions", "target-space-table"}) {
    EXPECT_EQ(keys.count(key), 0) << key;
  }
}

TEST(Coordinates, WorkedExamples) {
  const auto on = make_backend(Device{}, {.threads = 1});
  nn::SinusoidTable table(nn::Sinusoids::kPaper, 4);
  const Tensor P = table.rows(*on, 10, DType::kFloat64);
  const auto at = [&](int position, int t) {
    const Tensor x(*on, make_array(*on, {1, 4}, DType::kFloat64, {0, 0, 0, 0}));
    const Array place = make_array(*on, {1}, DType::kInt32, {static_cast<double>(position)});
    return values_of(*on, ops::add_coordinates(x, place, P, {P, t, 1.0}).array());
  };
  expect_near(at(0, 1), {.841471, 1.540302, .010000, 1.999950}, 5e-7);
  expect_near(at(1, 1), {1.682942, 1.080605, .020000, 1.999900}, 5e-7);
  expect_near(at(3, 2), {1.050417, -1.406139, .049994, 1.999350}, 5e-7);
}

// With one step and a signal of zero, only the positions are added: before the layer, as in the Transformer.
TEST(UniversalTransformer, WithOneStepIsATransformerWithOneLayer) {
  for (const transformer::Norm norm : {transformer::Norm::kPost, transformer::Norm::kPre}) {
    UniversalConfig config = small_universal();
    config.T = 1;
    config.signal = SignalName::kLearned;
    config.norm = norm;
    TransformerConfig plain = small_config();
    plain.N_enc = plain.N_dec = 1;
    plain.norm = norm;
    const SmallUniversal universal(config, {.dtype = DType::kFloat64});
    const SmallModel transformer(plain, {.dtype = DType::kFloat64});
    for (const char* signal : {"enc.S", "dec.S"}) {
      Array S = universal.parameter(signal);
      universal.on->fill(S, 0.0);
    }
    // Tensors of the same name start with the same numbers.
    const Sentences sources{{5, 6, 7, 2}, {9, 2}}, inputs{{1, 20, 21}, {1, 30}};
    for (std::size_t b = 0; b < 2; ++b) {
      expect_near(decoder_rows(universal, sources, inputs, b, Output::kStates),
                  decoder_rows(transformer, sources, inputs, b, Output::kStates), 1e-12);
    }
  }
}

// What an observer sees of the halting of one pass.
struct HaltingObserver final : nn::Observer {
  explicit HaltingObserver(Backend& on_) : on(on_) {}
  void see(int, int layer, const Array&, const Reach&) override { layers = std::max(layers, layer + 1); }
  void see_halting(nn::Side side, const Array& steps_, const Array& rest_) override {
    if (side == nn::Side::kTarget) return;
    steps = values_of(on, steps_);
    rest = values_of(on, rest_);
  }

  Backend& on;
  Doubles steps, rest;
  int layers = 0;  // how many steps were run
};

// The halting unit answers with this logit, whatever the state.
void set_halting(const SmallUniversal& small, double logit) {
  for (const char* side : {"enc", "dec"}) {
    Array w = small.parameter(join(side, ".halting.w")), b = small.parameter(join(side, ".halting.b"));
    small.on->fill(w, 0.0);
    small.on->fill(b, logit);
  }
}

TEST(Halting, EveryTokenTakesTheStepsThatItsProbabilitiesSay) {
  const SmallUniversal small(adaptive(8), {.dtype = DType::kFloat64});
  const double third = std::log(0.3 / 0.7);
  set_halting(small, third);
  HaltingObserver observer(*small.on);
  encoder_states(small, {{5, 6, 2}}, 0, &observer);
  EXPECT_EQ(observer.steps, (Doubles{4, 4, 4}));
  expect_near(observer.rest, {.1, .1, .1}, 1e-12);
}

// With an observer every step runs; without one the run stops when all tokens have halted.
TEST(Halting, StoppingWhenAllTokensHaltedChangesNoBit) {
  for (const HaltedName halted : {HaltedName::kTransform, HaltedName::kCopy}) {
    UniversalConfig config = adaptive(9);
    config.halted = halted;
    const SmallUniversal small(config);
    set_halting(small, 0.1);  // halts in the second step
    HaltingObserver observer(*small.on);
    const Sentences sources{{5, 6, 7, 2}};
    const Doubles all_steps = encoder_states(small, sources, 0, &observer);
    EXPECT_EQ(observer.layers, 9);
    EXPECT_EQ(observer.steps, (Doubles{2, 2, 2, 2}));
    EXPECT_EQ(encoder_states(small, sources, 0), all_steps);
    config.T = 3;
    const SmallUniversal shallow(config);
    set_halting(shallow, 0.1);
    EXPECT_EQ(encoder_states(shallow, sources, 0), all_steps);
  }
}

// A batch mate that goes on for longer makes more steps run; the sentence that halted first does not notice.
TEST(Halting, StepsThatRunForOthersChangeNoBit) {
  SmallUniversal small(adaptive(9));
  small.add_noise();
  const Sentence first{5, 2}, second{6, 7, 8, 9, 10, 11, 12, 13, 2};
  EXPECT_EQ(encoder_states(small, {first, second}, 0), encoder_states(small, {first}, 0));
}

TEST(Halting, ItsCostIsTheMeanNumberOfStepsAndRemainders) {
  UniversalConfig config = adaptive(8);
  config.ponder_cost = 0.5f;
  const SmallUniversal small(config, {.dtype = DType::kFloat64});
  set_halting(small, std::log(0.3 / 0.7));  // 4 steps and a remainder of 0.1
  const ArenaScope values(small.on->arena());
  nn::OwnLosses own{.weight = 1.0 / 3, .source_weight = 1.0 / 5};
  nn::Pass pass{.on = *small.on, .own_losses = &own};
  const Tokens source = data::make_tokens(*small.on, Sentences{{5, 6, 7, 2}, {2}}, {.V = 37}),
               target = data::make_tokens(*small.on, Sentences{{1, 6}, {1}}, {.V = 37});
  small.model.decode(target, small.model.encode(source, pass), pass);
  ASSERT_EQ(own.losses.size(), small.model.loss_names().size());
  for (const Tensor& loss : own.losses) EXPECT_NEAR(values_of(*small.on, loss.array())[0], 0.5 * 4.1, 1e-12);
}

TEST(PositionOffset, StartsBothSidesOfAPairAtTheSameRandomPosition) {
  UniversalConfig config = small_universal();
  const SmallUniversal plain(config);
  config.position_offset = 9;
  const SmallUniversal shifted(config);
  const auto states = [](const SmallUniversal& small, bool training, std::uint32_t update) {
    const ArenaScope values(small.on->arena());
    nn::Pass pass{.on = *small.on, .training = training, .seed = 3, .update = update};
    const Tokens tokens = data::make_tokens(*small.on, Sentences{{5, 6, 2}, {5, 6, 2}}, {.V = 37});
    return values_of(*small.on, small.model.encode(tokens, pass).states.array());
  };
  EXPECT_EQ(states(shifted, false, 1), states(plain, false, 1));
  const Doubles now = states(shifted, true, 1);
  EXPECT_EQ(now, states(shifted, true, 1));
  EXPECT_NE(now, states(shifted, true, 2));
  EXPECT_NE(Doubles(now.begin(), now.begin() + 60), Doubles(now.begin() + 60, now.end()));
}

TEST(UniversalTransformer, LayersOfASiteAreItsSteps) {
  const SmallUniversal small(small_universal());
  for (const nn::AttentionSite& site : small.model.sites()) EXPECT_EQ(site.layers, 3);
  HaltingObserver observer(*small.on);
  encoder_states(small, {{5, 2}}, 0, &observer);
  EXPECT_EQ(observer.layers, 3);
}

}  // namespace
}  // namespace dragoman::model::universal
