#include "dragoman/train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dragoman/autograd/record.h"
#include "dragoman/ops/smoothed_cross_entropy.h"

namespace dragoman::train {

namespace {

// The loss of one batch; `weight` is one over the target tokens of the whole update.
ops::LossTerms batch_loss(const model::Seq2Seq& model, const data::HostBatch& host, const Smoothing& smoothing,
                          double weight, nn::Pass& pass) {
  const data::Batch batch = data::to_device(pass.on, host);
  const model::Encoded encoded = model.encode(batch.source, pass);
  const Tensor states = model.decode(batch.target, encoded, pass);
  const model::OutputProjection output = model.output();
  return ops::smoothed_cross_entropy(states, output.E, output.b, batch.targets,
                                     {.smoothing = smoothing, .weight = weight});
}

// The moving average forgets its first, random, weights faster than its later ones.
double average_decay(double most, std::int64_t updates) {
  const auto t = static_cast<double>(updates);
  return updates == 1 ? 0.0 : std::min(most, (1 + t) / (10 + t));
}

}  // namespace

Smoothing smoothing_of(const model::TrainingConfig& config) {
  return {.epsilon = config.eps_ls,
          .form = config.smoothing == model::Smoothing::kRest ? Smoothing::Form::kRest : Smoothing::Form::kUniform};
}

bool Losses::finite() const {
  return std::isfinite(loss) && std::isfinite(nll) && std::isfinite(gradient_norm.value_or(0));
}

data::BatchOptions batch_options(const model::Seq2Seq& model) {
  return {
      .V_source = model.source_vocabulary(), .V_target = model.target_vocabulary(), .start_token = model.start_token()};
}

Trainer::Trainer(const model::Seq2Seq& model, nn::ParameterBlock& block, const model::TrainingConfig& config,
                 const optim::Schedule& schedule)
    : model_(model),
      block_(block),
      config_(config),
      schedule_(schedule),
      adam_(
          block,
          {.beta1 = config.beta1, .beta2 = config.beta2, .epsilon = config.eps, .weight_decay = config.weight_decay}) {
  const Backend& on = block.backend();
  totals_memory_ = on.reserve(kTotals * sizeof(double));
  totals_ = Array(totals_memory_->base(), {kTotals}, DType::kFloat64, on.device());
  if (config.ema == 0) return;
  const Array& values = block.values();
  average_memory_ = on.reserve(static_cast<std::size_t>(values.count()) * size_of(values.dtype()));
  average_ = Array(average_memory_->base(), values.shape(), values.dtype(), values.device());
}

void Trainer::run(const data::HostBatch& batch, double weight, bool first) {
  Backend& on = block_.backend();
  const Recording recording(on);
  nn::Pass pass{
      .on = on, .training = true, .seed = config_.seed, .update = static_cast<std::uint32_t>(adam_.steps() + 1)};
  const ops::LossTerms terms = batch_loss(model_, batch, smoothing_of(config_), weight, pass);
  const auto write = first ? Sink::Write::kOverwrite : Sink::Write::kAccumulate;
  on.sum(terms.losses, weight, {total(Total::kLoss), write});
  on.sum(terms.nll, weight, {total(Total::kNll), write});
  backward(terms.loss);
}

std::int64_t Trainer::launch_gradients(std::span<const data::HostBatch> micro_batches) {
  std::int64_t target_tokens = 0;
  for (const data::HostBatch& batch : micro_batches) target_tokens += static_cast<std::int64_t>(batch.targets.size());
  require<UsageError>(target_tokens > 0, "an update needs at least one target token.");
  block_.begin_update();
  bool first = true;
  for (const data::HostBatch& batch : micro_batches) {
    if (batch.targets.empty()) continue;
    run(batch, 1.0 / static_cast<double>(target_tokens), first);
    first = false;
  }
  block_.finish_update();
  return target_tokens;
}

Losses Trainer::gradients(std::span<const data::HostBatch> micro_batches) {
  Losses losses;
  losses.target_tokens = launch_gradients(micro_batches);
  block_.backend().copy_out(total(Total::kLoss), &losses.loss);
  block_.backend().copy_out(total(Total::kNll), &losses.nll);
  return losses;
}

void Trainer::start(std::span<const data::HostBatch> micro_batches) {
  Backend& on = block_.backend();
  UnderWay update;
  update.losses.target_tokens = launch_gradients(micro_batches);
  Array squares, scale = total(Total::kScale);
  if (config_.clip > 0) {
    squares = total(Total::kSquares);
    on.sum_of_squares(block_.gradients(), squares);
  }
  on.update_scale(totals_.columns(0, 2), squares, config_.clip, scale);
  adam_.step(schedule_.rate(adam_.steps() + 1), scale);
  follow_average(scale);
  update.arriving = on.copy_out_later(totals_);
  under_way_.push_back(std::move(update));
}

Losses Trainer::finish() {
  require<Error>(!under_way_.empty(), "no update is under way");
  const UnderWay update = std::move(under_way_.front());
  under_way_.pop_front();
  std::array<double, kTotals> totals{};
  update.arriving->wait(totals.data());
  Losses losses = update.losses;
  losses.loss = totals[0];
  losses.nll = totals[1];
  if (config_.clip > 0) losses.gradient_norm = std::sqrt(totals[2]);
  return losses;
}

Losses Trainer::update(std::span<const data::HostBatch> micro_batches) {
  require<Error>(under_way_.empty(), "an update is under way: finish it first");
  start(micro_batches);
  const Losses losses = finish();
  if (!losses.finite()) adam_.resume(adam_.steps() - 1);
  return losses;
}

Losses Trainer::update(std::span<const data::SentencePair> pairs) {
  const data::HostBatch one[] = {data::make_host_batch(pairs, batch_options(model_))};
  return update(one);
}

void Trainer::follow_average(const Array& scale) {
  if (average_.absent()) return;
  block_.backend().moving_average(block_.values(), scale, average_decay(config_.ema, adam_.steps()), average_);
}

Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const Smoothing& smoothing) {
  const NoGradient no_gradient;
  const ArenaScope values(on.arena()), host(on.host_arena());
  const data::HostBatch batch = data::make_host_batch(pairs, batch_options(model));
  Losses losses;
  losses.target_tokens = static_cast<std::int64_t>(batch.targets.size());
  require<UsageError>(losses.target_tokens > 0, "there is nothing to evaluate.");
  const double weight = 1.0 / static_cast<double>(losses.target_tokens);
  nn::Pass pass{.on = on};
  const ops::LossTerms terms = batch_loss(model, batch, smoothing, weight, pass);
  Array totals = on.empty({2}, DType::kFloat64);
  on.sum(terms.losses, weight, Sink::overwrite(totals.columns(0, 1)));
  on.sum(terms.nll, weight, Sink::overwrite(totals.columns(1, 1)));
  std::array<double, 2> numbers{};
  on.copy_out(totals, numbers.data());
  losses.loss = numbers[0];
  losses.nll = numbers[1];
  return losses;
}

}  // namespace dragoman::train
