// Trains a model update by update: forward pass, loss, backward pass, optimiser.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/optim/optimiser.h"
#include "dragoman/optim/schedule.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/objective.h"
#include "dragoman/train/report/figures.h"

namespace dragoman::train {

// What an update or an evaluation reports.
struct Losses {
  Figures figures;                                     // the figures of the objective, as means over the items
  std::int64_t items = 0;                              // in translation, target tokens
  std::optional<double> gradient_norm = std::nullopt;  // before clipping; only if the settings ask for clipping

  double loss() const { return figures["loss"]; }
  double nll() const { return figures["nll"]; }  // without label smoothing; the perplexity is exp(nll)
  bool finite() const;
};

class Trainer {
 public:
  // The model's parameters must be bound to `block`, with gradients. Model and block must outlive the trainer. The
  // objective defaults to TranslationObjective.
  Trainer(const model::Seq2Seq& model, params::ParameterBlock& block, const model::TrainingConfig& config,
          const optim::Schedule& schedule, std::unique_ptr<Objective> objective = nullptr);

  // One update from several micro-batches. The losses are divided by the number of items of all of them together, so
  // they give the same gradient as one large batch. If the loss or the norm of a gradient to be clipped is not finite,
  // the model does not change.
  Losses update(std::span<const data::HostBatch> micro_batches);
  // The same in two halves: `start` only launches the work on the device, `finish` waits for the losses of the oldest
  // update that was started. Several updates may be started before one is finished; updates() counts each at its start.
  void start(std::span<const data::HostBatch> micro_batches);
  Losses finish();
  // One update from a single batch of all pairs.
  Losses update(std::span<const data::SentencePair> pairs);

  // Computes the gradient of one update, without a step of the optimiser.
  Losses gradients(std::span<const data::HostBatch> micro_batches);

  std::int64_t updates() const { return optimiser_->steps(); }
  double rate() const { return schedule_.rate(updates()); }  // the learning rate of the last update
  const optim::Optimiser& optimiser() const { return *optimiser_; }
  // The moving average of the weights, in the block's layout; absent unless the settings ask for one.
  const Array& average() const { return average_; }

  // Continues after `updates` updates. The caller has already restored weights, moments and average.
  void resume(std::int64_t updates) { optimiser_->resume(updates, updates > 0 ? schedule_.rate(updates) : 0); }

 private:
  // An update that was started but not finished.
  struct UnderWay {
    Losses losses;                       // only `items` is set
    std::unique_ptr<HostCopy> arriving;  // of totals_
  };

  // Returns the number of items.
  std::int64_t launch_gradients(std::span<const data::HostBatch> micro_batches);
  void run(const data::HostBatch& batch, const UpdateWeights& weights, bool first);
  void update_average(const Array& scale);
  // totals_ holds the figures of an update, then the sum of the squares of the gradient, then the factor by which the
  // update scales the gradient (see update_scale() in backend/optimiser.h).
  std::int64_t figure_count() const { return std::ssize(names_); }
  Array total(std::int64_t which) const { return totals_.columns(which, 1); }
  Array squares() const { return total(figure_count()); }
  Array scale() const { return total(figure_count() + 1); }
  Figures figures_of(std::span<const double> totals) const;

  const model::Seq2Seq& model_;
  params::ParameterBlock& block_;
  std::unique_ptr<Objective> objective_;
  std::vector<std::string> names_;  // names of the figures
  model::TrainingConfig config_;
  optim::Schedule schedule_;
  std::unique_ptr<optim::Optimiser> optimiser_;
  std::unique_ptr<Reservation> average_memory_, totals_memory_;
  Array average_;
  Array totals_;  // float64, on the device
  std::deque<UnderWay> under_way_;
};

// The losses of the pairs by teacher forcing, without dropout, gradients or updates. With batch_statistics, batch
// normalisation uses the statistics of these pairs, as training does, in place of its running values.
Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const LabelSmoothing& smoothing, bool batch_statistics = false);

}  // namespace dragoman::train
