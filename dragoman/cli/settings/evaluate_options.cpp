#include "dragoman/cli/settings/evaluate_options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/train/report/comparison.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// A flag and the file that it names for writing.
using NamedOutput = std::pair<std::string, std::string>;

void require_distinct(const std::vector<NamedOutput>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = i + 1; j < outputs.size(); ++j) {
      const fs::path a = fs::path(outputs[i].second).lexically_normal();
      const fs::path b = fs::path(outputs[j].second).lexically_normal();
      require<UsageError>(a.empty() || a == "-" || a != b, outputs[i].first, " and ", outputs[j].first,
                          " name the same file.");
    }
  }
}

}  // namespace

bool has_extension(const std::string& file, std::string_view extension) {
  std::string own = fs::path(file).extension().string();
  std::ranges::transform(own, own.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return own == extension;
}

void EvaluateOptions::validate() const {
  require<UsageError>(source != "-" || reference != "-", "only one file can be standard input (-).");
  require<UsageError>(!json || scores != "-",
                      "--json and --scores - both write to standard output; name a file for --scores.");
  require<UsageError>(output != "-", "--output needs a file; translations are not printed.");
  require<UsageError>(join >= 1, "join is ", join, "; it must be at least 1.");
  require_distinct({{"--output", output}, {"--scores", scores}});
  for (const std::string& path : {output, scores}) check_output_file(path, {source, reference});
}

void LengthOptions::validate(const EvaluateOptions& options, const CommandSettings& given) const {
  const bool is_used = by_length > 0;
  for (const char* key : {"length-scores", "chart", "compare"}) {
    given.require_effect(key, is_used, "without --by-length.");
  }
  if (!is_used) return;
  require<UsageError>(
      length_scores.empty() || has_extension(length_scores, ".tsv") || has_extension(length_scores, ".json"),
      "--length-scores needs a file that ends in .tsv or .json, not '", length_scores, "'.");
  require<UsageError>(chart.empty() || has_extension(chart, ".svg") || has_extension(chart, ".html"),
                      "--chart needs a file that ends in .svg or .html, not '", chart, "'.");
  require<UsageError>(compare.size() < train::kMaxComparedRuns, "a chart shows at most ", train::kMaxComparedRuns,
                      " systems, this one included, and --compare names ", compare.size(), "; name fewer.");
  require_distinct({{"--output", options.output},
                    {"--scores", options.scores},
                    {"--length-scores", length_scores},
                    {"--chart", chart}});
  std::vector<std::string> inputs = compare;
  inputs.insert(inputs.end(), {options.source, options.reference});
  for (const std::string& path : {options.output, options.scores, length_scores, chart}) {
    check_output_file(path, inputs);
  }
}

}  // namespace dragoman::cli
