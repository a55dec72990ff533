#include "dragoman/study/ablate/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/threads.h"
#include "dragoman/data/content_hash.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/study/ablate/table_text.h"
#include "dragoman/train/plan.h"
#include "dragoman/train/vocabulary.h"

namespace dragoman::study::ablate {
namespace {

namespace fs = std::filesystem;

// What the record of a table holds: the settings of base, and hashes of the contents of the texts.
struct Record {
  train::TrainingSettings settings;
  std::vector<std::string> texts;
};

std::vector<std::string> text_hashes(const train::TextSettings& text, data::ContentHashes& hashes) {
  std::vector<data::ParallelFiles> files = text.training_files();
  files.push_back(text.validation_files());
  std::vector<std::string> all;
  for (const data::ParallelFiles& pair : files) {
    all.push_back(hashes.of(pair.source));
    if (!pair.target.empty()) all.push_back(hashes.of(pair.target));
  }
  return all;
}

Record read_record(const fs::path& file) {
  const std::string where = "'" + file.string() + "'";
  const Json object = parse_json(read_file(file), where);
  Record record{.settings = train::settings_from_json(json_entry<Json>(object, "settings", where), where), .texts = {}};
  for (const Json& hash : json_entry<Json>(object, "texts", where)) record.texts.push_back(setting_text(hash, where));
  return record;
}

// "dropout was 0.1 and is 0.3"
std::vector<std::string> differences(const Record& before, const Record& now) {
  std::vector<std::string> found = train::differences(before.settings, now.settings);
  const auto compare = [&](std::string_view key, auto old_value, auto value) {
    if (old_value != value) found.push_back(join(key, " was ", old_value, " and is ", value));
  };
  compare("steps", before.settings.training.steps, now.settings.training.steps);
  compare("minutes", before.settings.machine.minutes, now.settings.machine.minutes);
  if (before.texts != now.texts) found.emplace_back("the texts are not the same");
  return found;
}

// Whether nothing was written to the directory, except perhaps by a process that was killed at its beginning.
bool is_new(const fs::path& directory) { return std::ranges::all_of(list_directory(directory), is_unfinished); }

// The first lines of all texts and the device are tried before the directory is made, so that a mistyped name does not
// leave one behind.
fs::path checked_directory(const StudyRequest& request) {
  const fs::path& directory = request.directory;
  require<UsageError>(
      is_new(directory) || fs::exists(status_of(TableFiles{directory}.record())), "'", directory.string(),
      "' holds something else than a table of dragoman ablate; choose another directory with --output.");
  train::memory_limit(request.settings);  // throws if there is no such device
  std::string source, target;
  std::vector<data::ParallelFiles> files = request.settings.text.training_files();
  files.push_back(request.settings.text.validation_files());
  for (const data::ParallelFiles& pair : files) {
    require<UsageError>(data::ParallelReader(pair).next(source, target), "'", pair.source, "' is empty.");
  }
  return directory;
}

class Study {
 public:
  Study(const StudyRequest& request, Watcher& watcher)
      : request_(request),
        watcher_(watcher),
        is_new_(is_new(request.directory)),
        lock_(checked_directory(request)),
        files_{request.directory} {
    const RemovedIfFailed removed_if_failed(request.directory, is_new_);
    open();
    watcher.begin();
    for (const std::string& sentence : request.chosen.left_out) watcher.say(sentence);
    provide_vocabulary();
    write_validation_text();
    form_results();
  }

  StudyResult run() {
    const JobOptions options{.jobs = request_.jobs,
                             .program = request_.program,
                             .files = files_,
                             .changed = [&](const std::vector<FailedRun>& failed) { write_table(failed); }};
    const JobsResult result = run_tasks(tasks(), options, watcher_);
    return {.table = write_table(result.failed), .is_stopped = result.is_stopped};
  }

 private:
  // Compares the settings with those of the table in the directory, or records them. The memory of a run is decided
  // once, because it can decide the bits of the result.
  void open() {
    Record record{.settings = comparable(request_.settings), .texts = {}};
    record.settings.text = request_.settings.text;
    data::ContentHashes hashes(files_.text_hashes());
    record.texts = text_hashes(record.settings.text, hashes);
    OptionalSize& memory = record.settings.machine.memory_mb;
    if (is_new_) {
      const std::int64_t limit = train::memory_limit(record.settings) >> 20;
      if (memory == 0) memory = static_cast<int>(std::max<std::int64_t>(1, limit / request_.jobs));
      const Json object{{"settings", to_json(record.settings)}, {"texts", record.texts}};
      replace_file(files_.record(), object.dump(2) + "\n");
    } else {
      const Record before = read_record(files_.record());
      const std::vector<std::string> changes = differences(before, record);
      require<UsageError>(changes.empty(), "the table in '", request_.directory.string(),
                          "' was begun with other settings: ", fmt::format("{}", fmt::join(changes, "; ")),
                          "; use the same, or choose another directory with --output.");
      if (memory == 0) memory = before.settings.machine.memory_mb;
    }
    hashes.save();
    memory_mb_ = memory;
  }

  void provide_vocabulary() {
    const fs::path& directory = files_.vocabulary();
    if (!model::has_tokenizers(directory)) {
      make_directory(directory);
      const auto say = [&](const std::string& sentence) { watcher_.say(sentence); };
      const model::Tokenizers learned = train::provide_tokenizers(comparable(request_.settings),
                                                                  {.directory = directory, .init = {}, .message = say});
      model::write_tokenizers(directory, learned, request_.settings.run.joint_vocabulary);
    }
  }

  void write_validation_text() const {
    data::ParallelReader reader(request_.settings.text.validation_files());
    std::string sources, references;
    for (std::string source, target; reader.next(source, target);) {
      sources += source + "\n";
      references += target + "\n";
    }
    replace_file(files_.source(), sources);
    replace_file(files_.references(), references);
  }

  void form_results() {
    const model::Tokenizers tokenizers = model::read_tokenizers(files_.vocabulary());
    for (const Row& row : request_.chosen.rows) {
      model::ModelConfig config = row.settings.model;
      config.set_vocabularies(tokenizers.source.size(), tokenizers.target.size());
      results_.push_back({.row = row, .parameters = model::parameter_count(config)});
      costs_.push_back(config.training_flops(kSentence, kSentence));
    }
  }

  std::vector<std::uint64_t> seeds() const {
    std::vector<std::uint64_t> all;
    for (int i = 0; i < request_.seeds; ++i) {
      all.push_back(request_.settings.training.seed + static_cast<std::uint64_t>(i));
    }
    return all;
  }

  // Seed after seed, so that the table is complete early, with few seeds.
  std::vector<Task> tasks() const {
    std::vector<Task> all;
    for (const std::uint64_t seed : seeds()) {
      for (std::size_t i = 0; i < results_.size(); ++i) {
        const Row& row = results_[i].row;
        train::TrainingSettings settings = row.settings;
        settings.training.seed = seed;
        settings.machine.memory_mb = memory_mb_;
        settings.machine.report_every =
            std::clamp(settings.training.steps / kReports, 1, settings.machine.report_every);
        if (settings.machine.threads == 0) settings.machine.threads = std::max(1, available_threads() / request_.jobs);
        all.push_back({.row = row.name,
                       .seed = seed,
                       .files = files_.run(row.name, seed),
                       .settings = std::move(settings),
                       .cost = costs_[i]});
      }
    }
    return all;
  }

  void read_finished_runs() {
    for (RowResults& result : results_) {
      for (const std::uint64_t seed : seeds()) {
        if (std::ranges::count(result.runs, seed, &RunScores::seed) > 0) continue;
        const RunFiles files = files_.run(result.row.name, seed);
        const std::optional<RunResult> found = read_result(files);
        if (!found) continue;
        result.runs.push_back({.seed = seed, .nll = found->nll, .hypotheses = read_lines(files.hypotheses())});
      }
    }
  }

  std::vector<std::string> protocol() const {
    const train::TrainingSettings& settings = request_.settings;
    const std::string minutes = settings.machine.minutes > 0
                                    ? fmt::format("{} minutes, but at most ", settings.machine.minutes)
                                    : std::string();
    const bool has_big = request_.chosen.rows.back().name == kBigRow;
    return {fmt::format("Each run had {}{}{}. The weights are the last ones, without averaging.", minutes,
                        counted(settings.training.steps, "step").text(), has_big ? " (big three times as much)" : ""),
            fmt::format("The {} of the validation text were translated with a beam of 4 and alpha 0.6.",
                        counted(std::ssize(references_), "sentence").text()),
            "All rows had the same text, vocabulary and seeds."};
  }

  Table write_table(const std::vector<FailedRun>& failed) {
    if (references_.empty()) references_ = read_lines(files_.references());
    read_finished_runs();
    const eval::BleuMetric bleu({.tokenizer = eval::tokenization_for(request_.settings.text.target_language)});
    const eval::Trials trials;
    Table table{.rows = table_rows(results_, references_, bleu, trials),
                .failed = failed,
                .signature = eval::signature(bleu, 1, eval::resampling_text(eval::Resampling::kBootstrap, trials)),
                .protocol = protocol()};
    replace_file(files_.markdown(), table_markdown(table));
    replace_file(files_.json(), json_text(table_json(table), 2) + "\n");
    replace_file(files_.page(), table_page(table));
    return table;
  }

  static constexpr std::int64_t kSentence = 25;  // tokens of a sentence, for the cost of a step
  static constexpr int kReports = 100;           // of a run, for the progress

  const StudyRequest& request_;
  Watcher& watcher_;
  bool is_new_;
  DirectoryLock lock_;
  TableFiles files_;
  int memory_mb_ = 0;                // of each run
  std::vector<RowResults> results_;  // of each row
  std::vector<double> costs_;        // of a step of each row
  std::vector<std::string> references_;
};

}  // namespace

train::TrainingSettings comparable(train::TrainingSettings settings) {
  settings.text.valid_source.clear();
  settings.text.valid_target.clear();
  settings.text.valid_pairs.clear();
  settings.training.average = 0;
  settings.training.ema = 0;
  const train::RunSettings defaults;
  settings.run.valid_every = defaults.valid_every;
  settings.run.valid_bleu_sentences = defaults.valid_bleu_sentences;
  settings.run.best_by = defaults.best_by;
  settings.run.patience = defaults.patience;
  settings.machine.keep = 1;
  settings.machine.probe.clear();
  settings.machine.csv = settings.machine.tensorboard = false;
  return settings;
}

StudyResult run_study(const StudyRequest& request, Watcher& watcher) { return Study(request, watcher).run(); }

}  // namespace dragoman::study::ablate
