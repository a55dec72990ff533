#include "dragoman/train/prepared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "dragoman/base/ending_signals.h"
#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/base/strings.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/exchange/nccl.h"
#include "dragoman/model/files/search.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/train/gradient_tree.h"
#include "dragoman/train/machine_rate.h"
#include "dragoman/train/publish.h"
#include "dragoman/train/vocabulary.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

constexpr const char *kMark = "mark", *kRunState = "state", *kValidation = "validation";  // in the message of rank 0

fs::path mark_file(const fs::path& directory) { return unfinished_path(directory / "ranks"); }

// A mark in the directory shows whether the other ranks see the same one. It exists as long as this object. If the
// process is killed meanwhile, the next run removes the mark with other remnants.
class DirectoryMark {
 public:
  explicit DirectoryMark(const fs::path& directory) : file_(mark_file(directory)) {
    std::random_device random;
    text_ = fmt::format("{:08x}{:08x}", random(), random());
    replace_file(file_, text_);
  }
  ~DirectoryMark() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  DirectoryMark(const DirectoryMark&) = delete;
  DirectoryMark& operator=(const DirectoryMark&) = delete;

  const std::string& text() const { return text_; }

 private:
  fs::path file_;
  RemovedBySignal removed_{file_};
  std::string text_;
};

std::vector<params::NamedTensor> with_prefix(std::vector<params::NamedTensor> tensors, const std::string& prefix) {
  for (params::NamedTensor& tensor : tensors) tensor.name = prefix + tensor.name;
  return tensors;
}

constexpr std::string_view kCpu = "CPU, ";  // the beginning of arithmetic_of() the CPU

// The vector instructions that a text of arithmetic_of() names: "AVX2". Empty if it names none.
std::string instructions_in(const std::string& arithmetic) {
  if (!arithmetic.starts_with(kCpu)) return "";
  const std::string details = arithmetic.substr(kCpu.size());
  return details.substr(0, details.find(", "));
}

// A run on the CPU goes on with the instructions that it began with. (What the user cannot choose may change: the GPU,
// and the version of the functions.)
void check_instructions(const RunState& run, const RunRequest& request) {
  const std::string before = instructions_in(run.arithmetic),
                    now = instructions_in(arithmetic_of(request.settings.run.device_and_type().device));
  if (before.empty() || now.empty() || before == now || request.allow_changes) return;
  throw UsageError(join("the run in '", request.directory.string(), "' was computed with ", before,
                        " instructions so far, and ", now,
                        " would change its results; choose the same with --instructions, choose another directory, "
                        "or add --allow-changes."));
}

void check_changes(const RunState& before, const RunRequest& request) {
  const std::vector<std::string> changes = differences(before.settings, request.settings);
  if (changes.empty()) return;
  const bool keeps_shape = model::have_same_shapes(before.settings.model, request.settings.model);
  if (keeps_shape && request.allow_changes) return;
  throw UsageError(fmt::format(
      "the run in '{}' began with other settings: {}; {}", request.directory.string(), fmt::join(changes, "; "),
      keeps_shape ? "use the same settings, choose another directory, or add --allow-changes."
                  : "sizes of the model cannot change in a run that has begun, so use the same settings, "
                    "or choose another directory."));
}

// Preparing the text may take hours, so this is checked before.
void require_exchange(const TrainingSettings& settings) {
  if (settings.machine.exchange == ExchangeChoice::kMpi) exchange::require_mpi();
  if (settings.machine.exchange == ExchangeChoice::kNccl) {
    require<UsageError>(settings.run.device == DeviceChoice::kCuda,
                        "--exchange nccl connects GPUs: add --device cuda, or use --exchange auto.");
    exchange::require_nccl();
  }
}

// Texts are read more than once, which is not possible with pipes.
void require_text_file(const std::string& name) {
  std::error_code problem;
  const fs::file_status status = fs::status(name, problem);
  errno = problem.value();
  require<Error>(!problem, "cannot read '", name, "' ", system_reason(), ".");
  require<UsageError>(fs::is_regular_file(status), "'", name,
                      "' is not a regular file; training text must be one, because it is read more than once.");
}

// All files of the training and validation text.
std::vector<std::string> files_of(const TrainingSettings& settings) {
  std::vector<std::string> files;
  std::vector<data::ParallelFiles> texts = settings.text.training_files();
  if (settings.text.has_validation()) texts.push_back(settings.text.validation_files());
  for (const data::ParallelFiles& text : texts) files.insert(files.end(), {text.source, text.target});
  std::erase(files, "");
  return files;
}

void require_pair(const data::ParallelFiles& validation) {
  require<UsageError>(fs::file_size(validation.source) > 0, "the validation text '", validation.source, "' is empty.");
  data::ParallelReader reader(validation);
  bool has_pair = false;
  for (std::string source, target; reader.next(source, target);) {
    has_pair = has_pair || (!source.empty() && !target.empty());
  }
  require<UsageError>(has_pair, "the validation text '", validation.source, "' has no pair with words on both sides.");
}

// Returns the directory of the run after checking that its device and its texts exist, so that a mistyped name does not
// leave a directory behind. The small texts are read, because preparing the large ones may take hours.
fs::path directory_for(const RunRequest& request) {
  available_memory(request.settings.run.device_and_type().device);  // throws if there is no such device
  for (const std::string& name : files_of(request.settings)) require_text_file(name);
  const std::string& probe = request.settings.machine.probe;
  if (!probe.empty()) require_probed_sentences(probe);
  if (request.settings.text.has_validation()) require_pair(request.settings.text.validation_files());
  return request.directory;
}

}  // namespace

PreparedRun::PreparedRun(const RunRequest& request_, Watcher& watcher_, exchange::Exchange& exchange_)
    : is_new_(!fs::exists(status_of(request_.directory))), request(request_), watcher(watcher_), exchange(exchange_) {
  exchange.leads() ? prepare() : follow();
}

void PreparedRun::prepare() {
  require_divisible();
  require_exchange(request.settings);
  lock_.emplace(directory_for(request));
  if (exchange.ranks() > 1) watcher.say(fmt::format("{} processes train together", exchange.ranks()));
  // Another process may have created it before it was locked, but then it is not empty.
  const RemovedIfFailed removed_if_failed(request.directory, is_new_ && list_directory(request.directory).empty());
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
    if (!request.init.empty()) model::copy_search(request.init, request.directory);
  }
  if (!fs::exists(status_of(model::languages_file(request.directory)))) {
    model::write_languages(request.directory, learn_languages(settings().text));
  }
  tidy(request.directory, state);
  metrics = std::make_unique<MetricsFile>(metrics_file(), state.step);
  if (settings().machine.tensorboard) {
    events = std::make_unique<EventFile>(request.directory / "tensorboard", read_records(metrics_file()));
  }
  if (exchange.ranks() > 1) instruct_others();
  divide_updates();
}

void PreparedRun::instruct_others() {
  const DirectoryMark mark(request.directory);
  const std::string validation = validator ? validator->key() : "";
  exchange.broadcast(Json{{kMark, mark.text()}, {kRunState, to_json(state)}, {kValidation, validation}}.dump());
  agree_to_start();
}

// Rank 0 learns here if another rank cannot start.
void PreparedRun::agree_to_start() {
  const std::int64_t ready[] = {1};
  exchange.gather(ready);
}

// A file system of several machines may show a new file some seconds late.
void PreparedRun::require_same_directory(const std::string& mark) const {
  constexpr int kLooks = 50;
  for (int look = 0; look < kLooks; ++look) {
    list_directory(request.directory);  // has the directory read again
    const fs::path file = mark_file(request.directory);
    if (fs::exists(status_of(file)) && read_file(file) == mark) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw Error(join("this rank does not see the files of rank 0 in '", request.directory.string(),
                   "'; the directory must be the same for all ranks."));
}

// What rank 0 wrote must be visible here: the vocabulary, the tokens of the text and the checkpoint.
void PreparedRun::follow() {
  const std::string where = "the state of rank 0";
  const Json told = parse_json(exchange.broadcast(""), where);
  require_same_directory(json_entry<std::string>(told, kMark, where));
  state = run_state_from_json(json_entry<Json>(told, kRunState, where), where);
  const std::string arithmetic = arithmetic_of(device_and_type().device);
  require<Error>(arithmetic == state.arithmetic, "this rank computes with ", arithmetic, ", but rank 0 with ",
                 state.arithmetic, "; the results would depend on who computes what.");
  if (state.step > 0) {
    for (const Checkpoint& checkpoint : list_checkpoints(request.directory)) {
      if (checkpoint.step == state.step) resumed_ = checkpoint;
    }
    require<Error>(resumed_.has_value(), "this rank does not see the checkpoint of step ", state.step, " in '",
                   request.directory.string(), "'.");
  }
  open_corpus();
  open_validation();
  require<Error>(!validator || validator->key() == json_entry<std::string>(told, kValidation, where),
                 "the validation text of this rank is not that of rank 0; all must read the same.");
  build_model();
  start_weights();
  agree_to_start();
  divide_updates();
}

void PreparedRun::require_divisible() const {
  const int ranks = exchange.ranks(), batches = request.settings.training.accumulate;
  const int most = 1 << tree_levels(batches);
  require<UsageError>(std::has_single_bit(static_cast<unsigned>(ranks)) && ranks <= most, "an update has ",
                      counted(batches, "batch", "batches"), " (accumulate), which ", ranks,
                      " processes cannot divide: their number must be a power of two that divides it, here ",
                      most == 1 ? "1" : join("at most ", most), ".");
}

void PreparedRun::resume() {
  const auto report_damage = [&](const std::string& sentence) { watcher.say(sentence); };
  const std::optional<RunState> found = resumable_state(request.directory, report_damage);
  if (!found) return require_no_other_model();
  model::require_known_format(request.directory);
  check_changes(*found, request);
  check_instructions(*found, request);
  // With other settings the results change anyway, and more memory may be needed than was planned.
  plan_again_ = !differences(found->settings, request.settings).empty() ||
                !is_same_arithmetic(found->arithmetic, arithmetic_of(request.settings.run.device_and_type().device));
  state = *found;
  old_text_ = state.settings.text;
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
                                   .check = [&](std::uint64_t key) { check_text(key); },
                                   .progress = [&](std::int64_t pairs) { watcher.tokenised_pairs(pairs); },
                                   .message = say});
  watcher.say("text: " + cache_->counts().describe(settings().cleaning));
}

// Compares the text with that of the checkpoint, before the token cache of the run is replaced.
void PreparedRun::check_text(std::uint64_t key) {
  const std::string weights = write_value(settings().text.train_weights);
  const std::string text_key = fmt::format("{:016x} {}", key, weights);
  const std::string old_key = std::exchange(state.text_key, text_key);
  require<Error>(exchange.leads() || old_key == text_key,
                 "the training text of this rank is not that of rank 0; all must read the same.");
  if (!resumed_ || old_key == text_key || request.allow_changes) return;
  const TextSettings &before = old_text_, &now = settings().text;
  const bool other_weights = old_key.substr(old_key.find(' ') + 1) != weights;
  const bool other_files = before.train_source != now.train_source || before.train_target != now.train_target ||
                           before.train_pairs != now.train_pairs;
  const std::string what = other_weights ? "the weights of the training texts (train-weights) are not those"
                           : other_files ? "the training text is not that"
                                         : "the training text or the vocabulary is not that";
  const std::string first = before.train_source.empty() ? write_value(before.train_pairs) : before.train_source.front();
  throw UsageError(join(what, " of the run in '", request.directory.string(), "', which began with '", first,
                        "'; use the same, choose another directory, or add --allow-changes."));
}

void PreparedRun::make_plan() {
  const std::int64_t limit = memory_limit(settings());
  TrainingSettings resolved = settings();
  resolved.model = config;
  if (resumed_ && !plan_again_) {
    require<MemoryError>(
        settings().machine.memory_mb == 0 || state.plan.total() <= limit, "the run was planned for ",
        (state.plan.total() >> 20) + 1, " MiB, but memory-mb is ", settings().machine.memory_mb,
        "; another plan would change its results, so leave memory-mb out or choose another directory.");
  } else {
    state.plan = {};
    const PlanInputs inputs{.loader_bytes = data::Loader::resident_bytes(*cache_, loader_settings()),
                            .vocabulary_bytes = vocabulary_bytes(),
                            .first = tokenizers_->target.first()};
    state.plan = train::make_plan(resolved, inputs, limit);
  }
  state.plan.divide_among(exchange.ranks(), resolved);
  state.plan.add_snapshot(resolved, limit);
  watcher.say("memory: " + state.plan.describe(limit));
}

void PreparedRun::open_validation() {
  const std::string& sentences = settings().machine.probe;
  if (!sentences.empty() && exchange.leads())
    probe = std::make_unique<Probe>(sentences, request.directory, *tokenizers_);
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

// All ranks come to the same decision.
void PreparedRun::connect_devices() {
  const ExchangeChoice choice = settings().machine.exchange;
  const bool has_gpu = on->device().kind == Device::Kind::kCuda;
  if (choice == ExchangeChoice::kNccl) gpus = exchange::connect_gpus(exchange, *on);
  if (choice != ExchangeChoice::kAuto || !has_gpu || exchange.ranks() == 1) return;
  const std::int64_t shares_gpu[] = {exchange.local_rank() >= cuda_devices() ? 1 : 0};
  const bool some_share = std::ranges::max(exchange.gather(shares_gpu)) > 0;
  if (!some_share && !exchange::nccl_version().empty()) {
    gpus = exchange::connect_gpus(exchange, *on);
    return;
  }
  watcher.say(join("gradients are copied through the memory of the host, because ",
                   some_share ? "processes share a GPU" : "this build has no NCCL"));
}

void PreparedRun::divide_updates() {
  connect_devices();
  if (state.plan.tree_levels == 0) return;
  trainer->add_by_tree({.levels = static_cast<int>(state.plan.tree_levels), .buckets = state.plan.bucket_ranges()},
                       gpus ? *gpus : exchange);
}

void PreparedRun::build_model() {
  const DeviceAndType device_and_type = this->device_and_type();
  on = make_backend(device_and_type.device, {.threads = settings().machine.threads,
                                             .memory = static_cast<std::size_t>(state.plan.values),
                                             .gradient_memory = static_cast<std::size_t>(state.plan.gradients),
                                             .bf16_products = settings().run.bf16_products(),
                                             .report = [this](const std::string& sentence) { watcher.say(sentence); }});
  const std::string arithmetic = arithmetic_of(device_and_type.device);
  if (resumed_ && !is_same_arithmetic(state.arithmetic, arithmetic)) {
    watcher.say(
        fmt::format("the run was computed by {} so far, and continues with {}: sums may differ in their last bits",
                    state.arithmetic.empty() ? "an older program" : state.arithmetic, arithmetic));
  }
  state.arithmetic = arithmetic;
  if (exchange.leads()) machine_rate = exchange.ranks() * train::machine_rate(*on, device_and_type.dtype);
  model = config.make_model();
  block = std::make_unique<params::ParameterBlock>(*on, device_and_type.dtype, *model, params::Purpose::kTraining);
  trainer = std::make_unique<Trainer>(*model, *block, settings().training, settings().training.rates(config.width()));
  require<UsageError>(exchange.ranks() == 1 || block->buffer_tensors().empty(),
                      "this model keeps running statistics of its batches (batch normalisation or hard attention), so "
                      "it is trained by one process only.");
  require<UsageError>(exchange.ranks() == 1 || state.plan.tree_levels > 0, "the run in '", request.directory.string(),
                      "' adds its batches one after another, as an older version of dragoman did, so it can go on with "
                      "one process only.");
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
          .threads = settings().machine.threads,
          .rank = exchange.rank(),
          .ranks = exchange.ranks()};
}

// A rank takes the GPU of its number on its machine.
DeviceAndType PreparedRun::device_and_type() const {
  DeviceAndType chosen = settings().run.device_and_type();
  if (chosen.device.kind == Device::Kind::kCuda) chosen.device.index = exchange.local_rank() % cuda_devices();
  return chosen;
}

std::int64_t PreparedRun::vocabulary_bytes() const {
  return static_cast<std::int64_t>(tokenizers_->source.bytes().size() + tokenizers_->target.bytes().size());
}

TrainingTensors PreparedRun::tensors() const {
  TrainingTensors tensors{.weights = block->saved(), .moments = {}};
  const auto add = [&](const Array& flat, const std::string& prefix) {
    if (flat.absent()) return;
    for (params::NamedTensor& tensor : with_prefix(block->tensors_in(flat), prefix)) tensors.moments.push_back(tensor);
  };
  for (const optim::Moment& moment : trainer->optimiser().moments()) add(moment.values, moment.name + ".");
  add(trainer->average(), "average.");
  return tensors;
}

void tidy(const fs::path& directory, const RunState& state) {
  // Removes the frames of steps that this run has not reached; a new run keeps none. A checkpoint that is not scheduled
  // has no frame either; older versions of this program wrote one.
  const bool is_new = state.step == 0;
  decode::rewind_film(directory, is_new ? -1 : state.step - (state.scheduled ? 0 : 1));
  settle_best(directory, state.best);
  prune_checkpoints(directory, std::max(state.settings.machine.keep, state.settings.training.average));
}

}  // namespace dragoman::train
