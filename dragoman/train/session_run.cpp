// The loop of updates, and what a run does between them: records, validations, checkpoints, the model that it
// publishes.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/model/weights.h"
#include "dragoman/train/publish.h"
#include "dragoman/train/report.h"
#include "dragoman/train/session.h"
#include "dragoman/version.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

// Updates that the device may be busy with while the host prepares the next: a GPU then never waits for the host. The
// CPU is done with one when it has been started.
std::size_t updates_ahead(const Backend& on) { return on.device().kind == Device::Kind::kCpu ? 0 : 1; }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Operations of an update by the model's own account: six for each multiply-add of its products.
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

}  // namespace

RunResult Session::run() {
  std::optional<Ending> ending = reason_to_end();
  const bool had_nothing_to_do = ending.has_value();
  if (probe_ && state_.scheduled && !probe_->has_frame(state_.step)) record_probe();
  while (!ending) {
    start_update();
    const Settings& settings = state_.settings;
    const bool last = state_.step >= settings.training.steps;
    const bool recorded = last || state_.step % settings.machine.report_every == 0;
    const bool validated = validator_ && (last || state_.step % settings.run.valid_every == 0);
    const bool scheduled = state_.step % settings.run.save_every == 0;
    settle(recorded || validated || scheduled ? 0 : updates_ahead(*on_));
    if (recorded) record();
    if (validated) validate();
    ending = reason_to_end();
    if (ending || scheduled) {
      settle(0);
      save(scheduled || last);
    }
  }
  if (had_nothing_to_do && state_.step > 0) publish();
  return {.ending = *ending, .step = state_.step, .best = state_.best, .seconds = state_.seconds};
}

std::optional<Ending> Session::reason_to_end() {
  const Settings& settings = state_.settings;
  if (state_.step >= settings.training.steps) return Ending::kAllSteps;
  if (settings.run.patience > 0 && state_.validations_since_best >= settings.run.patience) return Ending::kPatience;
  if (settings.machine.minutes > 0 && state_.seconds >= 60 * settings.machine.minutes) return Ending::kMinutes;
  if (watcher_.wants_stop()) return Ending::kStopped;
  return std::nullopt;
}

void Session::start_update() {
  const double start = now();
  const data::Update update = loader_->next();
  trainer_->start(update.micro_batches);
  under_way_.push_back({.first = update.first, .flops = flops_of(update, config_)});
  state_.step = trainer_->updates();
  state_.position = update.after;
  spend(now() - start);
}

void Session::spend(double seconds) {
  seconds = std::max(0.0, seconds);  // a clock may be set back
  state_.seconds += seconds;
  state_.nominal_flops += seconds * machine_rate_;
  state_.window.seconds += seconds;
}

void Session::settle(std::size_t most) {
  while (under_way_.size() > most) {
    const double start = now();
    const Losses losses = trainer_->finish();
    const UnderWay update = under_way_.front();
    under_way_.pop_front();
    spend(now() - start);
    if (!losses.finite()) {
      throw Error(
          fmt::format("training diverged: the loss of step {} is not a finite number, at {}. The last checkpoint "
                      "is as it was; a lower rate, a longer warm-up, pre-norm or clipping may help.",
                      state_.step - std::ssize(under_way_), loader_->describe(update.first)));
    }
    state_.target_tokens += losses.target_tokens;
    state_.flops += update.flops;
    const auto tokens = static_cast<double>(losses.target_tokens);
    state_.window.loss += losses.loss * tokens;
    state_.window.nll += losses.nll * tokens;
    state_.window.target_tokens += losses.target_tokens;
    gradient_norm_ = losses.gradient_norm;
    watcher_.updated(progress(), state_.settings.training.steps);
  }
}

Progress Session::progress() const {
  const auto tokens = static_cast<double>(state_.window.target_tokens);
  return {.step = state_.step - std::ssize(under_way_),
          .epoch = state_.position.epoch + 1,
          .loss = state_.window.loss / tokens,
          .nll = state_.window.nll / tokens,
          .rate = trainer_->rate(),
          .gradient_norm = gradient_norm_,
          .tokens_per_second = state_.window.seconds > 0 ? tokens / state_.window.seconds : 0,
          .seconds = state_.seconds,
          .target_tokens = state_.target_tokens,
          .flops = state_.flops,
          .nominal_flops = state_.nominal_flops};
}

void Session::record() {
  metrics_->add(progress());
  state_.window = {};
}

void Session::exchange_with_average() {
  nn::swap_values(*on_, block_->values(), trainer_->average());
  block_->refresh();
}

void Session::validate() {
  const double start = now();
  const bool averaged = !trainer_->average().absent();
  if (averaged) exchange_with_average();
  Validation validation = validator_->run(*on_, *model_);
  validation.step = state_.step;
  require_finite(validation.nll);
  const bool by_bleu = state_.settings.run.best_by == BestBy::kBleu;
  validation.best = !state_.best || (by_bleu ? validation.bleu > state_.best->bleu : validation.nll < state_.best->nll);
  if (validation.best) {
    write_best(request_.directory, state_.step, *on_, block_->tensors());
    state_.best = Best{.step = state_.step, .nll = validation.nll, .bleu = validation.bleu};
    state_.validations_since_best = 0;
  } else {
    ++state_.validations_since_best;
  }
  if (averaged) exchange_with_average();
  validation.seconds = std::max(0.0, now() - start);
  metrics_->add(validation);
  watcher_.validated(validation);
  write_report();
}

void Session::require_finite(double number) const {
  require<Error>(std::isfinite(number), "training diverged: the weights after step ", state_.step,
                 " or their moments are not all finite numbers, or too large. The last checkpoint is as it was; a "
                 "lower rate, a longer "
                 "warm-up, pre-norm or clipping may help.");
}

void Session::save(bool scheduled) {
  for (const Array& values : {block_->values(), trainer_->adam().m(), trainer_->adam().v(), trainer_->average()}) {
    if (!values.absent()) require_finite(sum_of_squares(values));
  }
  state_.scheduled = scheduled;
  // The frame and the records come first, so that no checkpoint is ever without them: a run that is killed in between
  // goes on from the checkpoint before, and writes them again.
  if (scheduled) record_probe();
  metrics_->flush();
  write_checkpoint(request_.directory, state_.step, *on_, tensors(), to_json(state_));
  tidy();
  publish();
}

void Session::tidy() const {
  // A new run has no frames. Frames belong to scheduled steps: older programs kept some of others too.
  const bool is_new = !resumed_ && state_.step == 0;
  rewind_film(request_.directory, is_new ? -1 : state_.step - (state_.scheduled ? 0 : 1));
  settle_best(request_.directory, state_.best);
  prune_checkpoints(request_.directory, std::max(state_.settings.machine.keep, state_.settings.training.average));
}

// A sentence that cannot be translated is no reason to stop: that is said. A disk that fails is, and so is want of
// memory: the frame is made when the run is resumed.
void Session::record_probe() {
  if (!probe_) return;
  const bool averaged = !trainer_->average().absent() && state_.step > 0;
  if (averaged) exchange_with_average();
  std::optional<std::string> frame;
  try {
    frame = probe_->look(*on_, *model_);
  } catch (const MemoryError&) {
    throw;
  } catch (const Error& error) {
    watcher_.say(join("the probe of step ", state_.step, " is missing: ", error.what()));
  }
  if (averaged) exchange_with_average();
  if (frame) probe_->keep(state_.step, *frame);
}

void Session::publish() {
  std::vector<nn::NamedTensor> average;
  if (!trainer_->average().absent()) average = block_->tensors_in(trainer_->average());
  const std::string weights = publish_weights(request_.directory, state_, *on_, block_->tensors(), average);
  const TextSettings& text = state_.settings.text;
  Json provenance;
  provenance["program"] = join("dragoman ", kVersion, " (", kCommit, ")");
  provenance["steps"] = state_.step;
  provenance["target_tokens"] = state_.target_tokens;
  provenance["weights"] = weights;
  provenance["text"] = state_.text_key;
  model::write_info(request_.directory, {.config = config_,
                                         .source_language = text.source_language,
                                         .target_language = text.target_language,
                                         .joint_vocabulary = state_.settings.run.joint_vocabulary,
                                         .seed = state_.settings.training.seed,
                                         .provenance = provenance.dump()});
  write_report();
}

void Session::write_report() const {
  ReportFacts facts;
  const TextSettings& text = state_.settings.text;
  const bool languages_known = !text.source_language.empty() && !text.target_language.empty();
  facts.title = languages_known ? text.source_language + " to " + text.target_language : "training run";
  facts.model = config_.describe();
  facts.parameters = model::parameter_count(config_);
  const Computing computing = state_.settings.run.computing();
  facts.machine = on_->device().kind == Device::Kind::kCpu
                      ? fmt::format("CPU, {} threads, float32", on_->threads())
                      : fmt::format("{}, {}", device_name(on_->device()),
                                    computing.dtype == DType::kBFloat16 ? "bfloat16" : "float32");
  const Json settings = to_json(state_.settings);
  for (const auto& [key, value] : settings.items()) {
    facts.settings.emplace_back(key, setting_text(value, key));
  }
  const fs::path metrics = request_.directory / "metrics.jsonl";
  replace_file(request_.directory / "report.html", report_html(read_metrics(metrics), facts));
}

double Session::sum_of_squares(const Array& values) const {
  const ArenaScope scratch(on_->arena());
  Array sum = on_->empty({1}, DType::kFloat64);
  on_->sum_of_squares(values, sum);
  double host = 0;
  on_->copy_out(sum, &host);
  return host;
}

}  // namespace dragoman::train
