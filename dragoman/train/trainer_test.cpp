#include "dragoman/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "dragoman/backend/instructions.h"
#include "dragoman/model/testing.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::train {
namespace {

using data::SentencePair;
using model::SmallModel;
using Pairs = std::vector<SentencePair>;

model::TransformerConfig config(double P_drop) {
  model::TransformerConfig config = model::small_config();
  config.P_drop = config.P_drop_attention = config.P_drop_relu = static_cast<float>(P_drop);
  return config;
}

constexpr optim::Schedule kSchedule{.constant = 1, .d_model = 20, .warmup_steps = 10};

std::vector<data::HostBatch> cut(const Pairs& pairs, const std::vector<int>& sizes, const model::Seq2Seq& model) {
  std::vector<data::HostBatch> micro_batches;
  data::BatchOptions options = batch_options(model);
  for (const int size : sizes) {
    micro_batches.push_back(data::make_host_batch(std::span(pairs).subspan(options.first_sentence, size), options));
    options.first_sentence += size;
  }
  EXPECT_EQ(options.first_sentence, static_cast<int>(pairs.size()));
  return micro_batches;
}

// The gradient of one update over `pairs`, divided into micro-batches of the given sizes.
Doubles gradient(const Pairs& pairs, const std::vector<int>& sizes, double P_drop, DType dtype) {
  SmallModel small(config(P_drop), {.dtype = dtype});
  Trainer trainer(small.model, small.block, {}, kSchedule);
  trainer.gradients(cut(pairs, sizes, small.model));
  return values_of(*small.on, small.block.gradients());
}

double relative_difference(const Doubles& a, const Doubles& b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / norm);
}

TEST(MicroBatches, GiveTheGradientOfOneLargeBatch) {
  const Pairs pairs = model::random_pairs(12, 9, 37, 1);
  const Doubles whole = gradient(pairs, {12}, 0, DType::kFloat32);
  EXPECT_LT(relative_difference(gradient(pairs, {5, 7}, 0, DType::kFloat32), whole), 1e-6);
  EXPECT_LT(relative_difference(gradient(pairs, {1, 2, 3, 6}, 0, DType::kFloat32), whole), 1e-6);
}

TEST(MicroBatches, AnEmptyOneChangesNothing) {
  const Pairs pairs = model::random_pairs(6, 9, 37, 1), others = model::random_pairs(5, 9, 37, 2);
  SmallModel small(config(0), {.dtype = DType::kFloat64});
  Trainer trainer(small.model, small.block, {}, kSchedule);
  trainer.gradients(cut(pairs, {6}, small.model));
  const Doubles expected = values_of(*small.on, small.block.gradients());
  trainer.gradients(cut(others, {5}, small.model));
  trainer.gradients(cut(pairs, {0, 6, 0}, small.model));
  EXPECT_EQ(values_of(*small.on, small.block.gradients()), expected);
}

// A dropout mask depends on the number of the sentence within the update, not on the division into micro-batches.
TEST(MicroBatches, DropTheSameElementsAsOneLargeBatch) {
  const Pairs pairs = model::random_pairs(12, 9, 37, 1);
  const Doubles whole = gradient(pairs, {12}, 0.3, DType::kFloat64);
  EXPECT_LT(relative_difference(gradient(pairs, {5, 7}, 0.3, DType::kFloat64), whole), 1e-12);
  EXPECT_LT(relative_difference(gradient(pairs, {1, 2, 3, 6}, 0.3, DType::kFloat64), whole), 1e-12);
  EXPECT_GT(relative_difference(gradient(pairs, {12}, 0, DType::kFloat64), whole), 1e-2);
}

Doubles parameters_after(int updates, int threads, std::uint64_t seed, bool bf16_products = false) {
  model::TransformerConfig wide = config(0.1);
  wide.d_model = 48;
  wide.V_source = wide.V_target = 300;
  SmallModel small(wide, {.threads = threads, .bf16_products = bf16_products});
  model::TrainingConfig training;
  training.seed = seed;
  Trainer trainer(small.model, small.block, training, kSchedule);
  for (int u = 0; u < updates; ++u) trainer.update(model::random_pairs(20, 25, 300, 10 + u));
  EXPECT_EQ(trainer.updates(), updates);
  return values_of(*small.on, small.block.values());
}

TEST(Trainer, GivesTheSameBitsWithAnyThreads) {
  const Doubles one = parameters_after(5, 1, 1);
  EXPECT_EQ(parameters_after(5, 2, 1), one);
  EXPECT_EQ(parameters_after(5, 3, 1), one);
  EXPECT_NE(parameters_after(5, 1, 2), one);  // another seed drops other elements
}

TEST(Trainer, GivesTheSameBitsWithAnyThreadsInBfloat16Too) {
  if (const std::string reason = why_no_bf16_products(); !reason.empty()) GTEST_SKIP() << reason;
  const Doubles one = parameters_after(5, 1, 1, true);
  EXPECT_EQ(parameters_after(5, 2, 1, true), one);
  EXPECT_EQ(parameters_after(5, 3, 1, true), one);
  EXPECT_NE(parameters_after(5, 1, 1), one);  // in float32
}

TEST(Trainer, SteadyStateAllocatesNoArrays) {
  SmallModel small(config(0.1), {.threads = 2});
  Trainer trainer(small.model, small.block, {}, kSchedule);
  const Pairs pairs = model::random_pairs(8, 12, 37, 1);
  for (int u = 1; u <= 2; ++u) trainer.update(pairs);
  const std::int64_t made = HostReservation::count_made();
  const std::size_t values = small.on->arena().peak(), tape = small.on->host_arena().peak(),
                    gradients = small.on->gradients().peak();
  for (int u = 3; u <= 6; ++u) trainer.update(pairs);
  EXPECT_EQ(HostReservation::count_made(), made);
  EXPECT_EQ(small.on->arena().peak(), values);
  EXPECT_EQ(small.on->host_arena().peak(), tape);
  EXPECT_EQ(small.on->gradients().peak(), gradients);
}

TEST(Trainer, AnUpdateGivesBackAllItsMemory) {
  SmallModel small(config(0.1));
  Trainer trainer(small.model, small.block, {}, kSchedule);
  const std::size_t values = small.on->arena().used(), tape = small.on->host_arena().used();
  trainer.update(model::random_pairs(4, 6, 37, 1));
  EXPECT_EQ(small.on->arena().used(), values);
  EXPECT_EQ(small.on->host_arena().used(), tape);
  EXPECT_EQ(small.on->gradients().used(), 0u);
}

TEST(Trainer, LearnsOnePairByHeart) {
  SmallModel small(config(0));
  Trainer trainer(small.model, small.block, {.eps_ls = 0}, {.constant = 0.1, .d_model = 20, .warmup_steps = 10});
  const Pairs pairs{{{5, 6, 7, 2}, {8, 9, 10, 11, 2}}};
  const double first = trainer.update(pairs).loss();
  for (int u = 0; u < 60; ++u) trainer.update(pairs);
  EXPECT_GT(first, 2);
  EXPECT_LT(trainer.update(pairs).loss(), 0.1);
}

TEST(Trainer, RowsBeyondTheVocabularyStayZero) {
  SmallModel small(config(0));
  Trainer trainer(small.model, small.block, {}, kSchedule);
  for (int u = 0; u < 3; ++u) trainer.update(model::random_pairs(4, 6, 37, 1));
  // The embedding comes first in the block: it has 37 rows of width 20, in memory for 128 rows.
  const Doubles all = values_of(*small.on, small.block.values().reshaped({1, small.block.values().count()}));
  for (std::size_t i = 37 * 20; i < 128 * 20; ++i) ASSERT_EQ(all[i], 0) << "element " << i;
}

TEST(Trainer, AnUpdateWithoutTargetsIsRefused) {
  SmallModel small(config(0));
  Trainer trainer(small.model, small.block, {}, kSchedule);
  EXPECT_THROW(trainer.update(Pairs{}), UsageError);
  EXPECT_EQ(trainer.updates(), 0);
}

TEST(Trainer, FollowsItsSchedule) {
  SmallModel small(config(0));
  Trainer trainer(small.model, small.block, {}, kSchedule);
  for (int u = 1; u <= 3; ++u) {
    trainer.update(model::random_pairs(1, 3, 37, 1));
    EXPECT_EQ(trainer.rate(), kSchedule.rate(u));
  }
}

double norm_of(const Doubles& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

// Adam's first moment after one step is a tenth of the gradient that it was given.
TEST(Clipping, MakesALongGradientAsLongAsAllowedAndLeavesAShortOne) {
  const Pairs pairs = model::random_pairs(4, 6, 37, 1);
  for (const double clip : {0.01, 1e6}) {
    SmallModel small(config(0), {.dtype = DType::kFloat64});
    Trainer trainer(small.model, small.block, {.clip = clip}, kSchedule);
    const Losses losses = trainer.update(pairs);
    const double norm = norm_of(values_of(*small.on, small.block.gradients()));
    EXPECT_NEAR(*losses.gradient_norm, norm, 1e-12 * norm);
    EXPECT_NEAR(norm_of(values_of(*small.on, trainer.optimiser().moments().front().values)), 0.1 * std::min(clip, norm),
                1e-12 * norm);
  }
}

TEST(MovingAverage, FollowsTheWeights) {
  SmallModel small(config(0), {.dtype = DType::kFloat64});
  Trainer trainer(small.model, small.block, {.ema = 0.5}, kSchedule);
  Doubles expected;
  for (int t = 1; t <= 12; ++t) {
    trainer.update(model::random_pairs(2, 4, 37, t));
    const Doubles now = values_of(*small.on, small.block.values());
    const double decay = t == 1 ? 0 : std::min(0.5, (1.0 + t) / (10.0 + t));
    if (t == 1) expected = now;
    for (std::size_t i = 0; i < now.size(); ++i) expected[i] = decay * expected[i] + (1 - decay) * now[i];
  }
  const Doubles average = values_of(*small.on, trainer.average());
  for (std::size_t i = 0; i < average.size(); ++i) ASSERT_NEAR(average[i], expected[i], 1e-12);
}

TEST(MovingAverage, DoesNotChangeWhenAnUpdateIsSkipped) {
  SmallModel small(config(0));
  Trainer trainer(small.model, small.block, {.ema = 0.5}, kSchedule);
  for (int t = 1; t <= 3; ++t) trainer.update(model::random_pairs(2, 4, 37, t));
  const Doubles before = values_of(*small.on, trainer.average());
  small.block.tensors().front().values.data<float>()[5 * 20] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(trainer.update(Pairs{{{5, 2}, {6, 2}}}).finite());
  EXPECT_EQ(values_of(*small.on, trainer.average()), before);
}

TEST(Trainer, ALossThatIsNotFiniteChangesNothing) {
  SmallModel small(config(0));
  Trainer trainer(small.model, small.block, {}, kSchedule);
  small.block.tensors().front().values.data<float>()[5 * 20] = std::numeric_limits<float>::quiet_NaN();
  const Doubles before = values_of(*small.on, small.block.values());
  EXPECT_FALSE(trainer.update(Pairs{{{5, 2}, {6, 2}}}).finite());
  EXPECT_EQ(trainer.updates(), 0);
  const Doubles after = values_of(*small.on, small.block.values());
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_TRUE(after[i] == before[i] || std::isnan(before[i]));
}

TEST(Evaluate, ChangesNoParameterAndNoGradient) {
  SmallModel small(config(0.3));
  Trainer trainer(small.model, small.block, {}, kSchedule);
  const Pairs pairs = model::random_pairs(4, 6, 37, 1);
  trainer.update(pairs);
  const Doubles values = values_of(*small.on, small.block.values()), d = values_of(*small.on, small.block.gradients());
  const Losses first = evaluate(*small.on, small.model, pairs, {}),
               second = evaluate(*small.on, small.model, pairs, {});
  EXPECT_EQ(values_of(*small.on, small.block.values()), values);
  EXPECT_EQ(values_of(*small.on, small.block.gradients()), d);
  EXPECT_EQ(first.loss(), second.loss());
}

TEST(Evaluate, GivesTheLossThatAnUpdateWithoutDropoutWouldSee) {
  SmallModel small(config(0), {.dtype = DType::kFloat64});
  Trainer trainer(small.model, small.block, {}, kSchedule);
  const Pairs pairs = model::random_pairs(4, 6, 37, 1);
  const Losses evaluated = evaluate(*small.on, small.model, pairs, {}), trained = trainer.update(pairs);
  EXPECT_NEAR(evaluated.loss(), trained.loss(), 1e-12);
  EXPECT_NEAR(evaluated.nll(), trained.nll(), 1e-12);
  EXPECT_EQ(evaluated.items, trained.items);
}

// The tokens of sentence 0 cost .2, .5 and .3 nats, those of sentence 1 1.0 and .4. The loss is .48, the mean over the
// tokens, and not .516667, the mean of the sentences' means.
TEST(Evaluate, DividesByTokensAndNotBySentences) {
  const auto on = make_backend(Device{}, {.threads = 1});
  const double nll[2][3] = {{.2, .5, .3}, {1.0, .4, 0}};
  const model::ScriptedModel scripted(*on, 6, [&](int sentence, int position) {
    const double p = std::exp(-nll[sentence][position]);
    Doubles logits(6, std::log((1 - p) / 5));
    logits[5] = std::log(p);
    return logits;
  });
  const Losses losses = evaluate(*on, scripted, Pairs{{{4, 2}, {5, 5, 5}}, {{4, 2}, {5, 5}}}, {.epsilon = 0});
  EXPECT_EQ(losses.items, 5);
  EXPECT_NEAR(losses.nll(), .48, 1e-12);
  EXPECT_NEAR(losses.loss(), .48, 1e-12);
  EXPECT_NEAR(std::exp(losses.nll()), 1.616074, 5e-7);
}

TEST(Evaluate, RefusesAnEmptySetOfPairs) {
  SmallModel small;
  EXPECT_THROW(evaluate(*small.on, small.model, {}, {}), UsageError);
}

// A Transformer with a loss of its own: the sum of the encoder's states, multiplied by a factor.
class WithOwnLoss final : public model::Seq2Seq {
 public:
  WithOwnLoss(const model::Seq2Seq& inner, double factor) : inner_(inner), factor_(factor) {}

  model::Encoded encode(const Tokens& source, nn::Pass& pass) const override {
    model::Encoded encoded = inner_.encode(source, pass);
    if (pass.own_losses != nullptr) {
      pass.own_losses->losses.push_back(ops::sum(encoded.states, factor_ * pass.own_losses->weight));
    }
    return encoded;
  }
  std::vector<std::string> loss_names() const override { return {"size"}; }
  Tensor decode(const Tokens& target, const model::Encoded& encoded, nn::Pass& pass) const override {
    return inner_.decode(target, encoded, pass);
  }
  model::OutputProjection output() const override { return inner_.output(); }
  model::StateLayout state_layout() const override { return inner_.state_layout(); }
  void store_memory(const model::Encoded& encoded, const Array& rows, const model::StateArrays& state) const override {
    inner_.store_memory(encoded, rows, state);
  }
  Tensor step(const model::StepRows& rows, const model::StateArrays& state, nn::Pass& pass) const override {
    return inner_.step(rows, state, pass);
  }
  std::int64_t source_vocabulary() const override { return inner_.source_vocabulary(); }
  std::int64_t target_vocabulary() const override { return inner_.target_vocabulary(); }
  std::int32_t start_token() const override { return inner_.start_token(); }
  void parameters(params::ParameterVisitor&) override {}

 private:
  const model::Seq2Seq& inner_;
  double factor_;
};

TEST(Trainer, AModelsOwnLossIsReportedAndChangesTheGradient) {
  const auto gradients_with = [](double factor, Losses& losses) {
    model::SmallModel small(model::small_config(), {.dtype = DType::kFloat64});
    const WithOwnLoss model(small.model, factor);
    Trainer trainer(model, small.block, {}, {});
    const auto pairs = model::random_pairs(4, 5, 37, 3);
    const data::HostBatch batches[] = {data::make_host_batch(std::span(pairs).first(2), batch_options(model)),
                                       data::make_host_batch(std::span(pairs).last(2), batch_options(model))};
    losses = trainer.gradients(batches);
    return values_of(*small.on, small.block.gradients());
  };
  Losses none, one, two;
  const Doubles without = gradients_with(0, none), with = gradients_with(1, one), twice = gradients_with(2, two);
  EXPECT_EQ(none.figures["size"], 0);
  EXPECT_NE(one.figures["size"], 0);
  EXPECT_NEAR(two.figures["size"], 2 * one.figures["size"], 1e-12);
  EXPECT_EQ(none.loss(), one.loss());
  double changed = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_NEAR(twice[i] - with[i], with[i] - without[i], 1e-12);
    changed += std::abs(with[i] - without[i]);
  }
  EXPECT_GT(changed, 0.1);
}

TEST(Objective, MaskedTargetsAreNotCounted) {
  const model::SmallModel small;
  const TranslationObjective objective(small.model, {});
  data::HostBatch batch = data::make_host_batch(model::random_pairs(3, 4, 37, 1), batch_options(small.model));
  const std::int64_t all = objective.items(batch);
  EXPECT_EQ(all, std::ssize(batch.targets));
  batch.targets.front() = -1;
  EXPECT_EQ(objective.items(batch), all - 1);
}

}  // namespace
}  // namespace dragoman::train
