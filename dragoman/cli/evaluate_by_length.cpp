#include "dragoman/cli/evaluate_by_length.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/path_names.h"
#include "dragoman/base/utf8.h"
#include "dragoman/cli/show/length_table.h"
#include "dragoman/train/report/length_chart.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

constexpr eval::Trials kTrials{};
constexpr std::size_t kMaxFile = std::size_t{1} << 26;  // of --compare, in bytes

std::string interval_signature(const eval::Metric& bleu) {
  return eval::signature(bleu, 1, eval::resampling_text(eval::Resampling::kBootstrap, kTrials));
}

// Names of files may have any bytes, but pages and JSON need UTF-8.
std::string valid_name(const std::string& name) { return to_utf8(to_code_points(name)); }

// The names of the files without extension, with as much of their paths as makes them different. Two files that differ
// only in their extensions keep them.
std::vector<std::string> file_names(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    require<UsageError>(std::ranges::count(files, file) == 1, "--compare names '", file, "' twice; name it once.");
  }
  const std::vector<std::string> whole = distinct_names({files.begin(), files.end()});
  std::vector<std::string> stems, names;
  for (const std::string& name : whole) stems.push_back(fs::path(name).replace_extension().string());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    names.push_back(valid_name(std::ranges::count(stems, stems[i]) == 1 ? stems[i] : whole[i]));
  }
  return names;
}

eval::LengthReport read_system(const std::string& file) {
  const Json record = try_parse_json(read_file(file, kMaxFile));
  const std::string where = join("--compare needs files that --length-scores wrote as .json; '", file, "'");
  require<UsageError>(!record.is_discarded(), where, " is not JSON.");
  return eval::read_length_record(record, where);
}

void require_comparable(const eval::LengthReport& system, const std::string& file, int width,
                        const ChosenMetrics& metrics) {
  require<UsageError>(system.scores.width == width, "'", file, "' has buckets of ",
                      counted(system.scores.width, "word"), ", and --by-length is ", width,
                      "; only buckets of the same width can be compared.");
  const std::string bleu = interval_signature(*metrics[0]), chrf = eval::signature(*metrics[1], 1);
  require<UsageError>(system.bleu_signature == bleu, "'", file, "' has BLEU|", system.bleu_signature,
                      ", which cannot be compared with BLEU|", bleu, "; score both in the same way.");
  require<UsageError>(system.chrf_signature == chrf, "'", file, "' has ", system.chrf_name, "|", system.chrf_signature,
                      ", which cannot be compared with ", metrics[1]->name(), "|", chrf,
                      "; score both in the same way.");
}

std::string own_name(const LengthOptions& options, const std::vector<std::string>& models) {
  if (!options.length_scores.empty()) return valid_name(fs::path(options.length_scores).stem().string());
  std::string name;
  for (const std::string& model : models) name += (name.empty() ? "" : " + ") + distinct_names({model}).front();
  return valid_name(name);
}

}  // namespace

std::vector<eval::LengthReport> compared_systems(const LengthOptions& options, const MetricSettings& metrics) {
  std::vector<eval::LengthReport> systems;
  if (options.by_length == 0) return systems;
  const std::vector<std::string> names = file_names(options.compare);
  for (std::size_t i = 0; i < names.size(); ++i) {
    systems.push_back(read_system(options.compare[i]));
    systems.back().name = names[i];
    require_comparable(systems.back(), options.compare[i], options.by_length, metrics.metrics(ScoreLevel::kCorpus));
  }
  return systems;
}

eval::LengthReport length_report(const LengthOptions& options, const std::vector<std::string>& models,
                                 const TestSet& set, const Evaluation& evaluation) {
  const eval::Metric &bleu = *evaluation.metrics[0], &chrf = *evaluation.metrics[1];
  const eval::ScoredSources scored{.sources = set.sources,
                                   .bleu = bleu,
                                   .bleu_statistics = evaluation.statistics[0],
                                   .chrf = chrf,
                                   .chrf_statistics = evaluation.statistics[1]};
  return {.name = own_name(options, models),
          .join = evaluation.join,
          .bleu_signature = interval_signature(bleu),
          .chrf_name = chrf.name(),
          .chrf_signature = eval::signature(chrf, 1),
          .scores = eval::scores_by_length(scored, options.by_length, kTrials)};
}

std::vector<eval::LengthReport> with_compared(eval::LengthReport own, std::vector<eval::LengthReport> compared) {
  if (std::ranges::count(compared, own.name, &eval::LengthReport::name) > 0) own.name += " (this run)";
  compared.insert(compared.begin(), std::move(own));
  return compared;
}

void write_length_scores(const LengthOptions& options, const std::vector<eval::LengthReport>& systems) {
  if (options.length_scores.empty()) return;
  replace_file(options.length_scores, has_extension(options.length_scores, ".json")
                                          ? json_text(eval::length_record(systems.front()), 2) + "\n"
                                          : length_table_tsv(systems.front()));
}

void write_length_chart(const LengthOptions& options, const std::vector<eval::LengthReport>& systems) {
  if (options.chart.empty()) return;
  replace_file(options.chart,
               has_extension(options.chart, ".svg") ? train::length_svg(systems) : train::length_page(systems));
}

}  // namespace dragoman::cli
