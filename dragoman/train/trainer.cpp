#include "dragoman/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

#include "dragoman/autograd/record.h"
#include "dragoman/optim/adam.h"
#include "dragoman/optim/nesterov.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::train {

namespace {

constexpr auto kNap = std::chrono::microseconds(50);  // between two looks at the device

// The decay is smaller at the beginning, so that the moving average forgets the first, random weights quickly.
double average_decay(double most, std::int64_t updates) {
  const auto t = static_cast<double>(updates);
  return updates == 1 ? 0.0 : std::min(most, (1 + t) / (10 + t));
}

std::unique_ptr<optim::Optimiser> make_optimiser(params::ParameterBlock& block, const model::TrainingConfig& config) {
  const optim::WeightDecay decay{.amount = config.weight_decay, .of_vectors = !config.decay_exempt};
  switch (config.optimiser) {
    case model::OptimiserName::kNesterov:
      return std::make_unique<optim::Nesterov>(block,
                                               optim::NesterovSettings{.momentum = config.momentum, .decay = decay});
    case model::OptimiserName::kAdam: break;
  }
  return std::make_unique<optim::Adam>(
      block, optim::AdamSettings{.beta1 = config.beta1, .beta2 = config.beta2, .epsilon = config.eps, .decay = decay});
}

}  // namespace

bool Losses::finite() const { return figures.finite() && std::isfinite(gradient_norm.value_or(0)); }

Trainer::Trainer(const model::Seq2Seq& model, params::ParameterBlock& block, const model::TrainingConfig& config,
                 const optim::Schedule& schedule, std::unique_ptr<Objective> objective)
    : model_(model),
      block_(block),
      objective_(objective ? std::move(objective)
                           : std::make_unique<TranslationObjective>(model, smoothing_of(config))),
      names_(objective_->figures()),
      config_(config),
      schedule_(schedule),
      optimiser_(make_optimiser(block, config)) {
  const Backend& on = block.backend();
  constexpr std::int64_t kMaxTotals = 32;  // the most float64 numbers that a HostCopy can hold
  require<UsageError>(figure_count() + 2 <= kMaxTotals, "an objective reports at most ", kMaxTotals - 2,
                      " figures, not ", figure_count(), ".");
  totals_memory_ = on.reserve(static_cast<std::size_t>(figure_count() + 2) * sizeof(double));
  totals_ = Array(totals_memory_->base(), {figure_count() + 2}, DType::kFloat64, on.device());
  if (config.ema == 0) return;
  const Array& values = block.values();
  average_memory_ = on.reserve(static_cast<std::size_t>(values.count()) * size_of(values.dtype()));
  average_ = Array(average_memory_->base(), values.shape(), values.dtype(), values.device());
}

void Trainer::run(const data::HostBatch& batch, const UpdateWeights& weights, bool first, const ParameterDone& done) {
  Backend& on = block_.backend();
  const Recording recording(on);
  nn::Pass pass{.on = on, .training = true, .seed = config_.seed, .update = static_cast<std::uint32_t>(updates() + 1)};
  const BatchLosses losses = objective_->losses(batch, weights, pass);
  require<Error>(std::ssize(losses.figures) == figure_count(), "an objective names ", figure_count(),
                 " figures, but computed ", losses.figures.size());
  const auto write = first ? Sink::Write::kOverwrite : Sink::Write::kAccumulate;
  for (std::int64_t i = 0; i < figure_count(); ++i) {
    const BatchLosses::Figure& figure = losses.figures[static_cast<std::size_t>(i)];
    on.sum(figure.values, figure.times, {total(i), write});
  }
  backward(losses.roots, done);
}

void Trainer::add_by_tree(const TreeShape& shape, exchange::Exchange& exchange) {
  const Backend& on = block_.backend();
  const Array& gradients = block_.gradients();
  ranks_.emplace(exchange, on, buckets_of(gradients.count(), shape.buckets), shape.levels, gradients);
  const Array sums[] = {gradients, all_figures()};
  // The lower levels, which this rank adds alone.
  tree_.emplace(on, sums, shape.levels - tree_levels(exchange.ranks()));
  completion_.emplace(gradients, ranks_->buckets(), [this](std::size_t bucket) {
    tree_->add_last_leaf(0, ranks_->buckets()[bucket]);
    ranks_->start_adding(block_.gradients(), bucket);
  });
  const std::int64_t shares = std::ssize(ranks_->shares());
  share_memory_ = on.reserve(static_cast<std::size_t>(shares) * sizeof(double));
  share_squares_ = Array(share_memory_->base(), {shares}, DType::kFloat64, on.device());
  std::vector<params::BlockRange> mine;
  for (const Share& share : ranks_->mine()) mine.push_back({share.first, share.count});
  optimiser_->limit_to(mine);
}

std::int64_t Trainer::launch_gradients(const UpdatePart& part) {
  const ItemCounts whole = part.whole ? *part.whole : objective_->count(part.micro_batches);
  require<UsageError>(whole.items > 0, "an update needs at least one target token.");
  const UpdateWeights weights = weights_of(whole);
  std::span<const data::HostBatch> micro_batches = part.micro_batches;
  if (!tree_) {
    launch_leaf(micro_batches, weights, false);
    return whole.items;
  }
  std::span<const std::int64_t> batches = part.batches;
  require<Error>(std::ssize(batches) % tree_->leaves() == 0, "an update of ", batches.size(),
                 " batches does not fit a tree of ", tree_->leaves(), " leaves");
  const std::size_t batches_of_leaf = batches.size() / static_cast<std::size_t>(tree_->leaves());
  for (; !batches.empty(); batches = batches.subspan(batches_of_leaf)) {
    const std::span<const std::int64_t> sizes = batches.first(batches_of_leaf);
    const auto size = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
    const bool is_last = batches.size() == batches_of_leaf;
    if (is_last) completion_->begin();
    launch_leaf(micro_batches.first(size), weights, is_last);
    if (!is_last) tree_->add_leaf();
    micro_batches = micro_batches.subspan(size);
  }
  completion_->finish();
  tree_->add_last_leaf(1, {0, figure_count()});
  tree_->finish();
  ranks_->finish_adding();
  ranks_->add_up_all(all_figures());
  return whole.items;
}

// The gradients of the last leaf are exchanged while its last micro-batch is still being computed.
void Trainer::launch_leaf(std::span<const data::HostBatch> micro_batches, const UpdateWeights& weights, bool is_last) {
  block_.begin_update();
  bool first = true;
  for (const data::HostBatch& batch : micro_batches) {
    if (objective_->items(batch) == 0) continue;
    ParameterDone done;
    if (is_last && &batch == &micro_batches.back())
      done = [&](const Variable& variable) { completion_->add(variable); };
    run(batch, weights, first, done);
    first = false;
  }
  block_.finish_update();
  if (first) {  // all targets of the leaf are masked
    Array figures = all_figures();
    block_.backend().fill(figures, 0.0);
  }
}

// With a tree, the shares of the block are summed by themselves, so that the order does not depend on the ranks.
void Trainer::sum_squares() {
  const Backend& on = block_.backend();
  Array sum = squares();
  if (!tree_) return on.sum_of_squares(block_.gradients(), sum);
  for (const std::size_t i : ranks_->own_shares()) {
    Array one = share_squares_.columns(static_cast<std::int64_t>(i), 1);
    on.sum_of_squares(ranks_->shares()[i].of(block_.gradients()), one);
  }
  ranks_->spread_elements(share_squares_);
  on.sum(share_squares_, 1.0, Sink::overwrite(sum));
}

Figures Trainer::figures_of(std::span<const double> totals) const {
  Figures result;
  for (std::size_t i = 0; i < names_.size(); ++i) result.set(names_[i], totals[i]);
  return result;
}

Losses Trainer::gradients(std::span<const data::HostBatch> micro_batches) {
  Losses losses;
  losses.items = launch_gradients({micro_batches});
  std::vector<double> totals(names_.size() + 2);
  block_.backend().copy_out(totals_, totals.data());
  losses.figures = figures_of(totals);
  return losses;
}

// Only launches work. The device decides whether the update is made: the scale is NaN if a figure or the norm is not
// finite, and then neither the weights nor the moving average change.
void Trainer::start(const UpdatePart& part) {
  Backend& on = block_.backend();
  UnderWay update;
  update.losses.items = launch_gradients(part);
  Array factor = scale();
  if (config_.clip > 0) sum_squares();
  on.update_scale(all_figures(), config_.clip > 0 ? squares() : Array(), config_.clip, factor);
  optimiser_->step(schedule_.rate(updates() + 1), factor);
  update_average(factor);
  if (ranks_ && ranks_->exchange().ranks() > 1) {
    ranks_->spread(block_.values());
    block_.refresh();
  }
  update.arriving = on.copy_out_later(totals_);
  if (ranks_ && ranks_->exchange().ranks() > 1) update.launched = mark(on);
  under_way_.push_back(std::move(update));
}

// The device may wait for another rank, which may have ended.
void Trainer::wait_for(const Mark& end) {
  for (; !end.is_reached(); std::this_thread::sleep_for(kNap)) ranks_->exchange().check();
}

Losses Trainer::finish() {
  require<Error>(!under_way_.empty(), "no update is under way");
  const UnderWay update = std::move(under_way_.front());
  under_way_.pop_front();
  if (update.launched) wait_for(*update.launched);
  std::vector<double> totals(names_.size() + 2);
  update.arriving->wait(totals.data());
  Losses losses = update.losses;
  losses.figures = figures_of(totals);
  if (config_.clip > 0) losses.gradient_norm = std::sqrt(totals[names_.size()]);
  return losses;
}

Losses Trainer::update(std::span<const data::HostBatch> micro_batches) {
  require<Error>(under_way_.empty(), "an update is under way: finish it first");
  start(micro_batches);
  const Losses losses = finish();
  if (!losses.finite()) resume(updates() - 1);  // start() counted the update, but it changed nothing
  return losses;
}

Losses Trainer::update(std::span<const data::SentencePair> pairs) {
  const data::HostBatch one[] = {data::make_host_batch(pairs, batch_options(model_))};
  return update(one);
}

void Trainer::update_average(const Array& scale) {
  if (average_.absent()) return;
  const Share whole{0, average_.count()};
  for (const Share& mine : ranks_ ? ranks_->mine() : std::vector{whole}) {
    if (mine.count == 0) continue;
    Array average = mine.of(average_);
    block_.backend().moving_average(mine.of(block_.values()), scale, average_decay(config_.ema, updates()), average);
  }
}

void Trainer::collect() {
  if (!ranks_) return;
  for (const optim::Moment& moment : optimiser_->moments()) ranks_->collect(moment.values);
  if (!average_.absent()) ranks_->collect(average_);
}

void Trainer::spread_average() {
  if (!ranks_ || average_.absent()) return;
  ranks_->spread(average_);
  wait_for(*mark(block_.backend()));
}

Losses evaluate(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                const LabelSmoothing& smoothing, bool batch_statistics) {
  const NoGradient no_gradient;
  const ArenaScope values(on.arena()), host(on.host_arena());
  const TranslationObjective objective(model, smoothing);
  const data::HostBatch batch = data::make_host_batch(pairs, batch_options(model));
  Losses losses;
  losses.items = objective.items(batch);
  require<UsageError>(losses.items > 0, "there is nothing to evaluate.");
  nn::Pass pass{.on = on, .batch_statistics = batch_statistics};
  const BatchLosses terms = objective.losses(batch, weights_of(objective.count(std::span(&batch, 1))), pass);
  const std::vector<std::string> names = objective.figures();
  const Array totals = on.empty({std::ssize(names)}, DType::kFloat64);
  for (std::size_t i = 0; i < names.size(); ++i) {
    on.sum(terms.figures[i].values, terms.figures[i].times,
           Sink::overwrite(totals.columns(static_cast<std::int64_t>(i), 1)));
  }
  std::vector<double> numbers(names.size());
  on.copy_out(totals, numbers.data());
  for (std::size_t i = 0; i < names.size(); ++i) losses.figures.set(names[i], numbers[i]);
  return losses;
}

}  // namespace dragoman::train
