#include "dragoman/train/trainer.h"

#include "dragoman/autograd/record.h"
#include "dragoman/ops/smoothed_cross_entropy.h"

namespace dragoman::train {

namespace {

// The loss of one batch; `weight` is one over the target tokens of the whole update.
ops::LossTerms batch_loss(const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                          std::int32_t first_sentence, const Smoothing& smoothing, double weight, nn::Pass& pass) {
  const data::Batch batch = data::make_batch(pass.on, pairs,
                                             {.V_source = model.source_vocabulary(),
                                              .V_target = model.target_vocabulary(),
                                              .start_token = model.start_token(),
                                              .first_sentence = first_sentence});
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

std::int64_t count_targets(std::span<const data::SentencePair> pairs) {
  std::int64_t tokens = 0;
  for (const data::SentencePair& pair : pairs) tokens += static_cast<std::int64_t>(pair.target.size());
  return tokens;
}

}  // namespace

Smoothing smoothing_of(const model::TrainingConfig& config) {
  return {.epsilon = config.eps_ls,
          .form = config.smoothing == model::Smoothing::kRest ? Smoothing::Form::kRest : Smoothing::Form::kUniform};
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
  require<UsageError>(config.clip == 0, "clip is ", config.clip,
                      ", but gradients cannot be clipped yet: leave it at 0.");
}

void Trainer::run(std::span<const data::SentencePair> pairs, std::int32_t first_sentence, double weight,
                  Losses& losses) {
  Backend& on = block_.backend();
  const Recording recording(on);
  nn::Pass pass{
      .on = on, .training = true, .seed = config_.seed, .update = static_cast<std::uint32_t>(adam_.steps() + 1)};
  const ops::LossTerms terms = batch_loss(model_, pairs, first_sentence, smoothing_of(config_), weight, pass);
  losses.loss += total(on, terms.losses, weight);
  losses.nll += total(on, terms.nll, weight);
  backward(terms.loss);
}

Losses Trainer::gradients(std::span<const std::span<const data::SentencePair>> micro_batches) {
  Losses losses;
  for (const auto& pairs : micro_batches) losses.target_tokens += count_targets(pairs);
  require<UsageError>(losses.target_tokens > 0, "an update needs at least one target token.");
  block_.begin_update();
  std::int32_t first_sentence = 0;
  for (const auto& pairs : micro_batches) {
    if (pairs.empty()) continue;
    run(pairs, first_sentence, 1.0 / static_cast<double>(losses.target_tokens), losses);
    first_sentence += static_cast<std::int32_t>(pairs.size());
  }
  block_.finish_update();
  return losses;
}

Losses Trainer::update(std::span<const std::span<const data::SentencePair>> micro_batches) {
  const Losses losses = gradients(micro_batches);
  adam_.step(schedule_.rate(adam_.steps() + 1));
  return losses;
}

Losses Trainer::update(std::span<const data::SentencePair> pairs) {
  const std::span<const data::SentencePair> one[] = {pairs};
  return update(one);
}

Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const Smoothing& smoothing) {
  const NoGradient no_gradient;
  const ArenaScope values(on.arena()), host(on.host_arena());
  Losses losses{.target_tokens = count_targets(pairs)};
  require<UsageError>(losses.target_tokens > 0, "there is nothing to evaluate.");
  const double weight = 1.0 / static_cast<double>(losses.target_tokens);
  nn::Pass pass{.on = on};
  const ops::LossTerms terms = batch_loss(model, pairs, 0, smoothing, weight, pass);
  losses.loss = total(on, terms.losses, weight);
  losses.nll = total(on, terms.nll, weight);
  return losses;
}

}  // namespace dragoman::train
