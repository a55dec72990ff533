// One update of a model: forward, loss, backward, optimiser.
#pragma once

#include <cstdint>
#include <span>

#include "dragoman/data/batch.h"
#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/optim/adam.h"
#include "dragoman/optim/schedule.h"

namespace dragoman::train {

struct Losses {
  double loss = 0;  // smoothed cross-entropy per target token
  double nll = 0;   // plain, from which perplexity is exp(nll)
  std::int64_t target_tokens = 0;
};

Smoothing smoothing_of(const model::TrainingConfig& config);

class Trainer {
 public:
  // The model's parameters must be bound to `block`, with gradients; all must outlive this.
  Trainer(const model::Seq2Seq& model, nn::ParameterBlock& block, const model::TrainingConfig& config,
          const optim::Schedule& schedule);

  // One update from `micro_batches`, each a batch of its own: their loss is divided by the target tokens of all of
  // them together, and they give the same gradient as one large batch.
  Losses update(std::span<const std::span<const data::SentencePair>> micro_batches);
  Losses update(std::span<const data::SentencePair> pairs);

  // The gradient of one update, without the optimiser's step.
  Losses gradients(std::span<const std::span<const data::SentencePair>> micro_batches);

  std::int64_t updates() const { return adam_.steps(); }
  double rate() const { return schedule_.rate(adam_.steps()); }  // of the last update
  const optim::Adam& adam() const { return adam_; }

 private:
  void run(std::span<const data::SentencePair> pairs, std::int32_t first_sentence, double weight, Losses& losses);

  const model::Seq2Seq& model_;
  nn::ParameterBlock& block_;
  model::TrainingConfig config_;
  optim::Schedule schedule_;
  optim::Adam adam_;
};

// Teacher-forced losses without dropout, gradients or updates.
Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const Smoothing& smoothing);

}  // namespace dragoman::train
