// Trains a model update by update: forward pass, loss, backward pass, optimiser.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dragoman/autograd/backward.h"
#include "dragoman/backend/queue.h"
#include "dragoman/data/batch.h"
#include "dragoman/exchange/exchange.h"
#include "dragoman/model/config.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/optim/optimiser.h"
#include "dragoman/optim/schedule.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/completion.h"
#include "dragoman/train/gradient_tree.h"
#include "dragoman/train/objective.h"
#include "dragoman/train/rank_shares.h"
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

// The part of an update that this process computes.
struct UpdatePart {
  std::span<const data::HostBatch> micro_batches;
  std::span<const std::int64_t> batches = {};      // how many micro-batches each batch has; only a tree needs this
  std::optional<ItemCounts> whole = std::nullopt;  // of the update; defaults to that of these micro-batches
};

// How the batches of an update are added up.
struct TreeShape {
  int levels = 0;            // see gradient_tree.h
  std::int64_t buckets = 1;  // see rank_shares.h
};

class Trainer {
 public:
  // The model's parameters must be bound to `block`, with gradients. Model and block must outlive the trainer. The
  // objective defaults to TranslationObjective.
  Trainer(const model::Seq2Seq& model, params::ParameterBlock& block, const model::TrainingConfig& config,
          const optim::Schedule& schedule, std::unique_ptr<Objective> objective = nullptr);

  // From now on the batches of an update are added up by a tree and divided among the ranks of the exchange, which must
  // outlive the trainer. Without this call, they are added one after another.
  void add_by_tree(const TreeShape& shape, exchange::Exchange& exchange);

  // One update from several micro-batches. The losses are divided by the number of items of all of them together, so
  // they give the same gradient as one large batch. If the loss or the norm of a gradient to be clipped is not finite,
  // the model does not change.
  Losses update(std::span<const data::HostBatch> micro_batches);
  // The same in two halves: `start` only launches the work on the device, `finish` waits for the losses of the oldest
  // update that was started. Several updates may be started before one is finished; updates() counts each at its start.
  void start(const UpdatePart& part);
  void start(std::span<const data::HostBatch> micro_batches) { start(UpdatePart{micro_batches}); }
  Losses finish();
  // One update from a single batch of all pairs.
  Losses update(std::span<const data::SentencePair> pairs);

  // Computes the gradient of one update, without a step of the optimiser.
  Losses gradients(std::span<const data::HostBatch> micro_batches);

  std::int64_t updates() const { return optimiser_->steps(); }
  ItemCounts count(std::span<const data::HostBatch> micro_batches) const { return objective_->count(micro_batches); }
  double rate() const { return schedule_.rate(updates()); }  // the learning rate of the last update
  const optim::Optimiser& optimiser() const { return *optimiser_; }
  // The moving average of the weights, in the block's layout; absent unless the settings ask for one.
  const Array& average() const { return average_; }

  // With several ranks, each has the moments and the average of its own share. This gives rank 0 those of all; every
  // rank must call it.
  void collect();

  // The same for the moving average alone, which every rank gets.
  void spread_average();

  // What the exchange with other ranks took; absent without a tree.
  const ExchangeTimes* exchange_times() const { return ranks_ ? &ranks_->times() : nullptr; }

  // Continues after `updates` updates. The caller has already restored weights, moments and average.
  void resume(std::int64_t updates) { optimiser_->resume(updates, updates > 0 ? schedule_.rate(updates) : 0); }

 private:
  // An update that was started but not finished.
  struct UnderWay {
    Losses losses;                       // only `items` is set
    std::unique_ptr<HostCopy> arriving;  // of totals_
    std::unique_ptr<Mark> launched;      // with several ranks: the end of the update
  };

  // Returns the number of items.
  std::int64_t launch_gradients(const UpdatePart& part);
  // Adds the gradients and figures of these micro-batches one after another.
  void launch_leaf(std::span<const data::HostBatch> micro_batches, const UpdateWeights& weights, bool is_last);
  void sum_squares();
  void run(const data::HostBatch& batch, const UpdateWeights& weights, bool first, const ParameterDone& done);
  void update_average(const Array& scale);
  void wait_for(const Mark& end);
  // totals_ holds the figures of an update, then the sum of the squares of the gradient, then the factor by which the
  // update scales the gradient (see update_scale() in backend/optimiser.h).
  std::int64_t figure_count() const { return std::ssize(names_); }
  Array total(std::int64_t which) const { return totals_.columns(which, 1); }
  Array all_figures() const { return totals_.columns(0, figure_count()); }
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
  std::optional<GradientTree> tree_;
  std::optional<RankShares> ranks_;
  std::optional<Completion> completion_;  // with a tree
  std::unique_ptr<Reservation> share_memory_;
  Array share_squares_;  // float64: the squares of each share of the block
  std::deque<UnderWay> under_way_;
};

// The losses of the pairs by teacher forcing, without dropout, gradients or updates. With batch_statistics, batch
// normalisation uses the statistics of these pairs, as training does, in place of its running values.
Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const LabelSmoothing& smoothing, bool batch_statistics = false);

}  // namespace dragoman::train
