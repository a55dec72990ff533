#include "dragoman/serve/api/device_budget.h"

#include <gtest/gtest.h>

#include "dragoman/serve/api/app_testing.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TEST(DeviceBudget, CountsAPartUntilItsLastCopyIsGone) {
  DeviceBudget budget(100);
  DeviceBudget::Part first = budget.take("one", 60), copy = first;
  EXPECT_THROW(budget.take("two", 41), MemoryError);
  first.reset();
  EXPECT_THROW(budget.take("two", 41), MemoryError);
  copy.reset();
  EXPECT_TRUE(budget.take("two", 100));
}

TEST(DeviceBudget, ZeroIsNoLimit) { EXPECT_TRUE(DeviceBudget(0).take("one", kPlenty)); }

class DevicePlanTest : public AppTest {
 protected:
  WantedModel wanted(std::int64_t batch_size, std::int64_t batch_tokens) const {
    decode::TranslatorOptions options = translation();
    options.search.beam = 8;
    options.batch_size = batch_size;
    options.batch_tokens = batch_tokens;
    options.longest = 60;
    return {model::read_info(directory).config, options};
  }
  // The bytes of the model with batches of this size.
  std::int64_t bytes(std::int64_t batch_size, std::int64_t batch_tokens) const {
    return plan_models(std::vector{wanted(batch_size, batch_tokens)}, 0, kPlenty).models[0].bytes;
  }
};

TEST_F(DevicePlanTest, BatchesAreAsLargeAsTheOptionsSayIfTheyFitTwice) {
  const std::vector models{wanted(192, 12'288)};
  const std::int64_t one = bytes(192, 12'288);
  const DevicePlan plan = plan_models(models, 0, 2 * one);
  EXPECT_EQ(plan.models[0].options.batch_size, 192);
  EXPECT_EQ(plan.models[0].options.batch_tokens, 12'288);
  EXPECT_EQ(plan.total, 2 * one);
  EXPECT_TRUE(plan.can_reload);
}

TEST_F(DevicePlanTest, BatchesAreSmallerIfTheBudgetIs) {
  const std::vector models{wanted(192, 12'288)};
  const std::int64_t one = bytes(192, 12'288);
  for (const std::int64_t budget : {2 * one - 1, one, one / 2 + bytes(1, 1)}) {
    const DevicePlan plan = plan_models(models, 0, budget);
    EXPECT_LE(plan.total, budget);
    EXPECT_GT(plan.total, budget - one / 8);  // little is left unused
    EXPECT_LT(plan.models[0].options.batch_size, 192);
    EXPECT_GE(plan.models[0].options.worker_memory, 1);
    EXPECT_TRUE(plan.can_reload);
  }
}

TEST_F(DevicePlanTest, AServerTranslatesWithinItsPlan) {
  const WantedModel large = wanted(192, 12'288);
  app_.reset();
  models_ =
      std::make_unique<Models>(std::vector{directory}, large.options, 1000, 0, SearchOf(), 2 * bytes(192, 12'288));
  app_ = std::make_unique<App>(*models_, AppOptions{});
  EXPECT_EQ(models_->find("en", "de")->service.options().batch_size, 192);
  EXPECT_EQ(post("/translate", {{"q", "one two"}, {"source", "en"}, {"target", "de"}}),
            Json({{"translatedText", expected("one two", large.options.search)}}));
}

TEST_F(DevicePlanTest, CheckpointsAndOtherModelsTakeTheirPart) {
  const std::vector models{wanted(192, 12'288), wanted(192, 12'288)};
  const std::int64_t one = bytes(192, 12'288);
  EXPECT_EQ(plan_models(models, 3, kPlenty).total, (2 * 2 + 3) * one);
}

TEST_F(DevicePlanTest, WithoutRoomForAReloadThereIsASmallPlanAndWithoutRoomForAModelNone) {
  const std::vector models{wanted(192, 12'288)};
  const std::int64_t least = bytes(1, 1);
  const DevicePlan plan = plan_models(models, 0, 2 * least - 1);
  EXPECT_FALSE(plan.can_reload);
  EXPECT_LE(plan.total, 2 * least - 1);
  try {
    plan_models(models, 0, least - 1);
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_NE(
        std::string(error.what()).find("takes at least " + std::to_string((least + (1 << 20) - 1) >> 20) + " MiB"),
        std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("raise --gpu-memory-mb"), std::string::npos);
  }
}

TEST_F(DevicePlanTest, AReloadForWhichThereIsNoRoomIsRefusedAndTheModelStays) {
  const WantedModel smallest = wanted(1, 1);
  const std::int64_t least = bytes(1, 1);
  Models models({directory}, smallest.options, 1000, 0, {}, 2 * least - 1);
  const std::shared_ptr<ServedModel> before = models.find("en", "de");
  EXPECT_THROW(models.reload(), MemoryError);
  EXPECT_EQ(models.find("en", "de"), before);
  EXPECT_NE(models.memory_text().find("A reload does not fit"), std::string::npos);
}

TEST_F(DevicePlanTest, AReloadWaitsForRequestsThatStillUseTheModelsBefore) {
  const WantedModel smallest = wanted(1, 1);
  Models models({directory}, smallest.options, 1000, 0, {}, 2 * bytes(1, 1));
  std::shared_ptr<ServedModel> in_use = models.find("en", "de");
  models.reload();
  EXPECT_NE(models.find("en", "de"), in_use);
  EXPECT_THROW(models.reload(), MemoryError);  // this would be the third generation
  in_use.reset();
  models.retire();
  models.reload();
}

TEST_F(DevicePlanTest, ACheckpointForWhichThereIsNoRoomNowIsRefused) {
  std::filesystem::create_directories(directory / "checkpoints/step-10");
  std::filesystem::copy(model::weights_file(directory), model::weights_file(directory / "checkpoints/step-10"));
  const WantedModel smallest = wanted(1, 1);
  Models models({directory}, smallest.options, 1000, 1, {}, 3 * bytes(1, 1));
  const std::string name = models.find("en", "de")->name;
  const std::shared_ptr<ServedModel> checkpoint = models.find("", "", name + "@10"), before = models.find("en", "de");
  models.reload();  // now the model before, its checkpoint and the new model are there
  try {
    models.find("", "", name + "@10");
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status, 503);
  }
}

TEST_F(DevicePlanTest, HoldsOnCudaDuringAReload) {
  if (cuda_devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  constexpr std::int64_t kBudget = std::int64_t{1500} << 20;
  model::TransformerConfig config = model::small_config();
  config.d_model = 64;
  write_model(config);
  name_languages("en", "de");
  decode::TranslatorOptions options = wanted(512, 32'768).options;
  options.device = {Device::Kind::kCuda, 0};
  options.workers = 2;
  const std::unique_ptr<Backend> first = make_backend(options.device, {.memory = 1 << 20, .gradient_memory = 1 << 20});
  const auto free_before = static_cast<std::int64_t>(available_memory(options.device));
  app_.reset();
  models_ = std::make_unique<Models>(std::vector{directory}, options, 1000, 0, SearchOf(), kBudget);
  app_ = std::make_unique<App>(*models_, AppOptions{});
  // A long text gives work to all workers.
  Json texts = Json::array();
  for (int i = 0; i < 200; ++i) texts.push_back(data::words(1 + i % 50));
  const Json question{{"q", texts}, {"source", "en"}, {"target", "de"}};
  const Json answer = post("/translate", question);
  const std::shared_ptr<ServedModel> before = models_->find("en", "de");
  models_->reload();
  EXPECT_NE(models_->find("en", "de"), before);
  EXPECT_EQ(post("/translate", question), answer);
  const std::int64_t used = free_before - static_cast<std::int64_t>(available_memory(options.device));
  EXPECT_LE(used, kBudget);
  EXPECT_GT(used, kBudget / 4);
}

}  // namespace
}  // namespace dragoman::serve
