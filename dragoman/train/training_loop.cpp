#include "dragoman/train/training_loop.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <utility>

#include "dragoman/backend/device_errors.h"
#include "dragoman/base/clock.h"
#include "dragoman/base/error.h"
#include "dragoman/base/failure.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::train {
namespace {

// How many updates may be under way while the host prepares the next. With one, a GPU never waits for the host. On the
// CPU an update is done as soon as it has been started.
std::size_t updates_ahead(const Backend& on) { return on.device().kind == Device::Kind::kCpu ? 0 : 1; }

// Whether the scores are better than those before, by the score that the settings chose. A missing score is the worst.
bool is_better(const Figures& now, const Figures& before, BestBy by) {
  const std::string_view name = to_string(by);
  if (!now.has(name) || !before.has(name)) return now.has(name);
  return by == BestBy::kNll ? now[name] < before[name] : now[name] > before[name];
}

}  // namespace

RunResult TrainingLoop::run() {
  try {
    return run_to_end();
  } catch (...) {
    const std::string reason = failure_sentence(std::current_exception());
    try {
      saver_.finish();  // the last checkpoint is still written
    } catch (...) {
      run_.watcher.say(failure_sentence(std::current_exception()));
    }
    try {
      write_report(reason);
    } catch (...) {  // what made the run fail, such as a full disk, may be in the way of its report too
    }
    throw;
  }
}

// Each round starts one update. Before a record, a validation or a checkpoint all updates are finished; otherwise one
// may stay under way. A run that has nothing left to do still publishes its model, if it is missing. The frame of the
// step that the run begins with is made first if it is missing; a checkpoint of a stopped run has none.
RunResult TrainingLoop::run_to_end() {
  ending_ = rounds_.agree(reason_to_end());
  const bool had_nothing_to_do = ending_.has_value();
  const std::int64_t first_step = state_.step;
  if (run_.probe && state_.scheduled && !run_.probe->has_frame(state_.step)) record_probe();
  if (!ending_) write_report();
  while (!ending_) {
    start_update();
    const auto [last, recorded, validated, scheduled] = after_update(state_.settings, state_.step);
    finish_updates(recorded || validated || scheduled ? 0 : updates_ahead(*run_.on));
    if (recorded) record();
    if (validated) validate();
    ending_ = rounds_.agree(reason_to_end());
    if (ending_ || scheduled) {
      finish_updates(0);
      run_.trainer->collect();
      save(scheduled || last);
    } else if (has_new_best_) {
      saver_.save({.best = std::exchange(has_new_best_, false)});
    }
    if (!ending_ && report_.is_due()) write_report();
    saver_.finish_if_ended();  // if it failed, the run ends here
  }
  saver_.finish();
  if (had_nothing_to_do && state_.step > 0 && !saver_.is_published()) saver_.publish();
  if (state_.step > 0) write_report();
  return {.ending = *ending_,
          .step = state_.step,
          .first_step = first_step,
          .best = state_.best,
          .seconds = state_.seconds,
          .weights = saver_.published(),
          .saving = saving_};
}

std::optional<Ending> TrainingLoop::reason_to_end() {
  const TrainingSettings& settings = state_.settings;
  if (state_.step >= settings.training.steps) return Ending::kAllSteps;
  if (settings.run.patience > 0 && state_.validations_since_best >= settings.run.patience) return Ending::kPatience;
  if (settings.machine.minutes > 0 && state_.seconds >= 60 * settings.machine.minutes) return Ending::kMinutes;
  if (run_.watcher.wants_stop()) return Ending::kStopped;
  return std::nullopt;
}

void TrainingLoop::start_update() {
  const double start = clock_seconds();
  const RankRounds::Started update = rounds_.start_update();
  under_way_.push_back({.first = update.first, .flops = update.flops});
  state_.step = run_.trainer->updates();
  state_.position = update.after;
  add_time(clock_seconds() - start);
}

void TrainingLoop::add_time(double seconds) {
  seconds = std::max(0.0, seconds);  // in case the clock went backwards
  report_.add_pause(seconds);
  state_.seconds += seconds;
  state_.nominal_flops += seconds * run_.machine_rate;
  state_.window.seconds += seconds;
}

void TrainingLoop::finish_updates(std::size_t most) {
  while (under_way_.size() > most) {
    const double start = clock_seconds();
    const Losses losses = rounds_.finish_update();
    const UnderWay update = under_way_.front();
    under_way_.pop_front();
    add_time(clock_seconds() - start);
    if (!losses.finite()) {
      throw Error(
          fmt::format("training diverged: the loss of step {} is not a finite number, at {}. The last checkpoint "
                      "was not changed; a lower rate, a longer warm-up, pre-norm or clipping may help.",
                      state_.step - std::ssize(under_way_), run_.loader->describe(update.first)));
    }
    state_.target_tokens += losses.items;
    state_.flops += update.flops;
    state_.window.losses.add(losses.figures, static_cast<double>(losses.items));
    state_.window.target_tokens += losses.items;
    gradient_norm_ = losses.gradient_norm;
    run_.watcher.updated(progress(), state_.settings.training.steps);
  }
}

ProgressRecord TrainingLoop::progress() const {
  const auto tokens = static_cast<double>(state_.window.target_tokens);
  return {.step = state_.step - std::ssize(under_way_),
          .epoch = state_.position.epoch + 1,
          .losses = state_.window.losses.over(tokens),
          .rate = run_.trainer->rate(),
          .gradient_norm = gradient_norm_,
          .tokens_per_second = state_.window.seconds > 0 ? tokens / state_.window.seconds : 0,
          .rank_tokens_per_second = rank_rates_,
          .seconds = state_.seconds,
          .target_tokens = state_.target_tokens,
          .flops = state_.flops,
          .nominal_flops = state_.nominal_flops,
          .time = unix_time()};
}

void TrainingLoop::record() {
  rank_rates_ = rounds_.take_rank_rates();
  write_record(to_json(progress()));
  state_.window = {};
}

void TrainingLoop::write_record(const Json& record) {
  run_.metrics->add(record);
  if (run_.events) run_.events->add(record);
}

void TrainingLoop::validate() {
  const double start = clock_seconds();
  Validation validation = validate_together(run_);
  validation.step = state_.step;
  for (const auto& [name, value] : validation.scores) require_finite(value);
  validation.best = !state_.best || is_better(validation.scores, state_.best->scores, state_.settings.run.best_by);
  if (validation.best) {
    has_new_best_ = true;
    state_.best = Best{.step = state_.step, .scores = validation.scores};
    state_.validations_since_best = 0;
  } else {
    ++state_.validations_since_best;
  }
  validation.seconds = std::max(0.0, clock_seconds() - start);
  report_.add_pause(validation.seconds);
  validation.time = unix_time();
  write_record(to_json(validation));
  run_.watcher.validated(validation);
  write_report();
}

void TrainingLoop::require_finite(double number) const {
  require<Error>(std::isfinite(number), "training diverged: the weights after step ", state_.step,
                 " or their moments are not all finite numbers, or too large. The last checkpoint was not "
                 "changed; a lower rate, a longer warm-up, pre-norm or clipping may help.");
}

void TrainingLoop::save(bool scheduled) {
  const double start = clock_seconds();
  saver_.finish();  // it may still remove frames that are later than its own checkpoint
  std::vector<Array> saved{run_.block->values(), run_.trainer->average()};
  for (const optim::Moment& moment : run_.trainer->optimiser().moments()) saved.push_back(moment.values);
  for (const Array& values : saved) {
    if (!values.absent()) require_finite(sum_of_squares(values));
  }
  state_.scheduled = scheduled;
  // The frame is written before the checkpoint, so that no checkpoint is ever without it.
  if (scheduled) record_probe();
  saver_.save({.best = std::exchange(has_new_best_, false), .checkpoint = true});
  if (!ending_) saving_.add(clock_seconds() - start);
}

// If the sentences cannot be translated, the run reports that and continues. A failing disk or a lack of memory stops
// the run; the frame is then made when the run is resumed.
void TrainingLoop::record_probe() {
  if (!run_.probe) return;
  const bool averaged = !run_.trainer->average().absent() && state_.step > 0;
  if (averaged) swap_with_average(run_);
  std::optional<std::string> frame;
  try {
    frame = run_.probe->make_frame(*run_.on, *run_.model);
  } catch (const MemoryError&) {
    throw;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    run_.watcher.say(join("the probe of step ", state_.step, " is missing: ", error.what()));
  }
  if (averaged) swap_with_average(run_);
  if (frame) run_.probe->write_frame(state_.step, *frame);
}

void TrainingLoop::write_report(const std::string& failure) {
  report_.write({.step = state_.step - std::ssize(under_way_), .ending = ending_, .failure = failure});
}

double TrainingLoop::sum_of_squares(const Array& values) const {
  const ArenaScope scratch(run_.on->arena());
  Array sum = run_.on->empty({1}, DType::kFloat64);
  run_.on->sum_of_squares(values, sum);
  double host = 0;
  run_.on->copy_out(sum, &host);
  return host;
}

}  // namespace dragoman::train
