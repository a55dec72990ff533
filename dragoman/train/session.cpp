#include "dragoman/train/session.h"

#include <fmt/format.h>

#include <cerrno>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/model/weights.h"
#include "dragoman/train/machine_rate.h"
#include "dragoman/train/vocabulary.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

std::vector<nn::NamedTensor> named(std::vector<nn::NamedTensor> tensors, const std::string& prefix) {
  for (nn::NamedTensor& tensor : tensors) tensor.name = prefix + tensor.name;
  return tensors;
}

void check_changes(const RunState& before, const RunRequest& request) {
  const std::vector<std::string> changes = differences(before.settings, request.settings);
  if (changes.empty() || request.allow_changes) return;
  throw UsageError(
      fmt::format("the run in '{}' began with other settings: {}; give them as they were, choose another "
                  "directory, or say --allow-changes.",
                  request.directory.string(), fmt::join(changes, "; ")));
}

// The directory of the run, once its device and its texts are there: a slip in a name leaves no directory behind.
fs::path directory_for(const RunRequest& request) {
  available_memory(request.settings.run.computing().device);  // throws if there is no such device
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
  state_.settings = request.settings;
  resume();  // throws before anything is changed if a checkpoint cannot be read
  remove_remnants(request.directory);
  make_directory(request.directory / "checkpoints");
  open_corpus();
  make_plan();
  open_validation();
  build_model();
  start_weights();
  // Now that nothing speaks against the run any more.
  if (!model::has_tokenizers(request_.directory)) {
    model::write_tokenizers(request_.directory, *tokenizers_, state_.settings.run.joint_vocabulary);
  }
  if (!fs::exists(status_of(model::languages_file(request_.directory)))) {
    model::write_languages(request_.directory, learn_languages(state_.settings.text));
  }
  tidy();
  metrics_ = std::make_unique<MetricsFile>(request_.directory / "metrics.jsonl", state_.step);
}

void Session::resume() {
  const auto damaged = [&](const std::string& sentence) { watcher_.say(sentence); };
  const std::optional<RunState> found = resumable_state(request_.directory, damaged);
  if (!found) return require_no_other_model();
  check_changes(*found, request_);
  // With other settings it is another run anyway, and may need more memory than was planned.
  plan_again_ = !differences(found->settings, request_.settings).empty();
  state_ = *found;
  state_.settings = request_.settings;
  std::vector<Checkpoint> damaged_ones;
  for (const Checkpoint& checkpoint : list_checkpoints(request_.directory)) {
    if (checkpoint.step == state_.step) resumed_ = checkpoint;
    // Later ones are damaged, as resumable_state() found; the run will come to those steps again.
    const bool is_later = checkpoint.step > state_.step, is_older = checkpoint.step < state_.step;
    if (is_later || (is_older && !is_whole(checkpoint))) damaged_ones.push_back(checkpoint);
  }
  for (const Checkpoint& checkpoint : damaged_ones) set_aside_damaged(checkpoint);
  watcher_.say(fmt::format("going on from step {} in '{}'", with_thousands(state_.step), request_.directory.string()));
}

// Means are taken of older checkpoints too, so a damaged one must not stay among them.
bool Session::is_whole(const Checkpoint& checkpoint) const {
  try {
    read_run_state(checkpoint);
    return true;
  } catch (const DamagedFile& error) {
    watcher_.say(join(error.what(), " It is left out of averages."));
    return false;
  }
}

// A model that was not made here, or whose checkpoints are gone, is not written over.
void Session::require_no_other_model() const {
  require<UsageError>(!fs::exists(status_of(model::weights_file(request_.directory))), "'", request_.directory.string(),
                      "' already holds a model, but no checkpoint to go on from; choose another directory, or start "
                      "from its weights with --init.");
}

void Session::open_corpus() {
  const Settings& settings = state_.settings;
  const auto say = [&](const std::string& sentence) { watcher_.say(sentence); };
  const std::vector<data::ParallelFiles> files = settings.text.training_files();
  tokenizers_ = provide_tokenizers(settings, {request_.directory, request_.init, say});
  config_ = settings.model;
  config_.set_vocabularies(tokenizers_->source.size(), tokenizers_->target.size());
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
  if (resumed_ && !plan_again_) {
    require<MemoryError>(
        settings.machine.memory_mb == 0 || state_.plan.total() <= limit, "the run was planned for ",
        (state_.plan.total() >> 20) + 1, " MiB, but memory-mb is ", settings.machine.memory_mb,
        "; another plan would change its results, so leave memory-mb out or choose another directory.");
  } else {
    Settings resolved = settings;
    resolved.model = config_;
    state_.plan = {};
    const PlanInputs inputs{.loader_bytes = data::Loader::resident_bytes(*cache_, loader_settings()),
                            .vocabulary_bytes = vocabulary_bytes()};
    state_.plan = train::make_plan(resolved, inputs, limit);
  }
  watcher_.say("memory: " + state_.plan.describe(limit));
}

void Session::open_validation() {
  const Settings& settings = state_.settings;
  const std::string& probe = settings.machine.probe;
  if (!probe.empty()) probe_ = std::make_unique<Probe>(probe, request_.directory, *tokenizers_);
  if (!settings.text.has_validation()) return;
  const eval::Tokenization words = eval::tokenization_for(settings.text.target_language);
  validator_ = std::make_unique<Validator>(settings.text.validation_files(), *tokenizers_,
                                           ValidationLimits{.batch_tokens = state_.plan.micro_tokens,
                                                            .decode_sentences = state_.plan.decode_sentences,
                                                            .bleu_sentences = settings.run.valid_bleu_sentences,
                                                            .bleu_words = words,
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
  const std::string arithmetic = arithmetic_of(computing.device);
  if (resumed_ && !state_.arithmetic.empty() && state_.arithmetic != arithmetic) {
    watcher_.say(
        fmt::format("the run was computed by {} so far, and goes on with {}: sums may differ in their last bits",
                    state_.arithmetic, arithmetic));
  }
  state_.arithmetic = arithmetic;
  machine_rate_ = machine_rate(*on_, computing.dtype);
  model_ = config_.make_model();
  block_ = std::make_unique<nn::ParameterBlock>(*on_, computing.dtype, *model_, nn::Purpose::kTraining);
  trainer_ = std::make_unique<Trainer>(*model_, *block_, settings.training, settings.training.rates(config_.width()));
  loader_ = std::make_unique<data::Loader>(*cache_, loader_settings(), state_.position);
}

void Session::start_weights() {
  if (resumed_) {
    read_tensors(*resumed_, *on_, tensors());
    trainer_->resume(state_.step);
  } else if (!request_.init.empty()) {
    model::read_tensors(model::SafetensorsFile(model::weights_file(request_.init)), *on_, block_->tensors(),
                        model::Values::kFinite);
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
          .start_token = config_.make_model()->start_token(),
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

}  // namespace dragoman::train
