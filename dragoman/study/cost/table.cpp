#include "dragoman/study/cost/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>

#include "dragoman/eval/bleu.h"
#include "dragoman/eval/metric.h"
#include "dragoman/eval/tokenizers.h"

namespace dragoman::study::cost {
namespace {

template <class Number>
std::optional<Mean> mean_over(const std::vector<RunCost>& runs, const Number& number) {
  std::vector<double> values;
  for (const RunCost& run : runs) {
    if (const std::optional<double> value = std::invoke(number, run)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(mean_of(values));
}

// What the names of the runs have in common: "conv" for "conv-1" and "conv-2".
std::string common_name(const std::vector<RunCost>& runs) {
  std::string common = runs.front().name;
  for (const RunCost& run : runs) common.erase(std::ranges::mismatch(common, run.name).in1, common.end());
  const auto is_mark = [](unsigned char c) { return std::isalnum(c) == 0; };
  while (runs.size() > 1 && !common.empty() && is_mark(common.back())) common.pop_back();
  return common;
}

std::string all_names(const std::vector<RunCost>& runs) {
  std::vector<std::string> names;
  for (const RunCost& run : runs) names.push_back(run.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void name_rows(std::vector<CostRow>& rows) {
  std::set<std::string> used;
  for (CostRow& row : rows) {
    row.name = common_name(row.runs);
    if (row.name.empty() || !used.insert(row.name).second) row.name = all_names(row.runs);
  }
}

std::string setting(const RunCost& run, std::string_view key) {
  const auto found = std::ranges::find(run.settings, key, [](const auto& pair) { return pair.first; });
  return found == run.settings.end() ? "" : found->second;
}

// What must be equal so that BLEU and times can be compared.
constexpr std::array<std::string_view, 12> kCompared{
    "train-source", "train-target",    "train-pairs",     "valid-source", "valid-target", "valid-pairs",
    "tokenizer",    "source-language", "target-language", "batch-tokens", "accumulate",   "valid-bleu-sentences"};

std::optional<std::string> difference_note(const std::vector<const RunCost*>& runs) {
  std::vector<std::string> keys;
  for (const std::string_view key : kCompared) {
    std::set<std::string> values;
    for (const RunCost* run : runs) values.insert(setting(*run, key));
    if (values.size() > 1) keys.emplace_back(key);
  }
  std::set<std::string> machines;
  for (const RunCost* run : runs) machines.insert(run->machine);
  if (machines.size() > 1) keys.emplace_back("device or precision");
  if (keys.empty()) return std::nullopt;
  return fmt::format("The runs differ in {}, so not all numbers can be compared.", fmt::join(keys, ", "));
}

std::string bleu_note(const std::vector<const RunCost*>& runs) {
  std::set<std::string> signatures;
  for (const RunCost* run : runs) {
    const eval::BleuMetric bleu({.tokenizer = eval::tokenization_for(setting(*run, "target-language"))});
    if (run->bleu) signatures.insert(eval::signature(bleu, 1));
  }
  return fmt::format("BLEU is that of the last validation, from greedy translations of its first sentences ({}).",
                     fmt::join(signatures, ", "));
}

std::vector<std::string> notes_for(const std::vector<CostRow>& rows) {
  std::vector<std::string> notes{
      "The paper's FLOPs are published; by the rule: training time x GPUs x the rate that each sustains (K80 2.8, K40 "
      "3.7, M40 6.0, P100 9.5 TFLOPS), for the systems whose times and GPUs are known.",
      "By the model: 6 FLOPs for each multiply-add of the products of the forward pass, for the sentences that were "
      "trained on; for the paper's models and for presets, sentences of equal length."};
  std::vector<const RunCost*> trained;
  bool has_bleu = false, has_several = false;
  for (const CostRow& row : rows) {
    for (const RunCost& run : row.runs) {
      if (run.seconds) trained.push_back(&run);
      has_bleu = has_bleu || run.bleu;
    }
    has_several = has_several || row.runs.size() > 1;
  }
  if (trained.empty()) return notes;
  notes.emplace_back(
      "By the machine: seconds of training x the rate, the FLOPs a second of large products on that machine. "
      "Validation "
      "and checkpoints take no part in the seconds.");
  if (has_bleu) notes.push_back(bleu_note(trained));
  if (has_bleu) {
    notes.push_back(fmt::format(
        "Seconds to BLEU: until a validation first had the final BLEU, and {:.0f} % of it; validations are some steps "
        "apart.",
        100 * kShareOfBleu));
  }
  if (has_several) {
    notes.emplace_back(
        "Runs that differ only by their seeds are one row: means, for BLEU ± half the 95 % interval of Student's "
        "t-distribution.");
  }
  if (const std::optional<std::string> note = difference_note(trained)) notes.push_back(*note);
  return notes;
}

}  // namespace

std::optional<Mean> CostRow::mean(std::optional<double> RunCost::*number) const { return mean_over(runs, number); }
std::optional<Mean> CostRow::mean(std::optional<double> (RunCost::*number)() const) const {
  return mean_over(runs, number);
}

CostTable make_cost_table(const std::vector<RunCost>& runs) {
  CostTable table{.paper = paper_rows()};
  for (const RunCost& run : runs) {
    const auto alike = [&](const CostRow& row) { return differ_by_seed(row.runs.front(), run); };
    const auto row = std::ranges::find_if(table.rows, alike);
    if (row == table.rows.end()) {
      table.rows.push_back({.name = {}, .runs = {run}});
    } else {
      row->runs.push_back(run);
    }
  }
  name_rows(table.rows);
  table.notes = notes_for(table.rows);
  return table;
}

}  // namespace dragoman::study::cost
