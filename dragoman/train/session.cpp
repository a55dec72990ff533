#include "dragoman/train/session.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cmath>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/cost.h"
#include "dragoman/model/weights.h"
#include "dragoman/train/machine_rate.h"
#include "dragoman/train/publish.h"
#include "dragoman/train/report.h"
#include "dragoman/train/vocabulary.h"
#include "dragoman/version.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

// Updates that the device may be busy with while the host prepares the next: it then never waits for the host.
constexpr std::size_t kUpdatesAhead = 1;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<nn::NamedTensor> named(std::vector<nn::NamedTensor> tensors, const std::string& prefix) {
  for (nn::NamedTensor& tensor : tensors) tensor.name = prefix + tensor.name;
  return tensors;
}

// Operations of an update by the model's own account: six for each multiply-add of its products.
double flops_of(const data::Update& update, const model::TransformerConfig& config) {
  double flops = 0;
  for (const data::HostBatch& batch : update.micro_batches) {
    const auto &n = batch.source.offsets, &m = batch.target.offsets;
    for (std::size_t b = 0; b + 1 < n.size(); ++b) {
      flops += model::training_flops(config, n[b + 1] - n[b], m[b + 1] - m[b]);
    }
  }
  return flops;
}

void check_changes(const RunState& before, const RunRequest& request) {
  const std::vector<std::string> changes = differences(before.settings, request.settings);
  if (changes.empty() || request.allow_changes) return;
  throw UsageError(
      fmt::format("the run in '{}' began with other settings: {}; give them as they were, choose another "
                  "directory, or say --allow-changes.",
                  request.directory.string(), fmt::join(changes, "; ")));
}

// The directory of the run, once its texts are there: a slip in a file's name leaves no directory behind.
fs::path directory_for(const RunRequest& request) {
  std::vector<data::ParallelFiles> texts = request.settings.text.training_files();
  if (request.settings.text.has_validation()) texts.push_back(request.settings.text.validation_files());
  for (const data::ParallelFiles& files : texts) {
    for (const std::string& name : {files.source, files.target}) {
      if (name.empty()) continue;
      std::error_code problem;
      const fs::file_status status = fs::status(name, problem);
      errno = problem.value();
      require<Error>(!problem, "cannot read '", name, "' ", system_reason(), ".");
      // Texts are read more than once, which pipes do not allow.
      require<UsageError>(fs::is_regular_file(status), "'", name, "' is not a file; training text must be one.");
    }
  }
  return request.directory;
}

}  // namespace

Session::Session(const RunRequest& request, Watcher& watcher)
    : request_(request), watcher_(watcher), lock_(directory_for(request)) {
  remove_remnants(request.directory);
  make_directory(request.directory / "checkpoints");
  state_.settings = request.settings;
  resume();
  open_corpus();
  make_plan();
  open_validation();
  build_model();
  start_weights();
  // Now that nothing speaks against the run any more.
  if (!model::has_tokenizers(request_.directory)) {
    model::write_tokenizers(request_.directory, *tokenizers_, state_.settings.run.joint_vocabulary);
  }
  metrics_ = std::make_unique<MetricsFile>(request_.directory / "metrics.jsonl", state_.step);
}

void Session::resume() {
  const auto damaged = [&](const std::string& sentence) { watcher_.say(sentence); };
  const std::optional<RunState> found = resumable_state(request_.directory, damaged);
  if (!found) return require_no_other_model();
  check_changes(*found, request_);
  state_ = *found;
  state_.settings = request_.settings;
  for (const Checkpoint& checkpoint : list_checkpoints(request_.directory)) {
    if (checkpoint.step == state_.step) resumed_ = checkpoint;
    // Later ones are damaged, as resumable_state() found; the run will come to those steps again.
    if (checkpoint.step > state_.step) set_aside_damaged(checkpoint);
    if (checkpoint.step < state_.step) check_older(checkpoint);
  }
  watcher_.say(fmt::format("going on from step {} in '{}'", with_thousands(state_.step), request_.directory.string()));
}

// Means are taken of older checkpoints too, so a damaged one must not stay among them.
void Session::check_older(const Checkpoint& checkpoint) {
  try {
    run_state_from_json(read_state(checkpoint), "'" + checkpoint.path.string() + "'");
  } catch (const Error& error) {
    watcher_.say(join(error.what(), " It is left out of averages."));
    set_aside_damaged(checkpoint);
  }
}

// A model that was not made here, or whose checkpoints are gone, is not written over.
void Session::require_no_other_model() const {
  require<UsageError>(!fs::exists(model::weights_file(request_.directory)), "'", request_.directory.string(),
                      "' already holds a model, but no checkpoint to go on from; choose another directory, or start "
                      "from its weights with --init.");
}

void Session::open_corpus() {
  const Settings& settings = state_.settings;
  const auto say = [&](const std::string& sentence) { watcher_.say(sentence); };
  const std::vector<data::ParallelFiles> files = settings.text.training_files();
  tokenizers_ = provide_tokenizers(settings, {request_.directory, request_.init, say});
  config_ = settings.model;
  config_.V_source = static_cast<int>(tokenizers_->source.size());
  config_.V_target = static_cast<int>(tokenizers_->target.size());
  config_.validate();
  cache_ = data::TokenCache::open({.files = files,
                                   .source = tokenizers_->source,
                                   .target = tokenizers_->target,
                                   .cleaning = settings.cleaning,
                                   .directory = request_.directory / "corpus",
                                   .keep_text = settings.run.subword_sampling > 0,
                                   .threads = settings.machine.threads,
                                   .progress = [&](std::int64_t pairs) { watcher_.cut_pairs(pairs); },
                                   .message = say});
  watcher_.say("text: " + cache_->counts().describe(settings.cleaning));
  const std::string key = fmt::format("{:016x} {}", cache_->key(), write_value(settings.text.train_weights));
  require<UsageError>(!resumed_ || state_.text_key == key || request_.allow_changes,
                      "the training text, its weights or the vocabulary in '", request_.directory.string(),
                      "' are not those the run began with; put them back, choose another directory, or say "
                      "--allow-changes.");
  state_.text_key = key;
}

void Session::make_plan() {
  const Settings& settings = state_.settings;
  const std::int64_t limit = memory_limit(settings);
  if (resumed_) {
    require<MemoryError>(
        settings.machine.memory_mb == 0 || state_.plan.total() <= limit, "the run was planned for ",
        (state_.plan.total() >> 20) + 1, " MiB, but memory-mb is ", settings.machine.memory_mb,
        "; another plan would change its results, so leave memory-mb out or choose another directory.");
  } else {
    Settings resolved = settings;
    resolved.model = config_;
    const PlanInputs inputs{.loader_bytes = data::Loader::resident_bytes(*cache_, loader_settings()),
                            .vocabulary_bytes = vocabulary_bytes()};
    state_.plan = train::make_plan(resolved, inputs, limit);
  }
  watcher_.say("memory: " + state_.plan.describe(limit));
}

void Session::open_validation() {
  const Settings& settings = state_.settings;
  if (!settings.text.has_validation()) return;
  validator_ = std::make_unique<Validator>(settings.text.validation_files(), *tokenizers_,
                                           ValidationLimits{.batch_tokens = state_.plan.micro_tokens,
                                                            .decode_sentences = state_.plan.decode_sentences,
                                                            .bleu_sentences = settings.run.valid_bleu_sentences,
                                                            .max_length = settings.cleaning.max_length});
  const std::string left_out =
      validator_->left_out() == 0 ? "" : fmt::format(" ({} empty or too long ones left out)", validator_->left_out());
  watcher_.say(fmt::format("validation: {} pairs{}", with_thousands(validator_->pairs()), left_out));
}

void Session::build_model() {
  const Settings& settings = state_.settings;
  const Computing computing = settings.run.computing();
  on_ = make_backend(computing.device, {.threads = settings.machine.threads,
                                        .memory = static_cast<std::size_t>(state_.plan.values),
                                        .gradient_memory = static_cast<std::size_t>(state_.plan.gradients)});
  machine_rate_ = machine_rate(*on_, computing.dtype);
  model_ = std::make_unique<model::Transformer>(config_);
  block_ = std::make_unique<nn::ParameterBlock>(*on_, computing.dtype, *model_, nn::Purpose::kTraining);
  trainer_ = std::make_unique<Trainer>(*model_, *block_, settings.training, settings.training.rates(config_));
  loader_ = std::make_unique<data::Loader>(*cache_, loader_settings(), state_.position);
}

void Session::start_weights() {
  if (resumed_) {
    read_tensors(*resumed_, *on_, tensors());
    trainer_->resume(state_.step);
  } else if (!request_.init.empty()) {
    model::read_tensors(model::SafetensorsFile(model::weights_file(request_.init)), *on_, block_->tensors());
  } else {
    block_->initialise(state_.settings.training.seed);
  }
  block_->refresh();
}

data::LoaderSettings Session::loader_settings() const {
  const Settings& settings = state_.settings;
  return {.batch_tokens = settings.training.batch_tokens,
          .accumulate = settings.training.accumulate,
          .micro_tokens = state_.plan.micro_tokens,
          .subword_sampling = settings.run.subword_sampling,
          .seed = settings.training.seed,
          .start_token = model::Transformer(config_).start_token(),
          .threads = settings.machine.threads};
}

std::int64_t Session::vocabulary_bytes() const {
  return static_cast<std::int64_t>(tokenizers_->source.bytes().size() + tokenizers_->target.bytes().size());
}

TrainingTensors Session::tensors() const {
  TrainingTensors tensors{.weights = block_->tensors(),
                          .moments = named(block_->tensors_in(trainer_->adam().m()), "m.")};
  const auto add = [&](const Array& flat, const std::string& prefix) {
    if (flat.absent()) return;
    for (nn::NamedTensor& tensor : named(block_->tensors_in(flat), prefix)) tensors.moments.push_back(tensor);
  };
  add(trainer_->adam().v(), "v.");
  add(trainer_->average(), "average.");
  return tensors;
}

RunResult Session::run() {
  std::optional<Ending> ending = reason_to_end();
  const bool had_nothing_to_do = ending.has_value();
  while (!ending) {
    start_update();
    const Settings& settings = state_.settings;
    const bool last = state_.step >= settings.training.steps;
    const bool recorded = last || state_.step % settings.machine.report_every == 0;
    const bool validated = validator_ && (last || state_.step % settings.run.valid_every == 0);
    const bool scheduled = state_.step % settings.run.save_every == 0;
    settle(recorded || validated || scheduled ? 0 : kUpdatesAhead);
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
          .tokens_per_second = tokens / state_.window.seconds,
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
    write_weights(best_weights(request_.directory), *on_, block_->tensors());
    state_.best = Best{.step = state_.step, .nll = validation.nll, .bleu = validation.bleu};
    state_.validations_since_best = 0;
  } else {
    ++state_.validations_since_best;
  }
  if (averaged) exchange_with_average();
  validation.seconds = now() - start;
  metrics_->add(validation);
  watcher_.validated(validation);
  write_report();
}

void Session::require_finite(double number) const {
  require<Error>(std::isfinite(number), "training diverged: the weights after step ", state_.step,
                 " are not all finite numbers, or too large. The last checkpoint is as it was; a lower rate, a longer "
                 "warm-up, pre-norm or clipping may help.");
}

void Session::save(bool scheduled) {
  require_finite(sum_of_squared_weights());
  state_.scheduled = scheduled;
  write_checkpoint(request_.directory, state_.step, *on_, tensors(), to_json(state_));
  prune_checkpoints(request_.directory, std::max(state_.settings.machine.keep, state_.settings.training.average));
  publish();
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
                                         .provenance = provenance});
  write_report();
}

void Session::write_report() const {
  ReportFacts facts;
  const TextSettings& text = state_.settings.text;
  const bool languages_known = !text.source_language.empty() && !text.target_language.empty();
  facts.title = languages_known ? text.source_language + " to " + text.target_language : "training run";
  facts.model =
      fmt::format("{} + {} layers of width {}, {} heads", config_.N_enc, config_.N_dec, config_.d_model, config_.h);
  for (const model::ParameterInfo& tensor : model::parameter_table(config_)) facts.parameters += tensor.count;
  const Computing computing = state_.settings.run.computing();
  facts.machine = on_->device().kind == Device::Kind::kCpu
                      ? fmt::format("CPU, {} threads, float32", on_->threads())
                      : fmt::format("{}, {}", device_name(on_->device()), computing.dtype == DType::kBFloat16 ? "bfloat16" : "float32");
  const Json settings = to_json(state_.settings);
  for (const auto& [key, value] : settings.items()) {
    facts.settings.emplace_back(key, setting_text(value, key));
  }
  const fs::path metrics = request_.directory / "metrics.jsonl";
  replace_file(request_.directory / "report.html", report_html(read_metrics(metrics), facts));
}

double Session::sum_of_squared_weights() const {
  const ArenaScope scratch(on_->arena());
  Array sum = on_->empty({1}, DType::kFloat64);
  on_->sum_of_squares(block_->values(), sum);
  double host = 0;
  on_->copy_out(sum, &host);
  return host;
}

}  // namespace dragoman::train
