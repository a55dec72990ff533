#include "dragoman/train/trainer.h"

#include <algorithm>
#include <cmath>

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

double total(Backend& on, const Array& values, double weight) {
  Array sum = on.empty({1}, DType::kFloat64);
  on.sum(values, weight, sum);
  double host = 0;
  on.copy_out(sum, &host);
  return host;
}

double norm(Backend& on, const Array& values) {
  const ArenaScope scratch(on.arena());
  Array squares = on.empty({1}, DType::kFloat64);
  on.sum_of_squares(values, squares);
  double host = 0;
  on.copy_out(squares, &host);
  return std::sqrt(host);
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
  if (config.ema == 0) return;
  const Array& values = block.values();
  average_memory_ = block.backend().reserve(static_cast<std::size_t>(values.count()) * size_of(values.dtype()));
  average_ = Array(average_memory_->base(), values.shape(), values.dtype(), values.device());
}

void Trainer::run(const data::HostBatch& batch, double weight, Losses& losses) {
  Backend& on = block_.backend();
  const Recording recording(on);
  nn::Pass pass{
      .on = on, .training = true, .seed = config_.seed, .update = static_cast<std::uint32_t>(adam_.steps() + 1)};
  const ops::LossTerms terms = batch_loss(model_, batch, smoothing_of(config_), weight, pass);
  losses.loss += total(on, terms.losses, weight);
  losses.nll += total(on, terms.nll, weight);
  backward(terms.loss);
}

Losses Trainer::gradients(std::span<const data::HostBatch> micro_batches) {
  Losses losses;
  for (const data::HostBatch& batch : micro_batches) {
    losses.target_tokens += static_cast<std::int64_t>(batch.targets.size());
  }
  require<UsageError>(losses.target_tokens > 0, "an update needs at least one target token.");
  block_.begin_update();
  for (const data::HostBatch& batch : micro_batches) {
    if (!batch.targets.empty()) run(batch, 1.0 / static_cast<double>(losses.target_tokens), losses);
  }
  block_.finish_update();
  return losses;
}

Losses Trainer::update(std::span<const data::HostBatch> micro_batches) {
  Losses losses = gradients(micro_batches);
  double scale = 1;
  if (config_.clip > 0) {
    losses.gradient_norm = norm(block_.backend(), block_.gradients());
    scale = std::min(1.0, config_.clip / *losses.gradient_norm);
  }
  if (!losses.finite()) return losses;
  adam_.step(schedule_.rate(adam_.steps() + 1), scale);
  follow_average();
  return losses;
}

Losses Trainer::update(std::span<const data::SentencePair> pairs) {
  const data::HostBatch one[] = {data::make_host_batch(pairs, batch_options(model_))};
  return update(one);
}

void Trainer::follow_average() {
  if (average_.absent()) return;
  block_.backend().moving_average(block_.values(), average_decay(config_.ema, adam_.steps()), average_);
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
  losses.loss = total(on, terms.losses, weight);
  losses.nll = total(on, terms.nll, weight);
  return losses;
}

}  // namespace dragoman::train
