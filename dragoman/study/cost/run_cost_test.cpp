#include "dragoman/study/cost/run_cost.h"

#include <gtest/gtest.h>

#include <limits>

#include "dragoman/base/error.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/study/cost/testing.h"

namespace dragoman::study::cost {
namespace {

TEST(RunCost, IsThatOfTheLastRecord) {
  const RunCost cost = cost_of(small_run("demo"), {});
  EXPECT_EQ(cost.steps, 40);
  EXPECT_EQ(cost.seconds, 4);
  EXPECT_EQ(cost.target_tokens, 4000);
  EXPECT_EQ(cost.model_flops, 8e8);
  EXPECT_EQ(cost.machine_flops, 4e9);
  EXPECT_EQ(cost.rate(), 1e9);
  EXPECT_EQ(cost.utilisation(), 0.2);
}

TEST(RunCost, TakesARateThatIsGiven) {
  const RunCost cost = cost_of(small_run("demo"), 9.5e12);
  EXPECT_EQ(cost.machine_flops, 4 * 9.5e12);
  EXPECT_EQ(cost.rate(), 9.5e12);
}

TEST(RunCost, TimesEndWhereBleuIsFirstReached) {
  train::ReportedRun run = small_run("demo");
  EXPECT_EQ(cost_of(run, {}).bleu, 20);
  EXPECT_EQ(cost_of(run, {}).seconds_to_bleu, 4);
  EXPECT_EQ(cost_of(run, {}).seconds_to_share, 2);  // 19 is 95 % of 20
  // The final BLEU need not be the highest one: 18 was passed by 19.
  run.metrics.validations.pop_back();
  EXPECT_EQ(cost_of(run, {}).bleu, 18);
  EXPECT_EQ(cost_of(run, {}).seconds_to_bleu, 2);
}

TEST(RunCost, TimeGrowsEvenlyBetweenRecords) {
  const std::vector<train::ProgressRecord> records = small_run("demo").metrics.progress;
  EXPECT_EQ(seconds_at(records, 5), 0.5);
  EXPECT_EQ(seconds_at(records, 10), 1);
  EXPECT_EQ(seconds_at(records, 35), 3.5);
  EXPECT_EQ(seconds_at(records, 100), 4);
}

TEST(RunCost, WhatTheRecordsDoNotHaveIsUnknown) {
  train::ReportedRun run = small_run("demo");
  run.metrics.validations.clear();
  run.metrics.progress.back().nominal_flops = 0;
  run.metrics.progress.back().flops = std::numeric_limits<double>::quiet_NaN();
  const RunCost cost = cost_of(run, {});
  EXPECT_FALSE(cost.bleu || cost.seconds_to_bleu || cost.seconds_to_share);
  EXPECT_FALSE(cost.model_flops || cost.machine_flops || cost.rate() || cost.utilisation());
  run.metrics.progress.clear();
  EXPECT_THROW(cost_of(run, {}), Error);
}

TEST(RunCost, RunsAreAlikeIfOnlySeedAndMachineDiffer) {
  const RunCost one = cost_of(small_run("one", "1"), {});
  RunCost two = cost_of(small_run("two", "2"), {});
  EXPECT_TRUE(differ_by_seed(one, two));
  two.settings[0].second = "3";  // layers
  EXPECT_FALSE(differ_by_seed(one, two));
  EXPECT_FALSE(differ_by_seed(RunCost{}, RunCost{}));
}

TEST(RunCost, OfAPresetIsPlannedFromItsStepsAndBatches) {
  const RunCost plan = plan_of(model::preset("base"), 25);
  EXPECT_EQ(plan.target_tokens, 100'000 * 25'000.0);
  EXPECT_EQ(plan.model_flops, 6 * 1'586'124'800.0 * 1000 * 100'000);
  EXPECT_FALSE(plan.seconds || plan.machine_flops);
}

}  // namespace
}  // namespace dragoman::study::cost
