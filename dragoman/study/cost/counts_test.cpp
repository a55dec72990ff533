// What ModelConfig::multiply_adds computes from the sizes of a model, against what the kernels count.
#include <gtest/gtest.h>

#include <algorithm>

#include "dragoman/model/registry/registry.h"
#include "dragoman/model/testing.h"
#include "dragoman/model/universal/config.h"
#include "dragoman/train/trainer.h"

namespace dragoman::study::cost {
namespace {

using Pairs = std::vector<data::SentencePair>;

struct Counts {
  std::int64_t forward = 0, with_backward = 0;
};

Counts counted(const model::ModelConfig& config, const Pairs& pairs) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  const std::unique_ptr<model::Seq2Seq> model = config.make_model();
  params::ParameterBlock block(*on, DType::kFloat64, *model, params::Purpose::kTraining);
  block.initialise(1);
  train::Trainer trainer(*model, block, {}, {.constant = 1, .d_model = 20, .warmup_steps = 10});
  OperationCounter forward, with_backward;
  on->count_operations(&forward);
  train::evaluate(*on, *model, pairs, {.epsilon = 0});
  on->count_operations(&with_backward);
  trainer.gradients(std::vector{data::make_host_batch(pairs, train::batch_options(*model))});
  return {forward.operations(), with_backward.operations()};
}

// The multiply-adds of the decoder's self-attention with keys that the causal mask hides: the formulas count them, as
// the paper's n^2 d does, and the kernels do not. `layers` is the number of layers, or of steps of the same layer.
std::int64_t hidden_by_mask(const model::TransformerConfig& config, int layers, const Pairs& pairs) {
  std::int64_t hidden = 0;
  for (const data::SentencePair& pair : pairs) {
    const std::int64_t m = std::ssize(pair.target), r = config.window;
    const bool slides = config.window_kind == Mask::Window::kSliding;
    const Mask open{.r = r, .window = config.window_kind},
        causal{.kind = Mask::Kind::kCausal, .r = r, .window = config.window_kind};
    for (std::int64_t i = 0; i < m; ++i) {
      const std::int64_t all = r > 0 && slides ? std::min(r, m) : open.end_key(i, m) - open.first_key(i);
      hidden += all - (causal.end_key(i, m) - causal.first_key(i));
    }
  }
  const auto sizes = config.decoder_sizes();
  return hidden * layers * sizes.h * (sizes.d_k + sizes.d_v);
}

std::int64_t hidden_by_mask(const model::ModelConfig& config, const Pairs& pairs) {
  if (config.arch() == "transformer") {
    const auto& transformer = config.as<model::TransformerConfig>();
    return hidden_by_mask(transformer, transformer.N_dec, pairs);
  }
  if (config.arch() == "universal") {
    const auto& universal = config.as<model::UniversalConfig>();
    return hidden_by_mask(universal, universal.T, pairs);
  }
  return 0;
}

bool may_stop_early(const model::ModelConfig& config) {
  return config.arch() == "universal" && config.as<model::UniversalConfig>().adaptive();
}

TEST(CostByTheModel, IsWhatTheKernelsCountForEveryArchitecture) {
  const Pairs pairs = model::random_pairs(8, 5, 11, 3);  // some models have six positions
  for (const std::string& arch : model::architecture_names()) {
    for (const model::GradientModel& one : model::architecture(arch).gradient_models) {
      SCOPED_TRACE(arch + ", " + one.name);
      std::int64_t formula = -hidden_by_mask(one.model, pairs);
      for (const data::SentencePair& pair : pairs) {
        formula += one.model.multiply_adds(std::ssize(pair.source), std::ssize(pair.target));
      }
      const Counts kernels = counted(one.model, pairs);
      if (may_stop_early(one.model)) {
        // The formula counts the most steps. Training and evaluation, with and without dropout, may halt differently.
        EXPECT_LE(kernels.forward, formula);
        continue;
      }
      EXPECT_EQ(kernels.forward, formula);
      // Backward costs twice as much as forward, except that attention also computes its scores again, and that
      // constants have no gradients. In models as small as these attention is a large part.
      const double ratio = static_cast<double>(kernels.with_backward) / static_cast<double>(kernels.forward);
      EXPECT_NEAR(ratio, 3, 0.2);
    }
  }
}

// With a wide hidden layer and a vocabulary, as in models that are used, little of the cost is attention.
TEST(CostByTheModel, IsAThirdForwardInAModelOfUsualShape) {
  model::TransformerConfig config = model::small_config();
  config.d_model = 64;
  config.d_ff = 256;
  config.V_source = config.V_target = 500;
  const Counts kernels = counted(config, model::random_pairs(3, 20, 500, 1));
  EXPECT_NEAR(static_cast<double>(kernels.with_backward) / static_cast<double>(kernels.forward), 3, 0.02);
}

}  // namespace
}  // namespace dragoman::study::cost
