#include "dragoman/train/dry_run.h"

#include <gtest/gtest.h>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/model/testing.h"
#include "dragoman/train/trainer.h"

namespace dragoman::train {
namespace {

// The memory that a real step of the same shapes takes.
std::int64_t measured_bytes(const model::TransformerConfig& config, int tokens, int sentence_length, int threads) {
  model::SmallModel small(config, {.threads = threads});
  Trainer trainer(small.model, small.block, {}, {.d_model = config.d_model});
  std::vector<data::SentencePair> pairs;
  int drawn = 0;
  for (int left = tokens; left > 0; left -= sentence_length) {
    data::Sentence sentence;
    for (int i = 0; i < std::min(left, sentence_length); ++i, ++drawn) {
      sentence.push_back(kEos + drawn % (config.V_source - kEos));
    }
    pairs.push_back({sentence, sentence});
  }
  small.on->arena().reset_peak();
  trainer.update(pairs);
  return static_cast<std::int64_t>(small.on->arena().peak() + small.on->gradients().peak());
}

TEST(DryRun, NeedsWhatTheRealStepNeeds) {
  model::TransformerConfig config = model::small_config();
  for (const auto& [tokens, length] : {std::pair{1, 1}, {50, 7}, {600, 30}}) {
    const std::int64_t expected = training_memory(config, tokens, length).total();
    EXPECT_EQ(measured_bytes(config, tokens, length, 1), expected);
    EXPECT_EQ(measured_bytes(config, tokens, length, 3), expected);
  }
  config.norm = model::transformer::Norm::kPre;
  config.P_drop = config.P_drop_attention = config.P_drop_relu = 0.1f;
  config.positions = model::transformer::Positions::kLearned;
  EXPECT_EQ(measured_bytes(config, 100, 10, 2), training_memory(config, 100, 10).total());
}

// The gradient of an embedding uses an index of the distinct tokens, so its memory depends on how many there are.
TEST(DryRun, CountsAsManyDistinctTokensAsThereCanBe) {
  const model::TransformerConfig config = model::small_config();
  model::SmallModel small(config);
  Trainer trainer(small.model, small.block, {}, {.d_model = config.d_model});
  small.on->arena().reset_peak();
  trainer.update(model::random_pairs(20, 9, config.V_source, 1));
  std::int64_t tokens = 0;
  for (const data::SentencePair& pair : model::random_pairs(20, 9, config.V_source, 1)) {
    tokens += static_cast<std::int64_t>(std::max(pair.source.size(), pair.target.size()));
  }
  EXPECT_LE(static_cast<std::int64_t>(small.on->arena().peak()), training_memory(config, tokens, 1).values);
}

TEST(DryRun, GrowsWithTheBatch) {
  const model::TransformerConfig config = model::small_config();
  EXPECT_LT(training_memory(config, 100, 10).total(), training_memory(config, 200, 10).total());
  EXPECT_LT(training_memory(config, 200, 10).total(), training_memory(config, 2000, 10).total());
}

// Validation has no gradients, but on a GPU it may have wider logits than training: float32 in place of bfloat16.
TEST(DryRun, LeavesRoomForTheValidationOfABatch) {
  for (const std::string& name : model::preset_names()) {
    if (!name.ends_with("symbols")) continue;
    const model::ModelConfig& config = model::preset(name).model;
    const std::int64_t planned = training_memory(config, 60, 6).values;
    const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
    const std::unique_ptr<model::Seq2Seq> model = config.make_model();
    const params::ParameterBlock block(*on, DType::kFloat32, *model, params::Purpose::kTraining);
    on->arena().reset_peak();
    evaluate(*on, *model, model::random_pairs(10, 6, config.source_vocabulary(), 1), {});
    EXPECT_LE(static_cast<std::int64_t>(on->arena().peak()), planned) << name;
  }
}

TEST(DryRun, OfTheBaseModelTouchesNoMemory) {
  // More memory than most machines have, counted in a moment.
  EXPECT_GT(training_memory(model::default_model(), 2'000'000, 25).total(), std::int64_t{1} << 36);
}

TEST(DryRun, OfDecodingNeedsWhatDecodingNeeds) {
  const model::TransformerConfig config = model::small_config();
  const std::vector<data::Sentence> sources(3, data::Sentence(9, 5));
  for (const std::optional<std::int32_t> first : {std::optional<std::int32_t>(), std::optional(7)}) {
    model::SmallModel small(config, {.threads = 2});
    small.on->arena().reset_peak();
    decode::greedy(*small.on, small.model, sources, {.first = first});
    EXPECT_EQ(static_cast<std::int64_t>(small.on->arena().peak()), decoding_memory(config, 3, 9, {}, first).values);
  }
}

}  // namespace
}  // namespace dragoman::train
