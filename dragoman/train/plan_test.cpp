#include "dragoman/train/plan.h"

#include <gtest/gtest.h>

#include "dragoman/backend/backend.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/testing.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::train {
namespace {

constexpr std::int64_t kMiB = 1 << 20, kNoLimit = std::int64_t{1} << 40;

TrainingSettings large_batches() {
  TrainingSettings settings;
  settings.model = model::small_config();
  settings.model.as<model::TransformerConfig>().d_model = 128;
  settings.model.as<model::TransformerConfig>().d_ff = 512;
  settings.training.batch_tokens = 20'000;
  settings.cleaning.max_length = 100;
  return settings;
}

TEST(Plan, TakesWholeBatchesIfThereIsRoom) { EXPECT_EQ(make_plan(large_batches(), {}, kNoLimit).micro_tokens, 20'000); }

TEST(Plan, NeverExceedsItsLimitAndLeavesLittleUnused) {
  const std::int64_t whole = make_plan(large_batches(), {}, kNoLimit).total();
  for (const double share : {0.99, 0.8, 0.6, 0.5}) {
    const auto limit = static_cast<std::int64_t>(share * static_cast<double>(whole));
    const MemoryPlan plan = make_plan(large_batches(), {}, limit);
    EXPECT_LE(plan.total(), limit);
    EXPECT_GT(plan.total(), limit - limit / 20);
    EXPECT_LT(plan.micro_tokens, 20'000);
    EXPECT_GE(plan.micro_tokens, 100);  // the longest sentence
  }
}

TEST(Plan, TheMessageNamesAnAmountOfMemoryThatSuffices) {
  const std::string error_message = data::error_message_of<MemoryError>([] { make_plan(large_batches(), {}, kMiB); });
  const std::string before = "needs at least ", after = " MiB, but 1 MiB";
  const std::size_t begin = error_message.find(before);
  ASSERT_TRUE(begin < error_message.find(after)) << error_message;
  const std::int64_t enough = std::stoll(error_message.substr(begin + before.size()));
  // Micro-batches have the 100 tokens of the longest sentence, and a multiple of 64 more.
  EXPECT_EQ(make_plan(large_batches(), {}, enough * kMiB).micro_tokens % 64, 100 % 64);
  EXPECT_NE(data::error_message_of<MemoryError>([&] { make_plan(large_batches(), {}, (enough - 1) * kMiB); }), "");
}

TEST(Plan, TheSmallestIsTheLeastMemoryThatIsEnough) {
  const std::int64_t least = smallest_plan(large_batches(), {}).total();
  EXPECT_EQ(make_plan(large_batches(), {}, least).total(), least);
  EXPECT_THROW(make_plan(large_batches(), {}, least - 1), MemoryError);
}

TEST(Plan, HasASnapshotIfThereIsRoomBesidesTheLargestMicroBatches) {
  const MemoryPlan without = make_plan(large_batches(), {}, kNoLimit);
  MemoryPlan plan = without;
  plan.add_snapshot(large_batches(), kNoLimit);
  EXPECT_EQ(plan.total(), without.total() + plan.snapshot);
  EXPECT_GT(plan.snapshot, 0);
  const std::int64_t enough = plan.total();
  for (const std::int64_t limit : {enough - 1, enough}) {
    MemoryPlan limited = make_plan(large_batches(), {}, limit);
    limited.add_snapshot(large_batches(), limit);
    EXPECT_EQ(limited.snapshot > 0, limit == enough);
    EXPECT_EQ(limited.micro_tokens, without.micro_tokens);
  }
}

TEST(Plan, ARankHasFewerSumsAndMemoryForTheExchange) {
  TrainingSettings settings = large_batches();
  settings.training.accumulate = 8;
  const MemoryPlan alone = make_plan(settings, {}, kNoLimit);
  EXPECT_EQ(alone.describe(kNoLimit).find("exchange"), std::string::npos);
  const std::int64_t block = 4 * params::ParameterBlock::elements(*settings.model.make_model());
  for (const int levels : {1, 2, 3}) {
    MemoryPlan plan = alone;
    plan.divide_among(1 << levels, settings);
    // This small model has one bucket, and a rank receives half of it. Each reservation has 2 MiB for its last page.
    EXPECT_NEAR(static_cast<double>(plan.rank->exchange), static_cast<double>(block / 2 + 2 * kMiB), 128);
    EXPECT_EQ(plan.total(), alone.total() - levels * (block + 2 * kMiB) + plan.rank->exchange);
    EXPECT_NE(plan.describe(kNoLimit).find(", exchange 4, "), std::string::npos) << plan.describe(kNoLimit);
  }
}

TEST(Plan, FitsIntoItsLimitForAnyNumberOfRanks) {
  TrainingSettings settings = large_batches();
  settings.training.accumulate = 4;
  for (const DeviceChoice device : {DeviceChoice::kCpu, DeviceChoice::kCuda}) {
    if (device == DeviceChoice::kCuda && cuda_devices() == 0) continue;
    settings.run.device = device;
    const std::int64_t limit = make_plan(settings, {}, kNoLimit).total() * 4 / 5;
    for (const int ranks : {1, 2, 4}) {
      MemoryPlan plan = make_plan(settings, {}, limit);
      plan.divide_among(ranks, settings);
      EXPECT_LE(plan.total(), limit) << ranks;
    }
  }
}

TEST(Plan, TheExchangeOfACudaDeviceHasABackendWithAWorkspace) {
  TrainingSettings settings = large_batches();
  settings.training.accumulate = 2;
  MemoryPlan on_cpu, on_cuda;
  on_cpu.divide_among(2, settings);
  settings.run.device = DeviceChoice::kCuda;
  on_cuda.divide_among(2, settings);
  EXPECT_EQ(on_cuda.rank->exchange, on_cpu.rank->exchange + 66 * kMiB);
}

TEST(Plan, CountsTheMovingAverageTheLoaderAndTheVocabulary) {
  TrainingSettings settings = large_batches();
  const std::int64_t plain = make_plan(settings, {}, kNoLimit).total();
  EXPECT_EQ(make_plan(settings, {.loader_bytes = 1000}, kNoLimit).total(), plain + 1000);
  EXPECT_GT(make_plan(settings, {.vocabulary_bytes = 1000}, kNoLimit).total(), plain + 1000);
  settings.training.ema = 0.99;
  EXPECT_GT(make_plan(settings, {}, kNoLimit).total(), plain);
}

}  // namespace
}  // namespace dragoman::train
