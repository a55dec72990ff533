// dragoman ablate: Table 3 of the paper, for any configuration and text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/child_process.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/progress.h"
#include "dragoman/cli/signals.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/study/ablate/study.h"
#include "dragoman/study/ablate/table_text.h"

namespace dragoman::cli {
namespace {

namespace ablate = study::ablate;

struct AblateOptions {
  std::string output;
  std::string arch;
  std::string preset;
  std::vector<std::string> rows{"all"};
  int seeds = 3;
  int jobs = 1;
  bool absolute = false;
  bool list = false;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("output", directory_name(output), "directory of the table and its runs; if it holds them, they are resumed");
    field("arch", arch, arch_help());
    field("preset", preset, "settings of the row base; 'dragoman inspect --list' shows all presets");
    field("rows", rows,
          "groups of rows (A, B, C, D, E, F, big), single ones such as C-N2, or all; base is always there");
    field("seeds", seeds, "runs of each row, with different seeds");
    field("jobs", jobs, "runs at a time; they share the threads and the memory");
    field("absolute", absolute, "give base the sizes of the paper's base model, and so all rows those of the paper");
    field("list", list, "list the rows and what differs from base, and run nothing");
    field("json", json, "print JSON");
  }

  void validate() const {
    require_between("seeds", seeds, 1, 100);
    require_between("jobs", jobs, 1, 100);
    require<UsageError>(!rows.empty(), "rows is empty; name rows such as A,C-N2, or all.");
  }
};

// Settings of training that have no effect here: there is no averaging, and no validation during training. A file may
// hold them, because it may be that of a training.
constexpr std::array<std::string_view, 10> kWithoutEffect{
    "average", "ema",   "valid-every", "valid-bleu-sentences", "best-by", "patience",
    "keep",    "probe", "csv",         "tensorboard"};

// The settings without those.
template <class Config>
struct Effective {
  Config config;

  template <class Visitor>
  void fields(Visitor&& field) {
    config.fields([&](std::string_view key, auto&& value, std::string_view help) {
      if (std::ranges::find(kWithoutEffect, key) == kWithoutEffect.end()) field(key, value, help);
    });
  }
};

// Shows what is under way.
class TableWatcher : public ablate::Watcher {
 public:
  explicit TableWatcher(std::string plan) : plan_(std::move(plan)) {}

  void begin() override { say("what will run:\n" + plan_); }
  void say(const std::string& sentence) override { line_.say(sentence); }
  void progressed(const ablate::Progress& progress) override {
    constexpr double kWhole = 10000;
    std::string text = fmt::format("{}/{} runs", progress.finished, progress.runs);
    if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
    for (const ablate::RunProgress& run : progress.under_way) {
      text += fmt::format("  {}/{} ", run.row, run.seed);
      text +=
          run.is_evaluated ? "evaluated" : fmt::format("{}/{}", with_thousands(run.step), with_thousands(run.steps));
    }
    line_.show({.done = std::llround(kWhole * progress.share),
                .total = static_cast<std::int64_t>(kWhole),
                .text = text,
                .seconds_left = progress.seconds_left});
  }
  bool wants_stop() override { return stop_.was_made(); }

  void finish() { line_.finish(); }
  int signal() const { return stop_.signal(); }

 private:
  std::string plan_;
  StopRequest stop_;
  ProgressLine line_{ProgressOptions{.seconds_between = 60}};
};

// What will run: the rows, each with its change and its steps.
Json plan_json(const ablate::ChosenRows& chosen, int seeds) {
  Json rows = Json::array();
  for (const ablate::Row& row : chosen.rows) {
    rows.push_back({{"row", row.name}, {"change", row.change}, {"steps", row.settings.training.steps}});
  }
  return {{"rows", rows}, {"seeds", seeds}, {"runs", std::ssize(chosen.rows) * seeds}};
}

std::string plan_text(const ablate::ChosenRows& chosen, int seeds) {
  std::string text;
  for (const ablate::Row& row : chosen.rows) {
    const std::string change = row.name == ablate::kBaseRow ? "the model that the others vary" : row.change;
    text += fmt::format("  {:<10} {:>9} steps  {}\n", row.name, with_thousands(row.settings.training.steps), change);
  }
  const auto rows = std::ssize(chosen.rows);
  return text + join(counted(rows, "row"), " with ", counted(seeds, "seed"), rows == 1 ? "" : " each", ": ",
                     counted(rows * seeds, "run"));
}

void list_rows(const ablate::ChosenRows& chosen, const AblateOptions& options) {
  if (options.json) return print(plan_json(chosen, options.seeds).dump(2) + "\n");
  for (const std::string& sentence : chosen.left_out) note(sentence);
  print(plan_text(chosen, options.seeds) + "\n");
}

// All settings as text, shorthands such as layers among them.
std::map<std::string, std::string> texts_of(train::TrainingSettings settings) {
  std::map<std::string, std::string> texts;
  train::TrainingSettings::each(settings, [&](auto& part) {
    each_key(part,
             [&](std::string_view key, auto&& value, std::string_view) { texts.emplace(key, write_value(value)); });
  });
  return texts;
}

train::TrainingSettings settings_of_base(const CommandSettings& given, const AblateOptions& options) {
  const model::Preset& preset =
      options.preset.empty() ? model::architecture(options.arch).presets.front() : model::preset(options.preset);
  require<UsageError>(preset.model.arch() == given.architecture(), "arch is ", given.architecture(),
                      ", but the preset is of the architecture ", preset.model.arch(), "; leave one of them out.");
  train::TrainingSettings settings;
  settings.model = preset.model;
  settings.training = preset.training;
  train::TrainingSettings::each(settings, [&](auto& part) { given.apply(part); });
  settings.text.resolve_languages();
  if (options.absolute) {
    train::TrainingSettings absolute = ablate::with_paper_numbers(settings);
    const std::map<std::string, std::string> before = texts_of(settings), after = texts_of(absolute);
    for (const auto& [key, value] : before) {
      given.require_effect(key, after.at(key) == value, "with --absolute, which takes the paper's numbers.");
    }
    settings = std::move(absolute);
  }
  given.validate_as_given([&] { settings.validate(); },
                          [&](const auto& rename) { train::TrainingSettings::each(settings, rename); });
  require<UsageError>(settings.text.has_validation() || options.list,
                      "there is no validation text, on which the rows are compared; name it with --valid-source and "
                      "--valid-target, or with --valid-pairs.");
  return settings;
}

void make_table(CommandSettings& given) {
  given.read_file();
  AblateOptions options;
  given.apply(options);
  options.validate();
  const train::TrainingSettings settings = settings_of_base(given, options);
  const ablate::ChosenRows chosen = ablate::choose_rows(ablate::comparable(settings), options.rows);
  if (options.list) return list_rows(chosen, options);
  TableWatcher watcher(plan_text(chosen, options.seeds));
  const ablate::StudyResult result = ablate::run_study({.directory = options.output,
                                                        .settings = settings,
                                                        .chosen = chosen,
                                                        .seeds = options.seeds,
                                                        .jobs = options.jobs,
                                                        .program = kThisProgram},
                                                       watcher);
  watcher.finish();
  if (result.is_stopped) {
    note("stopped; run the same command again to continue");
    throw Stopped{watcher.signal()};
  }
  print(options.json ? json_text(table_json(result.table), 2) + "\n" : table_markdown(result.table));
  const auto failed = std::ssize(result.table.failed);
  require<Error>(failed == 0, counted(failed, "run"), " failed; run the same command again to try ",
                 failed == 1 ? "it" : "them", " again.");
}

}  // namespace

void add_ablate(CLI::App& program, const RequestedArchitecture& requested) {
  CommandSettings& settings =
      add_command(program, "ablate", "train variations of a model and compare them: Table 3 of the paper", make_table);
  settings.add_flags(AblateOptions{}, "Options");
  settings.add_flags(train::TextSettings{}, "Text (plain, gzip, zstd or xz; several files as a,b,c)");
  settings.add_flags(Effective<train::RunSettings>{}, "Run");
  settings.add_flags(Effective<train::MachineSettings>{}, "Machine");
  settings.add_flags(text::TokenizerSettings{}, "Vocabulary");
  settings.add_flags(data::CleaningSettings{}, "Cleaning");
  const model::Preset& first = model::architecture(requested.name).presets.front();
  settings.add_flags(Effective<model::TrainingConfig>{first.training},
                     "Training (defaults are those of " + first.name + ")");
  add_model_flags(settings, requested);
  settings.allow_in_file(train::RunSettings{});
  settings.allow_in_file(train::MachineSettings{});
  settings.allow_in_file(first.training);
  settings.require_keys({"output"}, "list");
  settings.add_examples({{"which runs the next example makes",
                          "dragoman ablate --preset demo --rows A,C-N1,C-N4 --seeds 2 --steps 200 --list"},
                         {"fewer and more heads, and other depths, with two seeds each",
                          "dragoman ablate --output heads --preset demo --rows A,C-N1,C-N4 --seeds 2 --steps 200 \\\n"
                          "  --train-source dragoman-demo/text/train.en --train-target dragoman-demo/text/train.de \\\n"
                          "  --valid-source dragoman-demo/text/valid.en --valid-target dragoman-demo/text/valid.de"},
                         {"one row of the same table as JSON; its runs are not made again",
                          "dragoman ablate --output heads --preset demo --rows C-N1 --seeds 2 --steps 200 --json \\\n"
                          "  --train-source dragoman-demo/text/train.en --train-target dragoman-demo/text/train.de \\\n"
                          "  --valid-source dragoman-demo/text/valid.en --valid-target dragoman-demo/text/valid.de"}});
}

}  // namespace dragoman::cli
