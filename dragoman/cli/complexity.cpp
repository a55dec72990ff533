// dragoman complexity: measures Table 1 of the paper.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/progress.h"
#include "dragoman/study/complexity/study.h"
#include "dragoman/train/settings.h"

namespace dragoman::cli {
namespace {

using study::LayerKind;

struct ComplexityOptions {
  std::vector<std::string> layers{"all"};
  std::vector<std::string> n{"64:4096"}, d{"128:1024"}, path_n{"16", "50", "128", "512", "1024"};
  std::int64_t d_k = 64, k = 3, r = 65, rows = 8192, sentences = 4;
  int rounds = 5, threads = 0;
  bool causal = false, counts_only = false, json = false;
  DeviceChoice device = DeviceChoice::kCpu;
  train::TrainingPrecision precision = train::TrainingPrecision::kAuto;
  std::string output;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("layers", layers,
          "layers to measure: self, self+projections, restricted, recurrent, lstm, convolution, dilated, separable, or "
          "all");
    field("n", n, "lengths of sentences; a:b means a, 2a, 4a, ... up to b");
    field("d", d, "widths of layers, in the same form");
    field("path-n", path_n, "lengths of sentences for path lengths");
    field("d-k", d_k, "width of an attention head, which divides every d");
    field("k", k, "taps of convolutions; odd");
    field("r", r, "positions of the window of restricted self-attention; odd");
    field("causal", causal, "no position sees a later one, as in a decoder");
    field("rows", rows, "positions of a batch: it has rows / n sentences");
    field("sentences", sentences, "sentences of a batch for recurrent layers");
    field("counts-only", counts_only, "measure no times");
    field("rounds", rounds, "times to measure each time; the median counts");
    field("device", device, "device to compute on: cpu, or cuda for an NVIDIA GPU");
    field("precision", precision, "auto is bf16 on a GPU and fp32 on the CPU");
    field("threads", threads, "threads to use; 0 for all");
    field("json", json, "print JSON");
    field("output", file_name(output), "also write a page with charts, such as complexity.html");
  }
};

std::int64_t read_size(std::string_view key, std::string_view text) {
  std::int64_t size = 0;
  read_value(size, text, join("--", key));
  return size;
}

// Sorted, without repetitions. A range doubles its first number up to its last.
std::vector<std::int64_t> read_sizes(std::string_view key, const std::vector<std::string>& words) {
  std::vector<std::int64_t> sizes;
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) {
      sizes.push_back(read_size(key, word));
      continue;
    }
    const std::int64_t first = read_size(key, word.substr(0, colon)), last = read_size(key, word.substr(colon + 1));
    require<UsageError>(first >= 1 && first <= last && last <= (1 << 30), "--", key, ": '", word,
                        "' is not a range of sizes; write it as 64:512.");
    for (std::int64_t size = first; size <= last; size *= 2) sizes.push_back(size);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

std::vector<LayerKind> read_layers(const std::vector<std::string>& words) {
  std::vector<LayerKind> all;
  for (std::size_t i = 0; i < names(LayerKind{}).size(); ++i) all.push_back(static_cast<LayerKind>(i));
  if (words == std::vector<std::string>{"all"}) return all;
  std::vector<LayerKind> layers;
  for (const std::string& word : words) {
    read_value(layers.emplace_back(), word, "--layers");
    require<UsageError>(std::ranges::count(layers, layers.back()) == 1, "--layers names '", word, "' twice.");
  }
  return layers;
}

study::ComplexitySettings study_settings(const ComplexityOptions& options) {
  train::RunSettings run;
  run.device = options.device;
  run.precision = options.precision;
  require<UsageError>(!run.bf16_products(),
                      "precision is bf16, which needs a GPU: add --device cuda, or leave it out.");
  study::ComplexitySettings settings{
      .layers = read_layers(options.layers),
      .n = read_sizes("n", options.n),
      .d = read_sizes("d", options.d),
      .path_n = read_sizes("path-n", options.path_n),
      .sizes = {.d_k = options.d_k, .k = options.k, .r = options.r, .causal = options.causal},
      .rows = options.rows,
      .sentences = options.sentences,
      .device = options.device,
      .dtype = run.device_and_type().dtype,
      .threads = options.threads,
      .times = !options.counts_only,
      .timing = {}};
  settings.timing.rounds = options.rounds;
  settings.validate();
  return settings;
}

void complexity(CommandSettings& settings) {
  settings.read_file();
  ComplexityOptions options;
  settings.apply(options);
  settings.require_effect("rounds", !options.counts_only, "with --counts-only, which measures no times.");
  const study::ComplexitySettings chosen = study_settings(options);
  check_output_file(options.output);
  study::ComplexityReport report;
  {
    ProgressLine progress;
    report = study::measure_complexity(chosen, [&](std::int64_t done, std::int64_t total, const std::string& next) {
      progress.show({.done = done, .total = total, .text = next});
    });
  }
  print(options.json ? study::complexity_json(report) : study::complexity_text(report));
  flush_output();
  if (!options.output.empty()) {
    replace_file(options.output, study::complexity_page(report));
    note(join("complexity: wrote '", options.output, "'; open it in a browser."));
  }
  const std::vector<std::string> contradictions = report.contradictions();
  require<Error>(contradictions.empty(), counted(std::ssize(contradictions), "measurement"),
                 contradictions.size() == 1 ? " contradicts its formula." : " contradict their formulas.");
}

}  // namespace

void add_complexity(CLI::App& program) {
  CommandSettings& settings =
      add_command(program, "complexity", "measure Table 1 of the paper: the cost of layers", complexity);
  settings.add_flags(ComplexityOptions{}, "Options");
  settings.add_examples(
      {{"self-attention and a recurrent layer at small sizes",
        "dragoman complexity --layers self,recurrent --n 64:256 --d 128 --rows 512 --rounds 1"},
       {"count only, without times, and write a page",
        "dragoman complexity --counts-only --n 16:64 --d 64,128 --rows 256 --path-n 16,50 --output complexity.html"}});
}

}  // namespace dragoman::cli
