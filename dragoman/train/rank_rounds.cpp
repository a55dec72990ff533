#include "dragoman/train/rank_rounds.h"

#include <algorithm>
#include <array>
#include <bit>

#include "dragoman/base/clock.h"

namespace dragoman::train {
namespace {

// The floating-point operations of an update, as the model counts them: six for each multiply-add of its products.
double flops_of(const data::Update& update, const model::ModelConfig& config) {
  double flops = 0;
  for (const data::HostBatch& batch : update.micro_batches) {
    const auto &n = batch.source.offsets, &m = batch.target.offsets;
    for (std::size_t b = 0; b + 1 < n.size(); ++b) {
      flops += config.training_flops(n[b + 1] - n[b], m[b + 1] - m[b]);
    }
  }
  return flops;
}

// What each rank tells the others between two updates.
enum Field : std::size_t { kEndingAt, kStopAt, kItemsAt, kSourceTokensAt, kFlopsAt, kSecondsAt, kFields };
constexpr std::int64_t kNoEnding = -1;

}  // namespace

class RankRounds::Measured {
 public:
  explicit Measured(RankRounds& rounds) : rounds_(rounds), start_(time()) {}
  ~Measured() { rounds_.seconds_ += time() - start_; }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

 private:
  double time() const {
    const ExchangeTimes* times = rounds_.run_.trainer->exchange_times();
    return times == nullptr ? clock_seconds() : clock_seconds() - times->waiting - times->spreading;
  }

  RankRounds& rounds_;
  double start_;
};

AfterUpdate after_update(const TrainingSettings& settings, std::int64_t step) {
  const bool last = step >= settings.training.steps;
  return {.last = last,
          .recorded = last || step % settings.machine.report_every == 0,
          .validated = settings.text.has_validation() && (last || step % settings.run.valid_every == 0),
          .scheduled = step % settings.run.save_every == 0};
}

// The numbers of the next update travel while a GPU still computes the last one.
std::optional<Ending> RankRounds::agree(std::optional<Ending> decided) {
  exchange::Exchange& exchange = run_.exchange;
  if (exchange.ranks() == 1) return decided;
  if (!next_) next_ = run_.loader->next();
  const ItemCounts own = run_.trainer->count(next_->micro_batches);
  std::array<std::int64_t, kFields> mine{};
  mine[kEndingAt] = decided ? static_cast<std::int64_t>(*decided) : kNoEnding;
  mine[kStopAt] = run_.watcher.wants_stop() ? 1 : 0;
  mine[kItemsAt] = own.items;
  mine[kSourceTokensAt] = own.source_tokens;
  mine[kFlopsAt] = std::bit_cast<std::int64_t>(flops_of(*next_, run_.config));
  mine[kSecondsAt] = std::bit_cast<std::int64_t>(seconds_);
  const std::vector<std::int64_t> all = exchange.gather(mine);
  whole_ = {};
  flops_ = 0;
  bool stop = false;
  const auto ranks = static_cast<std::size_t>(exchange.ranks());
  work_.resize(ranks);
  next_tokens_.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t i = rank * kFields;
    work_[rank].tokens += next_tokens_[rank];
    work_[rank].seconds = std::bit_cast<double>(all[i + kSecondsAt]);
    next_tokens_[rank] = all[i + kItemsAt];
    stop = stop || all[i + kStopAt] != 0;
    whole_.items += all[i + kItemsAt];
    whole_.source_tokens += all[i + kSourceTokensAt];
    flops_ += std::bit_cast<double>(all[i + kFlopsAt]);
  }
  if (all[kEndingAt] != kNoEnding) return static_cast<Ending>(all[kEndingAt]);
  return stop ? std::optional(Ending::kStopped) : std::nullopt;
}

RankRounds::Started RankRounds::start_update() {
  const Measured measured(*this);
  if (run_.exchange.ranks() == 1) {
    next_ = run_.loader->next();
    whole_ = run_.trainer->count(next_->micro_batches);
    flops_ = flops_of(*next_, run_.config);
  }
  run_.trainer->start({.micro_batches = next_->micro_batches, .batches = next_->batches, .whole = whole_});
  const Started started{.first = next_->first, .after = next_->after, .flops = flops_};
  next_.reset();
  return started;
}

Losses RankRounds::finish_update() {
  const Measured measured(*this);
  return run_.trainer->finish();
}

std::vector<double> RankRounds::take_rank_rates() {
  std::vector<double> rates;
  work_before_.resize(work_.size());
  for (std::size_t rank = 0; rank < work_.size(); ++rank) {
    const double seconds = work_[rank].seconds - work_before_[rank].seconds;
    if (seconds <= 0) return {};
    rates.push_back(static_cast<double>(work_[rank].tokens - work_before_[rank].tokens) / seconds);
  }
  work_before_ = work_;
  return rates;
}

void swap_with_average(PreparedRun& run) {
  params::swap_values(*run.on, run.block->values(), run.trainer->average());
  run.block->refresh();
}

Validation validate_together(PreparedRun& run) {
  const bool averaged = !run.trainer->average().absent();
  run.trainer->spread_average();
  if (averaged) swap_with_average(run);
  Validation validation = run.validator->run(*run.on, *run.model, run.exchange);
  if (averaged) swap_with_average(run);
  return validation;
}

// Makes the calls of TrainingLoop::run_to_end() that concern all ranks.
RunResult follow(PreparedRun& run) {
  RankRounds rounds(run);
  const std::int64_t first_step = run.state.step;
  std::optional<Ending> ending = rounds.agree(std::nullopt);
  while (!ending) {
    rounds.start_update();
    const Losses losses = rounds.finish_update();
    // Every rank has these losses, and rank 0 reports it.
    require<exchange::RankError>(losses.finite(), "training diverged at step ", run.trainer->updates(), ".");
    const AfterUpdate after = after_update(run.settings(), run.trainer->updates());
    if (after.validated) validate_together(run);
    ending = rounds.agree(std::nullopt);
    if (ending || after.scheduled) run.trainer->collect();
  }
  return {.ending = *ending,
          .step = run.trainer->updates(),
          .first_step = first_step,
          .best = {},
          .weights = "",
          .saving = {}};
}

}  // namespace dragoman::train
