// dragoman train: from text files to a model directory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "dragoman/base/failure.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/find_roles.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/invocation.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/training_watcher.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/exchange/exchange.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/checkpoint.h"
#include "dragoman/train/run.h"
#include "dragoman/train/run_state.h"

namespace dragoman::cli {
namespace {

constexpr const char *kProgram = "program", *kSettings = "settings";  // in the first message of rank 0

struct TrainOptions {
  std::string model;
  std::string init;
  std::string arch;
  std::string preset;
  bool allow_changes = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of the model; if it holds a run, the run is resumed");
    field("init", directory_name(init), "start from the weights and the vocabulary of this model");
    field("arch", arch, arch_help());
    field("preset", preset,
          "settings to start from; defaults to the first preset of the architecture; 'dragoman inspect --list' shows "
          "all");
    field("allow-changes", allow_changes, "resume although the settings differ from those that the run began with");
  }
};

// The settings before the command line changes them: those of the run in the directory, or of a preset. With --init,
// the sizes and the kind of vocabulary are those of the given model.
train::TrainingSettings starting_settings(const TrainOptions& options) {
  std::optional<train::RunState> stored;
  if (std::filesystem::exists(status_of(options.model))) {
    const DirectoryLock lock(options.model);  // so that no run replaces its checkpoints meanwhile
    stored = train::resumable_state(options.model, [](const std::string&) {});
  }
  if (stored && options.preset.empty() && options.init.empty()) return stored->settings;
  const model::Preset& preset =
      options.preset.empty() ? model::architecture(options.arch).presets.front() : model::preset(options.preset);
  train::TrainingSettings settings;
  settings.model = preset.model;
  settings.training = preset.training;
  if (!options.init.empty()) {
    const model::ModelInfo info = model::read_info(options.init);
    settings.model = info.config;
    settings.run.joint_vocabulary = info.joint_vocabulary;
  }
  return settings;
}

// Whether heads.json was made with the weights that the directory holds now.
bool has_current_roles(const std::string& directory) {
  try {
    const std::optional<Json> heads = decode::read_heads(directory, model::read_info(directory));
    return heads && heads->value("current", false);
  } catch (const Error&) {  // the file is damaged
    return false;
  }
}

// With --init, settings that change the sizes of the model cannot be given. The vocabulary is taken from it anyway.
void require_sizes_of_init(const std::string& init, const train::TrainingSettings& settings) {
  train::TrainingSettings before = settings, now = settings;
  before.model = model::read_info(init).config;
  now.model.set_vocabularies(before.model.source_vocabulary(), before.model.target_vocabulary());
  if (model::have_same_shapes(before.model, now.model)) return;
  throw UsageError(fmt::format("the model in '{}' has other sizes: {}; leave these settings out.", init,
                               fmt::join(train::differences(before, now), "; ")));
}

// The languages of the model to start from, where neither flags nor the names of the files tell them.
void take_languages_of_init(const std::string& init, train::TextSettings& text) {
  const model::ModelInfo info = model::read_info(init);
  if (text.source_language.empty()) text.source_language = info.source_language;
  if (text.target_language.empty()) text.target_language = info.target_language;
}

// Refuses or mentions flags that would change nothing. Presets and files may hold such settings.
void require_training_effects(const CommandSettings& given, const TrainOptions& options,
                              const train::TrainingSettings& settings) {
  const model::TrainingConfig& training = settings.training;
  const bool is_paper = training.schedule == optim::RateShape::kPaper;
  for (const char* key : {"peak-rate", "initial-rate"}) {
    given.require_effect(key, !is_paper,
                         "with the schedule paper; add --schedule inverse-sqrt, or use --rate-constant.");
  }
  given.require_effect("rate-constant", is_paper, "with the schedules inverse-sqrt and constant; use --peak-rate.");
  const bool is_adam = training.optimiser == model::OptimiserName::kAdam;
  for (const char* key : {"beta1", "beta2", "adam-epsilon"}) {
    given.require_effect(key, is_adam, "with the optimiser nesterov; use --momentum, or --optimiser adam.");
  }
  given.require_effect("momentum", !is_adam, "with the optimiser adam; add --optimiser nesterov, or use --beta1.");
  given.require_effect("decay-exempt", training.weight_decay > 0 || !training.decay_exempt,
                       "without weight decay; add --weight-decay.");
  given.require_effect("best-by", settings.text.has_validation(),
                       "without a validation text; name it with --valid-source and --valid-target.");
  const text::TokenizerKind kind = settings.tokenizer.kind;
  const bool has_subwords = kind == text::TokenizerKind::kBpe || kind == text::TokenizerKind::kUnigram;
  given.require_effect("subword-sampling", has_subwords || settings.run.subword_sampling == 0,
                       "with --tokenizer word or char, which cut a text in one way only.");
  given.require_effect("max-positions", settings_to_json(settings.model).value("positions", "") == "learned",
                       "without --positions learned.");
  for (const char* key : {"vocabulary", "source-vocabulary", "target-vocabulary"}) {
    if (options.init.empty() || !given.has_flag(key)) continue;
    note(join("train: --", key, " has no effect with --init, which takes the vocabulary of that model."));
  }
}

// Names of files that are probably wrong. The run goes on, because they may be meant.
void warn_about_texts(const train::TextSettings& text) {
  for (std::size_t i = 0; i < std::min(text.train_source.size(), text.train_target.size()); ++i) {
    if (text.train_source[i] != text.train_target[i]) continue;
    note(join("train: --train-source and --train-target name the same file, '", text.train_source[i], "'."));
  }
  if (text.train_source.empty() || text.valid_source.empty()) return;
  if (std::ranges::count(text.train_source, text.valid_source) > 0) {
    note(join("train: the validation text '", text.valid_source, "' is also training text, so its scores say little."));
  }
  const std::string& train_file = text.train_source.front();
  const std::string train_language = train::language_of(train_file), language = train::language_of(text.valid_source);
  if (train_language.empty() || language.empty() || train_language == language) return;
  note(join("train: '", train_file, "' is ", train_language, " by its name, but '", text.valid_source, "' is ",
            language, "; did you swap source and target?"));
}

// What to know and do after the run.
void print_summary(const train::RunRequest& request, const train::RunResult& result) {
  const std::string directory = request.directory.string();
  if (const train::SavingTimes& saving = result.saving; saving.checkpoints > 0) {
    note(fmt::format("saving: training waited {:.1f} ms for a checkpoint, and {:.1f} ms at most ({})",
                     1000 * saving.seconds / static_cast<double>(saving.checkpoints), 1000 * saving.longest,
                     counted(saving.checkpoints, "checkpoint").text()));
  }
  if (result.best) {
    note(fmt::format("best validation: {} (step {})", scores_text(result.best->scores),
                     with_thousands(result.best->step)));
  }
  if (result.ending == train::Ending::kAllSteps && result.step == result.first_step) {
    note("give more steps with --steps");
  }
  if (result.weights.empty()) return;
  note(fmt::format("model: {} ({})", directory, result.weights));
  note(fmt::format("report: {}", (request.directory / "report.html").string()));
  const bool on_gpu = request.settings.run.device == DeviceChoice::kCuda;
  note(fmt::format("next: {} translate --model {}{}", program_call(), shell_word(directory),
                   on_gpu ? " --device cuda" : ""));
}

// Rank 0 of a run, or its only process.
void lead(CommandSettings& given, const TrainOptions& options, exchange::Exchange& ranks) {
  model::require_directory_name(options.model);
  std::error_code missing;
  require<UsageError>(options.init.empty() || !std::filesystem::equivalent(options.model, options.init, missing),
                      "--init and --model name the same directory; leave out --init to go on with the run in it, or "
                      "name a new directory with --model.");
  train::RunRequest request{.directory = options.model,
                            .init = options.init,
                            .settings = starting_settings(options),
                            .allow_changes = options.allow_changes};
  const std::string_view arch = request.settings.model.arch();
  require<UsageError>(arch == given.architecture(), "arch is ", given.architecture(), ", but ",
                      !options.init.empty()     ? "the model to start from"
                      : !options.preset.empty() ? "the preset"
                                                : "the run in this directory",
                      " is of the architecture ", arch, "; leave one of them out.");
  train::TrainingSettings::each(request.settings, [&](auto& part) { given.apply(part); });
  require_training_effects(given, options, request.settings);
  const train::TextSettings& text = request.settings.text;
  const bool has_text = !text.train_source.empty() || !text.train_target.empty() || !text.train_pairs.empty();
  const bool starts_again = !options.preset.empty() || !options.init.empty();
  require<UsageError>(has_text || !starts_again || train::list_checkpoints(options.model).empty(), "with ",
                      options.preset.empty() ? "--init" : "--preset", " the run in '", options.model,
                      "' is not resumed with its own settings and text; leave the flag out, or name the text with "
                      "--train-source and --train-target, or with --train-pairs.");
  require<UsageError>(has_text, "'", options.model,
                      "' holds no run to resume, and there is no text to train on; name it with --train-source and "
                      "--train-target, or with --train-pairs.");
  request.settings.text.resolve_languages();
  if (!options.init.empty()) take_languages_of_init(options.init, request.settings.text);
  given.validate_as_given([&] { request.settings.validate(); },
                          [&](const auto& rename) { train::TrainingSettings::each(request.settings, rename); });
  if (!options.init.empty()) require_sizes_of_init(options.init, request.settings);
  warn_about_texts(request.settings.text);
  const std::string again = join(program_call(), " train --model ", shell_word(options.model));
  ranks.broadcast(json_text(Json{{kProgram, train::program_name()}, {kSettings, to_json(request.settings)}}));
  const train::RunResult result = watch_training(request, "to continue: " + again, ranks);
  const train::TrainingSettings& used = request.settings;
  const bool has_roles = result.step == result.first_step && has_current_roles(request.directory);
  if (!result.weights.empty() && used.text.has_validation() && !has_roles) {
    save_roles(request.directory, used.text.validation_files(), kRoleSentencesOfTraining, device_of(used.run.device),
               used.machine.threads);
  }
  print_summary(request, result);
}

// Rank 0 of several, which names itself if it fails.
void lead_others(CommandSettings& given, const TrainOptions& options, exchange::Exchange& ranks) {
  try {
    lead(given, options, ranks);
  } catch (const UsageError&) {
    throw;
  } catch (const exchange::RankError&) {
    throw;
  } catch (const std::exception&) {
    throw Error(join("rank 0 failed: ", failure_sentence(std::current_exception())));
  }
}

// What rank 0 tells the others first.
train::TrainingSettings settings_of_rank_0(const std::string& told) {
  const std::string where = "the settings of rank 0";
  const Json object = parse_json(told, where);
  const auto program = json_entry<std::string>(object, kProgram, where), own = train::program_name();
  require<Error>(program == own, "this is ", own, ", but rank 0 is ", program, "; all must be the same program.");
  return train::settings_from_json(json_entry<Json>(object, kSettings, where), where);
}

// Another rank, which takes the settings of rank 0 and leaves reports to it.
void follow(const TrainOptions& options, exchange::Exchange& ranks) {
  try {
    follow_training({.directory = options.model,
                     .init = options.init,
                     .settings = settings_of_rank_0(ranks.broadcast("")),
                     .allow_changes = options.allow_changes},
                    ranks);
  } catch (const exchange::RankError&) {
    ranks.wait_for_end();
    throw;
  } catch (...) {
    ranks.report_failure(failure_sentence(std::current_exception()));
    throw;
  }
}

void train_model(CommandSettings& given) {
  given.read_file();
  TrainOptions options;
  given.apply(options);
  const std::unique_ptr<exchange::Exchange> ranks =
      exchange::join_ranks([](const std::string& sentence) { note("train: " + sentence); });
  if (!ranks->leads()) return follow(options, *ranks);
  ranks->ranks() == 1 ? lead(given, options, *ranks) : lead_others(given, options, *ranks);
}

}  // namespace

void add_train(CLI::App& program, const RequestedArchitecture& requested) {
  CommandSettings& settings = add_command(program, "train", "learn to translate from text files", train_model);
  settings.add_flags(TrainOptions{}, "Options");
  settings.add_flags(train::TextSettings{}, "Text (plain, gzip, zstd or xz; several files as a,b,c)");
  settings.add_flags(train::RunSettings{}, "Run");
  settings.add_flags(train::MachineSettings{},
                     "Machine (may change when a run is resumed, like the number of processes of mpirun)");
  settings.add_flags(text::TokenizerSettings{}, "Vocabulary");
  settings.add_flags(data::CleaningSettings{}, "Cleaning");
  const model::Preset& first = model::architecture(requested.name).presets.front();
  settings.add_flags(first.training, "Training (defaults are those of " + first.name + ")");
  add_model_flags(settings, requested);
  settings.require_keys({"model"});
  settings.add_examples(
      {{"train a small model on the text of the demo",
        "dragoman train --model english-german --preset demo --keep 3 --save-every 100 \\\n"
        "  --train-source dragoman-demo/text/train.en --train-target dragoman-demo/text/train.de \\\n"
        "  --valid-source dragoman-demo/text/valid.en --valid-target dragoman-demo/text/valid.de"},
       {"go on with the run in that directory, for more steps", "dragoman train --model english-german --steps 1200"}});
}

}  // namespace dragoman::cli
