#include "dragoman/train/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/train/machine_rate.h"
#include "dragoman/train/publish.h"
#include "dragoman/train/vocabulary.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

std::vector<params::NamedTensor> with_prefix(std::vector<params::NamedTensor> tensors, const std::string& prefix) {
  for (params::NamedTensor& tensor : tensors) tensor.name = prefix + tensor.name;
  return tensors;
}

void check_changes(const RunState& before, const RunRequest& request) {
  const std::vector<std::string> changes = differences(before.settings, request.settings);
  if (changes.empty() || request.allow_changes) return;
  throw UsageError(
      fmt::format("the run in '{}' began with other settings: {}; use the same settings, choose another "
                  "directory, or add --allow-changes.",
                  request.directory.string(), fmt::join(changes, "; ")));
}

// Returns the directory of the run after checking that its device and its texts exist, so that a mistyped name does not
// leave a directory behind.
fs::path directory_for(const RunRequest& request) {
  available_memory(request.settings.run.device_and_type().device);  // throws if there is no such device
  std::vector<data::ParallelFiles> texts = request.settings.text.training_files();
  if (request.settings.text.has_validation()) texts.push_back(request.settings.text.validation_files());
  for (const data::ParallelFiles& files : texts) {
    for (const std::string& name : {files.source, files.target}) {
      if (name.empty()) continue;
      std::error_code problem;
      const fs::file_status status = fs::status(name, problem);
      errno = problem.value();
      require<Error>(!problem, "cannot read '", name, "' ", system_reason(), ".");
      // Texts are read more than once, which is not possible with pipes.
      require<UsageError>(fs::is_regular_file(status), "'", name,
                          "' is not a regular file; training text must be one, because it is read more than once.");
    }
  }
  return request.directory;
}

}  // namespace

PreparedRun::PreparedRun(const RunRequest& request_, Watcher& watcher_)
    : lock_(directory_for(request_)), request(request_), watcher(watcher_) {
  state.settings = request.settings;
  resume();  // throws if a checkpoint cannot be read; nothing has been changed then
  remove_remnants(request.directory);
  make_directory(request.directory / "checkpoints");
  open_corpus();
  make_plan();
  open_validation();
  build_model();
  start_weights();
  // Everything has been checked: only now files of the model are written.
  if (!model::has_tokenizers(request.directory)) {
    model::write_tokenizers(request.directory, *tokenizers_, settings().run.joint_vocabulary);
  }
  if (!fs::exists(status_of(model::languages_file(request.directory)))) {
    model::write_languages(request.directory, learn_languages(settings().text));
  }
  tidy(*this);
  metrics = std::make_unique<MetricsFile>(metrics_file(), state.step);
  if (settings().machine.tensorboard) {
    events = std::make_unique<EventFile>(request.directory / "tensorboard", read_records(metrics_file()));
  }
}

void PreparedRun::resume() {
  const auto report_damage = [&](const std::string& sentence) { watcher.say(sentence); };
  const std::optional<RunState> found = resumable_state(request.directory, report_damage);
  if (!found) return require_no_other_model();
  check_changes(*found, request);
  // With other settings the results change anyway, and more memory may be needed than was planned.
  plan_again_ = !differences(found->settings, request.settings).empty();
  state = *found;
  state.settings = request.settings;
  std::vector<Checkpoint> damaged_ones;
  for (const Checkpoint& checkpoint : list_checkpoints(request.directory)) {
    if (checkpoint.step == state.step) resumed_ = checkpoint;
    // resumable_state() found all later ones damaged. The run will reach their steps again and write new ones.
    const bool is_later = checkpoint.step > state.step, is_older = checkpoint.step < state.step;
    if (is_later || (is_older && !is_whole(checkpoint))) damaged_ones.push_back(checkpoint);
  }
  for (const Checkpoint& checkpoint : damaged_ones) set_aside_damaged(checkpoint);
  watcher.say(fmt::format("resuming from step {} in '{}'", with_thousands(state.step), request.directory.string()));
}

// Whether a checkpoint is undamaged. Older checkpoints are averaged too, so a damaged one must not stay among them.
bool PreparedRun::is_whole(const Checkpoint& checkpoint) const {
  try {
    read_run_state(checkpoint);
    return true;
  } catch (const DamagedFile& error) {
    watcher.say(join(error.what(), " It is left out of averages."));
    return false;
  }
}

// A model that was not trained in this directory, or whose checkpoints are gone, must not be overwritten.
void PreparedRun::require_no_other_model() const {
  require<UsageError>(!fs::exists(status_of(model::weights_file(request.directory))), "'", request.directory.string(),
                      "' already holds a model, but no checkpoint to resume from; choose another directory, or start "
                      "from its weights with --init.");
}

void PreparedRun::open_corpus() {
  const auto say = [&](const std::string& sentence) { watcher.say(sentence); };
  const std::vector<data::ParallelFiles> files = settings().text.training_files();
  tokenizers_ = provide_tokenizers(settings(), {request.directory, request.init, say});
  config = settings().model;
  config.set_vocabularies(tokenizers_->source.size(), tokenizers_->target.size());
  config.validate();
  cache_ = data::TokenCache::open({.files = files,
                                   .source = tokenizers_->source,
                                   .target = tokenizers_->target,
                                   .cleaning = settings().cleaning,
                                   .directory = request.directory / "corpus",
                                   .keep_text = settings().run.subword_sampling > 0,
                                   .threads = settings().machine.threads,
                                   .progress = [&](std::int64_t pairs) { watcher.tokenised_pairs(pairs); },
                                   .message = say});
  watcher.say("text: " + cache_->counts().describe(settings().cleaning));
  const std::string key = fmt::format("{:016x} {}", cache_->key(), write_value(settings().text.train_weights));
  require<UsageError>(!resumed_ || state.text_key == key || request.allow_changes,
                      "the training text, its weights or the vocabulary in '", request.directory.string(),
                      "' are not those the run began with; restore them, choose another directory, or add "
                      "--allow-changes.");
  state.text_key = key;
}

void PreparedRun::make_plan() {
  const std::int64_t limit = memory_limit(settings());
  if (resumed_ && !plan_again_) {
    require<MemoryError>(
        settings().machine.memory_mb == 0 || state.plan.total() <= limit, "the run was planned for ",
        (state.plan.total() >> 20) + 1, " MiB, but memory-mb is ", settings().machine.memory_mb,
        "; another plan would change its results, so leave memory-mb out or choose another directory.");
  } else {
    TrainingSettings resolved = settings();
    resolved.model = config;
    state.plan = {};
    const PlanInputs inputs{.loader_bytes = data::Loader::resident_bytes(*cache_, loader_settings()),
                            .vocabulary_bytes = vocabulary_bytes()};
    state.plan = train::make_plan(resolved, inputs, limit);
  }
  watcher.say("memory: " + state.plan.describe(limit));
}

void PreparedRun::open_validation() {
  const std::string& sentences = settings().machine.probe;
  if (!sentences.empty()) probe = std::make_unique<Probe>(sentences, request.directory, *tokenizers_);
  if (!settings().text.has_validation()) return;
  const eval::Tokenization words = eval::tokenization_for(settings().text.target_language);
  validator = std::make_unique<Validator>(settings().text.validation_files(), *tokenizers_,
                                          ValidationLimits{.batch_tokens = state.plan.micro_tokens,
                                                           .decode_sentences = state.plan.decode_sentences,
                                                           .bleu_sentences = settings().run.valid_bleu_sentences,
                                                           .bleu_words = words,
                                                           .max_length = settings().cleaning.max_length});
  const std::string left_out = validator->left_out() == 0 ? ""
                                                          : fmt::format(" ({} empty or too long left out)",
                                                                        with_thousands(validator->left_out()));
  watcher.say(fmt::format("validation: {}{}", counted(validator->pairs(), "pair").text(), left_out));
}

void PreparedRun::build_model() {
  const DeviceAndType device_and_type = settings().run.device_and_type();
  on = make_backend(device_and_type.device, {.threads = settings().machine.threads,
                                             .memory = static_cast<std::size_t>(state.plan.values),
                                             .gradient_memory = static_cast<std::size_t>(state.plan.gradients),
                                             .report = [this](const std::string& sentence) { watcher.say(sentence); }});
  const std::string arithmetic = arithmetic_of(device_and_type.device);
  if (resumed_ && !state.arithmetic.empty() && state.arithmetic != arithmetic) {
    watcher.say(
        fmt::format("the run was computed by {} so far, and continues with {}: sums may differ in their last bits",
                    state.arithmetic, arithmetic));
  }
  state.arithmetic = arithmetic;
  machine_rate = train::machine_rate(*on, device_and_type.dtype);
  model = config.make_model();
  block = std::make_unique<params::ParameterBlock>(*on, device_and_type.dtype, *model, params::Purpose::kTraining);
  trainer = std::make_unique<Trainer>(*model, *block, settings().training, settings().training.rates(config.width()));
  loader = std::make_unique<data::Loader>(*cache_, loader_settings(), state.position);
}

void PreparedRun::start_weights() {
  if (resumed_) {
    read_tensors(*resumed_, *on, tensors());
    trainer->resume(state.step);
  } else if (!request.init.empty()) {
    model::read_tensors(model::SafetensorsFile(model::weights_file(request.init)), *on, block->saved(),
                        model::AllowedValues::kFinite);
  } else {
    block->initialise(settings().training.seed);
  }
  block->refresh();
}

data::LoaderSettings PreparedRun::loader_settings() const {
  return {.batch_tokens = settings().training.batch_tokens,
          .accumulate = settings().training.accumulate,
          .micro_tokens = state.plan.micro_tokens,
          .subword_sampling = settings().run.subword_sampling,
          .seed = settings().training.seed,
          .start_token = config.make_model()->start_token(),
          .threads = settings().machine.threads};
}

std::int64_t PreparedRun::vocabulary_bytes() const {
  return static_cast<std::int64_t>(tokenizers_->source.bytes().size() + tokenizers_->target.bytes().size());
}

TrainingTensors PreparedRun::tensors() const {
  TrainingTensors tensors{.weights = block->saved(),
                          .moments = with_prefix(block->tensors_in(trainer->adam().m()), "m.")};
  const auto add = [&](const Array& flat, const std::string& prefix) {
    if (flat.absent()) return;
    for (params::NamedTensor& tensor : with_prefix(block->tensors_in(flat), prefix)) tensors.moments.push_back(tensor);
  };
  add(trainer->adam().v(), "v.");
  add(trainer->average(), "average.");
  return tensors;
}

void tidy(const PreparedRun& run) {
  const RunState& state = run.state;
  // Removes the frames of steps that this run has not reached; a new run keeps none. A checkpoint that is not scheduled
  // has no frame either; older versions of this program wrote one.
  const bool is_new = !run.is_resumed() && state.step == 0;
  decode::rewind_film(run.directory(), is_new ? -1 : state.step - (state.scheduled ? 0 : 1));
  settle_best(run.directory(), state.best);
  prune_checkpoints(run.directory(), std::max(run.settings().machine.keep, run.settings().training.average));
}

}  // namespace dragoman::train
