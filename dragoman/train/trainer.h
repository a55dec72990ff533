// One update of a model: forward, loss, backward, optimiser.
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
#include "dragoman/optim/adam.h"
#include "dragoman/optim/schedule.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/objective.h"
#include "dragoman/train/report/figures.h"

namespace dragoman::train {

struct Losses {
  Figures figures;                                     // what the objective reports, per item
  std::int64_t items = 0;                              // target tokens, in translation
  std::optional<double> gradient_norm = std::nullopt;  // before clipping; told if gradients are clipped

  double loss() const { return figures["loss"]; }
  double nll() const { return figures["nll"]; }  // plain, from which perplexity is exp(nll)
  bool finite() const;
};

class Trainer {
 public:
  // The model's parameters must be bound to `block`, with gradients; all must outlive this. Without an objective the
  // model learns to translate.
  Trainer(const model::Seq2Seq& model, params::ParameterBlock& block, const model::TrainingConfig& config,
          const optim::Schedule& schedule, std::unique_ptr<Objective> objective = nullptr);

  // One update from `micro_batches`, each a batch of its own: their loss is divided by the items of all of
  // them together, and they give the same gradient as one large batch. If the loss is not finite, or the norm
  // of a clipped gradient, the model stays as it was.
  Losses update(std::span<const data::HostBatch> micro_batches);
  // The same in two halves: `start` goes on as soon as the device knows what to do, `finish` waits for the losses of
  // the oldest update under way. Later ones may be started before; each is counted in updates() at its start.
  void start(std::span<const data::HostBatch> micro_batches);
  Losses finish();
  Losses update(std::span<const data::SentencePair> pairs);

  // The gradient of one update, without the optimiser's step.
  Losses gradients(std::span<const data::HostBatch> micro_batches);

  std::int64_t updates() const { return adam_.steps(); }
  double rate() const { return schedule_.rate(adam_.steps()); }  // of the last update
  const optim::Adam& adam() const { return adam_; }
  // The moving average of the weights, in the block's layout; absent unless the settings ask for one.
  const Array& average() const { return average_; }

  // Goes on after `updates` updates, whose moments and average the caller has put in place.
  void resume(std::int64_t updates) { adam_.resume(updates); }

 private:
  struct UnderWay {
    Losses losses;  // of which the numbers are yet to come
    std::unique_ptr<HostCopy> arriving;
  };

  // Returns the items.
  std::int64_t launch_gradients(std::span<const data::HostBatch> micro_batches);
  void run(const data::HostBatch& batch, double weight, bool first);
  void follow_average(const Array& scale);
  // Numbers of an update, on the device: the figures, the sum of the gradients' squares, and the scale.
  std::int64_t figures() const { return std::ssize(names_); }
  Array total(std::int64_t which) const { return totals_.columns(which, 1); }
  Array squares() const { return total(figures()); }
  Array scale() const { return total(figures() + 1); }
  Figures figures_of(std::span<const double> totals) const;

  const model::Seq2Seq& model_;
  params::ParameterBlock& block_;
  std::unique_ptr<Objective> objective_;
  std::vector<std::string> names_;  // of the figures
  model::TrainingConfig config_;
  optim::Schedule schedule_;
  optim::Adam adam_;
  std::unique_ptr<Reservation> average_memory_, totals_memory_;
  Array average_;
  Array totals_;  // float64
  std::deque<UnderWay> under_way_;
};

// Teacher-forced losses without dropout, gradients or updates.
Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const Smoothing& smoothing);

}  // namespace dragoman::train
