#include <fmt/format.h>

#include <cmath>

#include "dragoman/base/fields.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/text_table.h"
#include "dragoman/study/complexity/study.h"

namespace dragoman::study {
namespace {

std::string steps_text(const LayerReport& layer) {
  const SequenceAt& last = layer.sequence.back();
  return is_recurrent(layer.kind) && last.found.steps == last.n ? "n" : with_thousands(last.found.steps);
}

// The three columns of Table 1, for every layer.
std::string summary(const ComplexityReport& report) {
  std::vector<TableRow> rows{{"layer", "multiply-adds of a sentence", "sequential"}};
  for (const std::int64_t n : report.settings.path_n) rows.front().push_back(join("path, n = ", n));
  for (const LayerReport& layer : report.layers) {
    TableRow& row = rows.emplace_back(TableRow{std::string(to_string(layer.kind)), layer.formula, steps_text(layer)});
    for (const PathAt& path : layer.paths) row.push_back(with_thousands(path.found));
  }
  return aligned_rows(rows, 2);
}

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", 1e3 * seconds); }

std::string sweep_table(const Sweep& sweep, bool times, bool executed) {
  std::vector<TableRow> rows{{sweep.over, "sentences", "multiply-adds", "formula"}};
  if (executed) rows.front().push_back("in tiles");
  if (times) rows.front().insert(rows.front().end(), {"forward ms", "with backward ms"});
  for (std::size_t i = 0; i < sweep.at.size(); ++i) {
    const Measurement& m = sweep.at[i];
    TableRow& row = rows.emplace_back(TableRow{with_thousands(sweep.x(i)), with_thousands(m.B),
                                               with_thousands(m.operations.forward.counted),
                                               m.counts_agree() ? "equal" : with_thousands(m.B * m.closed.forward())});
    if (executed) row.push_back(with_thousands(m.operations.forward.executed));
    if (times) row.insert(row.end(), {milliseconds(m.seconds.forward), milliseconds(m.seconds.with_backward)});
  }
  return aligned_rows(rows, 0);
}

std::string compared(double slope, double expected, bool is_claim) {
  if (!is_claim) return fmt::format("{:.2f}", slope);
  const bool agrees = std::abs(slope - expected) <= kSlopeTolerance;
  return fmt::format("{:.2f} ({})", slope, agrees ? "agrees" : "differs");
}

std::string slope_line(LayerKind kind, const Sweep& sweep, bool times) {
  if (sweep.at.size() < 2) return "";
  const Sweep::Slopes slopes = sweep.slopes();
  std::string line = fmt::format("  slope over {}, from {} = {}: multiply-adds {:.2f}", sweep.over, sweep.over,
                                 with_thousands(sweep.x(sweep.upper_half())), slopes.operations);
  if (!times) return line + "\n";
  const bool is_claim = time_follows_operations(kind, sweep);
  return line + fmt::format(", time {}, with backward {}\n", compared(slopes.forward, slopes.operations, is_claim),
                            compared(slopes.with_backward, slopes.operations, is_claim));
}

std::string fixed_sizes(const Sweep& sweep) {
  const Measurement& m = sweep.at.front();
  std::string text;
  if (sweep.over != "n") text += fmt::format(", n = {}", with_thousands(m.n));
  if (sweep.over != "d") text += fmt::format(", d = {}", with_thousands(m.d));
  if (sweep.over != "r" && m.r > 0) text += fmt::format(", r = {}", m.r);
  return text;
}

std::int64_t gradients_checked(const ComplexityReport& report) {
  std::int64_t count = 0;
  for (const LayerReport& layer : report.layers) {
    for (const PathAt& path : layer.paths) count += path.gradients.has_value();
  }
  return count;
}

std::string verdict(const ComplexityReport& report) {
  const std::vector<std::string> contradictions = report.contradictions();
  std::string text;
  for (const std::string& sentence : contradictions) text += sentence + "\n";
  if (!contradictions.empty()) return text;
  std::int64_t sizes = 0;
  for (const LayerReport& layer : report.layers) {
    for (const Sweep& sweep : layer.sweeps) sizes += std::ssize(sweep.at);
  }
  return fmt::format(
      "Multiply-adds counted by the kernels equal the formulas at all {} measured sizes, forward and backward.\n"
      "Sequential operations, from the recorded tape, and path lengths, by search, equal the formulas. {} path "
      "lengths\n"
      "are confirmed by gradients: exactly 0 one layer or step short, and not 0 at the length.\n",
      sizes, gradients_checked(report));
}

}  // namespace

std::string complexity_text(const ComplexityReport& report) {
  const ComplexitySettings& settings = report.settings;
  std::string text =
      fmt::format("Table 1 on {} in {}; heads are {} wide{}\n\n{}\n{}", report.device,
                  settings.dtype == DType::kBFloat16 ? "bf16" : "fp32", settings.sizes.d_k,
                  settings.sizes.causal ? "; no position sees a later one" : "", summary(report), verdict(report));
  const bool executed = settings.device == DeviceChoice::kCpu;
  for (const LayerReport& layer : report.layers) {
    for (const Sweep& sweep : layer.sweeps) {
      if (sweep.at.empty()) continue;
      text += fmt::format("\n{} over {}{}\n", to_string(layer.kind), sweep.over, fixed_sizes(sweep)) +
              sweep_table(sweep, settings.times, executed) + slope_line(layer.kind, sweep, settings.times);
    }
  }
  if (settings.times) {
    text += fmt::format(
        "\nSlopes are those of one sentence, on log scales, over the upper half of the sizes. \"agrees\": within {} of "
        "the\nslope of the multiply-adds, as expected for the core of self-attention and convolution, and for "
        "recurrent "
        "layers,\nwhose sequential steps grow in the same way.\n",
        kSlopeTolerance);
  }
  return text;
}

}  // namespace dragoman::study
