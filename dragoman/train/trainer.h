// One update of a model: forward, loss, backward, optimiser.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
  std::optional<double> gradient_norm = std::nullopt;  // before clipping; told if gradients are clipped

  bool finite() const;
};

Smoothing smoothing_of(const model::TrainingConfig& config);

data::BatchOptions batch_options(const model::Seq2Seq& model);

class Trainer {
 public:
  // The model's parameters must be bound to `block`, with gradients; all must outlive this.
  Trainer(const model::Seq2Seq& model, nn::ParameterBlock& block, const model::TrainingConfig& config,
          const optim::Schedule& schedule);

  // One update from `micro_batches`, each a batch of its own: their loss is divided by the target tokens of all of
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
  // Numbers of an update, on the device.
  enum class Total : std::uint8_t { kLoss, kNll, kSquares, kScale };
  static constexpr int kTotals = 4;
  struct UnderWay {
    Losses losses;  // of which the numbers are yet to come
    std::unique_ptr<HostCopy> arriving;
  };

  // Both return the target tokens.
  std::int64_t launch_gradients(std::span<const data::HostBatch> micro_batches);
  void run(const data::HostBatch& batch, double weight, bool first);
  void follow_average(const Array& scale);
  Array total(Total which) const { return totals_.columns(static_cast<int>(which), 1); }

  const model::Seq2Seq& model_;
  nn::ParameterBlock& block_;
  model::TrainingConfig config_;
  optim::Schedule schedule_;
  optim::Adam adam_;
  std::unique_ptr<Reservation> average_memory_, totals_memory_;
  Array average_;
  Array totals_;  // float64, by Total
  std::deque<UnderWay> under_way_;
};

// Teacher-forced losses without dropout, gradients or updates.
Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const Smoothing& smoothing);

}  // namespace dragoman::train
