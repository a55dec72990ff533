#include "dragoman/train/objective.h"

#include <algorithm>

#include "dragoman/ops/smoothed_cross_entropy.h"

namespace dragoman::train {

LabelSmoothing smoothing_of(const model::TrainingConfig& config) {
  return {.epsilon = config.eps_ls,
          .form = config.smoothing == model::SmoothingForm::kRest ? LabelSmoothing::Form::kRest
                                                                  : LabelSmoothing::Form::kUniform};
}

data::BatchOptions batch_options(const model::Seq2Seq& model) {
  return {
      .V_source = model.source_vocabulary(), .V_target = model.target_vocabulary(), .start_token = model.start_token()};
}

std::vector<std::string> TranslationObjective::figures() const {
  std::vector<std::string> names{"loss", "nll"};
  for (const std::string& own : model_.loss_names()) names.push_back(own);
  return names;
}

std::int64_t TranslationObjective::items(const data::HostBatch& batch) const {
  return std::ranges::count_if(batch.targets, [](std::int32_t target) { return target >= 0; });
}

ItemCounts Objective::count(std::span<const data::HostBatch> batches) const {
  ItemCounts counts;
  for (const data::HostBatch& batch : batches) {
    const std::int64_t of_batch = items(batch);
    if (of_batch == 0) continue;
    counts.items += of_batch;
    counts.source_tokens += batch.source.R();
  }
  return counts;
}

UpdateWeights weights_of(const ItemCounts& update) {
  return {1 / static_cast<double>(update.items), 1 / static_cast<double>(update.source_tokens)};
}

BatchLosses TranslationObjective::losses(const data::HostBatch& host, const UpdateWeights& weights,
                                         nn::Pass& pass) const {
  const double weight = weights.items;
  nn::OwnLosses own{.weight = weight, .source_weight = weights.source_tokens};
  pass.own_losses = &own;
  const data::Batch batch = data::to_device(pass.on, host);
  const model::Encoded encoded = model_.encode(batch.source, pass);
  const Tensor states = model_.decode(batch.target, encoded, pass);
  pass.own_losses = nullptr;
  const model::OutputProjection output = model_.output();
  const ops::LossTerms terms = ops::smoothed_cross_entropy(states, output.E, output.b, batch.targets,
                                                           {.smoothing = smoothing_, .weight = weight});
  if (own.after_loss) own.after_loss(terms.nll);
  require<Error>(own.losses.size() == model_.loss_names().size(), "the model names ", model_.loss_names().size(),
                 " losses of its own, but computed ", own.losses.size());
  BatchLosses losses{.roots = {terms.loss}, .figures = {{terms.losses, weight}, {terms.nll, weight}}};
  for (const Tensor& loss : own.losses) {
    losses.roots.push_back(loss);
    losses.figures.push_back({loss.array(), 1});
  }
  return losses;
}

}  // namespace dragoman::train
