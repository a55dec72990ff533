// Compares the whole model on a CUDA device with the CPU: losses, gradients, training curves and translations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/model/convolutional/testing.h"
#include "dragoman/model/recurrent/testing.h"
#include "dragoman/model/testing.h"
#include "dragoman/model/universal/testing.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/trainer.h"
#include "tests/program.h"

namespace dragoman {
namespace {

constexpr Device kCuda{Device::Kind::kCuda, 0};
// A tenth of the paper's rate: with the full rate even float and double on one CPU differ by 3 % within 100 updates.
constexpr optim::Schedule kSchedule{.constant = 0.1, .d_model = 64, .warmup_steps = 50};

// Wide enough for the kernels that multiply in tiles.
model::TransformerConfig config() {
  model::TransformerConfig config = model::small_config();
  config.d_model = 64;
  config.d_ff = 128;
  config.V_source = config.V_target = 101;
  return config;
}

struct Arrangement {
  std::string name;
  model::TransformerConfig config;
};

std::vector<Arrangement> arrangements() {
  std::vector<Arrangement> all = {{"post-norm", config()}};
  const auto add = [&](const std::string& name, const std::function<void(model::TransformerConfig&)>& change) {
    all.push_back({name, config()});
    change(all.back().config);
  };
  add("pre-norm with biases and dropout", [](auto& c) {
    c.norm = model::transformer::Norm::kPre;
    c.attention_bias = c.output_bias = true;
    c.P_drop = c.P_drop_attention = c.P_drop_relu = 0.2f;
  });
  add("learned positions, untied", [](auto& c) {
    c.positions = model::transformer::Positions::kLearned;
    c.tie = model::Tie::kNone;
  });
  add("a window, and keys narrower than values", [](auto& c) {
    c.window = 5;
    c.d_k = 16;
    c.d_v = 32;
  });
  add("blocks", [](auto& c) {
    c.window = 7;
    c.window_kind = Mask::Window::kBlock;
  });
  add("plain products", [](auto& c) {
    c.attention_score = nn::AttentionScore::kDot;
    c.d_k = 8;  // scores that are not divided grow with d_k, and a sharp softmax magnifies rounding errors
  });
  add("additive scores, a window, dropout", [](auto& c) {
    c.attention_score = nn::AttentionScore::kAdditive;
    c.window = 5;
    c.P_drop = c.P_drop_attention = 0.2f;
  });
  add("batch norm", [](auto& c) { c.norm_kind = model::transformer::NormKind::kBatch; });
  add("batch norm before sub-layers, with padding", [](auto& c) {
    c.norm_kind = model::transformer::NormKind::kBatch;
    c.norm = model::transformer::Norm::kPre;
    c.bn_padding = model::transformer::BatchNormPadding::kInclude;
  });
  add("silu, halved sinusoids from position 2, unscaled embeddings", [](auto& c) {
    c.activation = nn::HiddenActivation::kSilu;
    c.positions = model::transformer::Positions::kSinusoidHalf;
    c.first_position = 2;
    c.scale = model::transformer::EmbeddingScale::kNone;
    c.P_drop_relu = 0.2f;
  });
  add("gelu, and a decoder of other sizes", [](auto& c) {
    c.activation = nn::HiddenActivation::kGelu;
    c.h_dec = 4;
    c.d_ff_dec = 192;
  });
  add("odd sizes", [](auto& c) { c = model::small_config(); });
  return all;
}

class CudaModel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  }
};

struct Outcome {
  train::Losses losses;
  Doubles gradients;
};

template <class Small, class Config>
Outcome gradients_on(const Config& config, Device device, DType dtype) {
  Small small(config, {.dtype = dtype, .device = device});
  small.add_noise();
  train::Trainer trainer(small.model, small.block, {}, kSchedule);
  const auto pairs = model::random_pairs(40, 30, config.V_target, 1);
  const data::HostBatch batches[] = {data::make_host_batch(pairs, train::batch_options(small.model))};
  Outcome outcome;
  outcome.losses = trainer.gradients(batches);
  outcome.gradients = values_of(*small.on, small.block.gradients());
  return outcome;
}

double relative_difference(const Doubles& a, const Doubles& b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / norm);
}

// Expects that the GPU computes the loss and the gradients of the CPU in double precision. Models magnify rounding
// errors by different factors, batch normalisation for example three times as much as the others. On the CPU, float and
// double show how much this one does.
template <class Small, class Config>
void expect_gradients_of_the_cpu(const Config& config) {
  const Outcome exact = gradients_on<Small>(config, Device{}, DType::kFloat64);
  const Outcome on_cpu = gradients_on<Small>(config, Device{}, DType::kFloat32);
  const Outcome single = gradients_on<Small>(config, kCuda, DType::kFloat32);
  const Outcome rounded = gradients_on<Small>(config, kCuda, DType::kBFloat16);
  constexpr double kUsual = 5e-7;
  const double magnified = std::max(1.0, relative_difference(on_cpu.gradients, exact.gradients) / kUsual);
  ASSERT_LT(magnified, 8) << "this model magnifies rounding errors too much to compare anything";
  EXPECT_NEAR(single.losses.loss(), exact.losses.loss(), 1e-5 * exact.losses.loss());
  EXPECT_LT(relative_difference(single.gradients, exact.gradients), 1e-5 * magnified);
  EXPECT_NEAR(rounded.losses.loss(), exact.losses.loss(), 5e-3 * exact.losses.loss());
  EXPECT_LT(relative_difference(rounded.gradients, exact.gradients), 6e-2 * magnified);
}

// Expects that the GPU finds the translations that the CPU finds.
template <class Small, class Config>
void expect_translations_of_the_cpu(const Config& config, double tolerance = 1e-4) {
  const auto sources = model::random_sentences(30, 20, config.V_source, 7);
  Small cpu(config), gpu(config, {.device = kCuda});
  for (Small* one : {&cpu, &gpu}) one->add_noise();
  for (const int beam : {1, 4}) {
    const decode::SearchSettings settings{.beam = beam, .max_extra = 5};
    const auto expected = decode::search(*cpu.on, cpu.model, sources, settings);
    const auto actual = decode::search(*gpu.on, gpu.model, sources, settings);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(actual[i][0].tokens, expected[i][0].tokens) << "sentence " << i;
      EXPECT_NEAR(actual[i][0].score, expected[i][0].score, tolerance) << "sentence " << i;
    }
  }
}

TEST_F(CudaModel, HasTheLossAndTheGradientsOfTheCpu) {
  for (const Arrangement& arrangement : arrangements()) {
    SCOPED_TRACE(arrangement.name);
    expect_gradients_of_the_cpu<model::SmallModel>(arrangement.config);
  }
}

TEST_F(CudaModel, HasTheGradientsAndTheTranslationsOfTheCpuForUniversalTransformers) {
  using namespace model::universal;  // NOLINT: several names follow
  UniversalConfig narrow = small_universal();
  narrow.V_source = narrow.V_target = 101;
  UniversalConfig wide = narrow, adaptive = narrow;
  wide.d_model = 64;
  wide.signal = SignalName::kLearned;
  wide.norm = model::transformer::Norm::kPre;
  adaptive.halting = HaltingName::kAct;
  adaptive.T = 4;
  UniversalConfig copying = wide;
  copying.halting = HaltingName::kAct;
  copying.halted = HaltedName::kCopy;
  for (const UniversalConfig& config : {narrow, wide, adaptive, copying}) {
    SCOPED_TRACE(describe(config));
    expect_gradients_of_the_cpu<SmallUniversal>(config);
    expect_translations_of_the_cpu<SmallUniversal>(config);
  }
}

using model::recurrent::SmallRecurrent;

struct RecurrentArrangement {
  std::string name;
  model::RecurrentConfig config;
};

std::vector<RecurrentArrangement> recurrent_arrangements() {
  using namespace model::recurrent;  // NOLINT: the names of many settings follow
  RecurrentConfig wide = small_recurrent();
  wide.E = 64;
  wide.H_enc = 32;
  wide.H_dec = wide.attention_width = 64;
  wide.V_source = wide.V_target = 101;
  std::vector<RecurrentArrangement> all = {{"additive", wide}};
  const auto add = [&](const std::string& name, const std::function<void(RecurrentConfig&)>& change) {
    all.push_back({name, wide});
    change(all.back().config);
  };
  add("vanilla, scaled, with dropout", [](auto& c) {
    c.cell = CellName::kVanilla;
    c.score = ScoreName::kScaled;
    c.N_enc = c.N_dec = 2;
    c.P_embedding = c.P_layers = c.P_context = c.P_output = 0.2f;
  });
  add("LSTM, general, input feeding", [](auto& c) {
    c.cell = CellName::kLstm;
    c.context = ContextName::kCurrent;
    c.score = ScoreName::kGeneral;
    c.input_feeding = true;
    c.N_enc = c.N_dec = 2;
  });
  add("LSTM, all positions at once", [](auto& c) {
    c.cell = CellName::kLstm;
    c.context = ContextName::kCurrent;
    c.score = ScoreName::kAlignScaled;
    c.bridge = BridgeName::kZero;
  });
  add("conditional, normed", [](auto& c) {
    c.context = ContextName::kConditional;
    c.score = ScoreName::kAdditiveNormed;
    c.readout = ReadoutName::kDeep;
    c.bridge = BridgeName::kMean;
  });
  add("fixed, reset before", [](auto& c) {
    c.context = ContextName::kFixed;
    c.reset = ResetName::kBefore;
    c.readout = ReadoutName::kState;
  });
  add("attention to the past", [](auto& c) { c.encoder_self_attention = true; });
  add("odd sizes", [](auto& c) {
    c = small_recurrent();
    c.V_source = c.V_target = 101;
  });
  return all;
}

TEST_F(CudaModel, HasTheLossAndTheGradientsOfTheCpuForRecurrentModels) {
  for (const RecurrentArrangement& arrangement : recurrent_arrangements()) {
    SCOPED_TRACE(arrangement.name);
    expect_gradients_of_the_cpu<SmallRecurrent>(arrangement.config);
  }
}

TEST_F(CudaModel, TranslatesAsTheCpuDoesWithRecurrentModels) {
  for (const RecurrentArrangement& arrangement : recurrent_arrangements()) {
    SCOPED_TRACE(arrangement.name);
    expect_translations_of_the_cpu<SmallRecurrent>(arrangement.config);
  }
  model::RecurrentConfig hard = recurrent_arrangements().front().config;
  hard.mode = model::recurrent::ModeName::kHard;
  expect_translations_of_the_cpu<SmallRecurrent>(hard);
}

// Without gradients a recurrent layer runs in one launch if its cells and sizes allow that, otherwise step by step.
TEST_F(CudaModel, RecurrentEncodersHaveTheSameStatesWithAndWithoutGradients) {
  const auto sources = model::random_sentences(70, 20, 101, 7);
  for (const RecurrentArrangement& arrangement : recurrent_arrangements()) {
    SCOPED_TRACE(arrangement.name);
    SmallRecurrent small(arrangement.config, {.dtype = DType::kBFloat16, .device = kCuda, .profile = true});
    small.add_noise();
    for (const std::size_t b : {0, 37, 69}) {
      small.on->profile();  // clears it
      const Doubles at_once = model::encoder_states(small, sources, b);
      const bool one_launch = small.on->profile().find("recurrent_steps") != std::string::npos;
      const auto& config = arrangement.config;
      EXPECT_EQ(one_launch, config.H_enc % 16 == 0 && !config.encoder_self_attention &&
                                config.reset != model::recurrent::ResetName::kBefore);
      const Recording recording(*small.on);
      const Doubles by_steps = model::encoder_states(small, sources, b);
      EXPECT_EQ(small.on->profile().find("recurrent_steps"), std::string::npos);
      expect_near(at_once, by_steps, 3e-2);
    }
  }
}

TEST_F(CudaModel, HasTheGradientsAndTheTranslationsOfTheCpuForConvolutionalModels) {
  using namespace model::convolutional;  // NOLINT: several names follow
  ConvolutionalConfig narrow = small_convolutional();
  narrow.V_source = narrow.V_target = 101;
  narrow.max_positions = 40;
  ConvolutionalConfig wide = narrow, tied = narrow;
  narrow.N_dec = 3;
  narrow.decoder_kernels = {"3", "1", "2"};
  narrow.decoder_dilations = {"2", "1", "1"};
  wide.E = 64;
  wide.encoder_channels = wide.decoder_channels = {"32", "64"};
  tied.tie = model::Tie::kThreeWay;
  tied.E_output = 0;
  ConvolutionalConfig widest = wide;  // a head that is wider than a step's kernel of whole sentences allows
  widest.E = 320;
  for (const ConvolutionalConfig& config : {narrow, wide, tied, widest}) {
    SCOPED_TRACE(join(describe(config), ", embedding ", config.E));
    expect_gradients_of_the_cpu<SmallConvolutional>(config);
    expect_translations_of_the_cpu<SmallConvolutional>(config);
  }
}

// The losses of 100 updates, and the weights after the last.
std::pair<Doubles, Doubles> train_on(Device device, DType dtype) {
  model::TransformerConfig with_dropout = config();
  with_dropout.P_drop = 0.1f;
  model::SmallModel small(with_dropout, {.dtype = dtype, .device = device});
  train::Trainer trainer(small.model, small.block, {}, kSchedule);
  Doubles losses;
  for (std::uint64_t step = 0; step < 100; ++step) {
    losses.push_back(trainer.update(model::random_pairs(16, 12, 101, step % 10)).loss());
  }
  return {losses, values_of(*small.on, small.block.values())};
}

TEST_F(CudaModel, LearnsAsTheCpuDoes) {
  const Doubles cpu = train_on(Device{}, DType::kFloat32).first, single = train_on(kCuda, DType::kFloat32).first,
                rounded = train_on(kCuda, DType::kBFloat16).first;
  EXPECT_LT(cpu.back(), 0.9 * cpu.front());
  for (std::size_t step = 0; step < cpu.size(); ++step) {
    // Differences in the last bit grow from update to update; between float and double on one CPU they reach 3e-3.
    EXPECT_NEAR(single[step], cpu[step], (step < 30 ? 1e-4 : 1e-2) * cpu[step]) << "step " << step;
    EXPECT_NEAR(rounded[step], cpu[step], 3e-2 * cpu[step]) << "step " << step;
  }
}

TEST_F(CudaModel, TheSameSeedGivesTheSameBits) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const auto [losses, weights] = train_on(kCuda, dtype);
    const auto [losses_again, weights_again] = train_on(kCuda, dtype);
    EXPECT_EQ(losses, losses_again);
    EXPECT_EQ(weights, weights_again);
  }
}

TEST_F(CudaModel, TranslatesAsTheCpuDoes) {
  for (const Arrangement& arrangement : arrangements()) {
    if (arrangement.config.V_target != 101) continue;
    SCOPED_TRACE(arrangement.name);
    // Random running values do not normalise, so activations grow: float and double on one CPU differ by 6e-4.
    const bool is_batch = arrangement.config.norm_kind == model::transformer::NormKind::kBatch;
    expect_translations_of_the_cpu<model::SmallModel>(arrangement.config, is_batch ? 2e-3 : 1e-4);
  }
}

TEST_F(CudaModel, ADryRunCountsWhatAStepTakes) {
  model::SmallModel real(config(), {.dtype = DType::kBFloat16, .device = kCuda});
  const auto dry_on = make_backend(kCuda, {.dry = true});
  model::Transformer dry_model(config());
  params::ParameterBlock dry_block(*dry_on, DType::kBFloat16, dry_model, params::Purpose::kTraining);
  train::Trainer trainer(real.model, real.block, {}, kSchedule), dry_trainer(dry_model, dry_block, {}, kSchedule);
  const auto pairs = model::random_pairs(40, 30, 101, 1);
  for (train::Trainer* one : {&trainer, &dry_trainer}) one->update(pairs);
  EXPECT_EQ(real.on->arena().peak(), dry_on->arena().peak());
  EXPECT_EQ(real.on->gradients().peak(), dry_on->gradients().peak());
}

TEST(CudaMissing, IsReportedInOneSentence) {
  if (cuda_devices() > 0) GTEST_SKIP() << "this machine has a CUDA device";
  try {
    make_backend(kCuda);
    ADD_FAILURE() << "no DeviceError was thrown";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("use --device cpu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dragoman
