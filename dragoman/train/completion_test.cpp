#include "dragoman/train/completion.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/backward.h"
#include "dragoman/model/testing.h"
#include "dragoman/train/objective.h"
#include "dragoman/train/thread_rank_testing.h"
#include "dragoman/train/trainer.h"

namespace dragoman::train {
namespace {

constexpr std::int64_t kBuckets = 4;

TEST(Completion, BucketsAreReportedInOrderWithTheirFinalGradientsDuringTheBackwardPass) {
  model::SmallModel small(model::small_config());
  const Array& gradients = small.block.gradients();
  const std::vector<Share> buckets = buckets_of(gradients.count(), kBuckets);
  std::vector<Doubles> seen;
  Completion completion(gradients, buckets, [&](std::size_t bucket) {
    ASSERT_EQ(bucket, seen.size());
    seen.push_back(values_of(*small.on, buckets[bucket].of(gradients)));
  });
  completion.begin();
  const TranslationObjective objective(small.model, {});
  const data::HostBatch batch = data::make_host_batch(model::random_pairs(6, 9, 37, 1), batch_options(small.model));
  {
    const Recording recording(*small.on);
    nn::Pass pass{.on = *small.on, .training = true};
    const BatchLosses losses = objective.losses(batch, weights_of(objective.count(std::span(&batch, 1))), pass);
    small.block.begin_update();
    const Variable* last = nullptr;
    std::size_t before_last = 0;  // buckets that were complete when the last parameter was reported
    backward(losses.roots, [&](const Variable& parameter) {
      EXPECT_NE(&parameter, last);
      last = &parameter;
      before_last = seen.size();
      completion.add(parameter);
    });
    EXPECT_GE(before_last, 2);
  }
  EXPECT_EQ(seen.size(), kBuckets);
  for (std::size_t b = 0; b < seen.size(); ++b) EXPECT_EQ(seen[b], values_of(*small.on, buckets[b].of(gradients))) << b;
}

// The weights, their average and the moments after three updates of four batches, as rank 0 has them.
std::vector<Doubles> state_of_ranks(int ranks) {
  constexpr int kBatches = 4, kSentences = 5;
  std::vector<Doubles> state;
  on_each_rank(ranks, [&](exchange::Exchange& exchange) {
    model::SmallModel small(model::small_config());
    model::TrainingConfig training;
    training.clip = 0.1;
    training.ema = 0.9;
    Trainer trainer(small.model, small.block, training, {.constant = 1, .d_model = 20, .warmup_steps = 10});
    trainer.add_by_tree({.levels = tree_levels(kBatches), .buckets = kBuckets}, exchange);
    const auto own = static_cast<std::size_t>(kBatches / ranks),
               first = own * static_cast<std::size_t>(exchange.rank());
    for (std::uint64_t update = 0; update < 3; ++update) {
      std::vector<data::HostBatch> batches;
      data::BatchOptions options = batch_options(small.model);
      for (std::uint64_t b = 0; b < kBatches; ++b) {
        batches.push_back(data::make_host_batch(model::random_pairs(kSentences, 9, 37, 10 * update + b), options));
        options.first_sentence += kSentences;
      }
      const std::vector<std::int64_t> ones(own, 1);
      trainer.start(
          {.micro_batches = std::span(batches).subspan(first, own), .batches = ones, .whole = trainer.count(batches)});
      EXPECT_TRUE(trainer.finish().finite());
    }
    trainer.collect();
    if (!exchange.leads()) return;
    state = {values_of(*small.on, small.block.values()), values_of(*small.on, trainer.average())};
    for (const optim::Moment& moment : trainer.optimiser().moments()) {
      state.push_back(values_of(*small.on, moment.values));
    }
  });
  return state;
}

TEST(Trainer, RanksThatExchangeBucketsGiveTheBitsOfOneProcess) {
  const std::vector<Doubles> alone = state_of_ranks(1);
  ASSERT_EQ(alone.size(), 4);
  EXPECT_EQ(state_of_ranks(2), alone);
  EXPECT_EQ(state_of_ranks(4), alone);
}

}  // namespace
}  // namespace dragoman::train
