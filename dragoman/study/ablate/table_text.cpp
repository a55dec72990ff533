#include "dragoman/study/ablate/table_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"

namespace dragoman::study::ablate {
namespace {

std::string score_cell(const std::optional<Mean>& mean) {
  return mean ? with_interval(fmt::format("{:.2f}", mean->mean), *mean) : kUnknownCell;
}

std::string signed_text(double value, int digits) {
  const std::string text = fmt::format("{:+.{}f}", value, digits);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;  // 0.00 has no sign
}

std::string difference_cell(const std::optional<Difference>& difference, Mean Difference::*score) {
  if (!difference) return kUnknownCell;
  const Mean& mean = (*difference).*score;
  return with_interval(signed_text(mean.mean, 2), mean);
}

std::string p_cell(const std::optional<Difference>& difference) {
  if (!difference) return kUnknownCell;
  return difference->p_value < 0.001 ? "< 0.001" : fmt::format("{:.3f}", difference->p_value);
}

Json scores_json(const std::optional<Mean>& mean, const std::vector<double>& values) {
  Json object = mean_json(mean);
  if (mean) object["values"] = values;
  return object;
}

Json paper_json(const std::optional<PaperScores>& paper) {
  if (!paper) return nullptr;
  return {{"perplexity", paper->perplexity}, {"bleu", paper->bleu}};
}

Json difference_json(const std::optional<Difference>& difference) {
  if (!difference) return nullptr;
  return {{"perplexity", mean_json(difference->perplexity)},
          {"bleu", mean_json(difference->bleu)},
          {"p_value", difference->p_value}};
}

}  // namespace

CellTable table_cells(const Table& table) {
  CellTable all{.titles = {"row", "change", "parameters", "seeds", "PPL", "BLEU", "PPL - base", "BLEU - base", "p",
                           "paper PPL", "paper BLEU", "paper PPL - base", "paper BLEU - base"}};
  for (const TableRow& row : table.rows) {
    all.rows.push_back({row.name, row.change.empty() ? kUnknownCell : row.change, with_thousands(row.parameters),
                        join(row.seeds.size()), score_cell(row.perplexity), score_cell(row.bleu),
                        difference_cell(row.difference, &Difference::perplexity),
                        difference_cell(row.difference, &Difference::bleu), p_cell(row.difference),
                        row.paper ? fmt::format("{:.2f}", row.paper->perplexity) : kUnknownCell,
                        row.paper ? fmt::format("{:.1f}", row.paper->bleu) : kUnknownCell,
                        row.paper_difference ? signed_text(row.paper_difference->perplexity, 2) : kUnknownCell,
                        row.paper_difference ? signed_text(row.paper_difference->bleu, 1) : kUnknownCell});
  }
  return all;
}

std::vector<std::string> table_notes(const Table& table) {
  std::vector<std::string> notes = table.protocol;
  notes.push_back(
      "PPL is the perplexity per subword of the references, without label smoothing. BLEU: " + table.signature + ".");
  notes.push_back(
      "PPL and BLEU are means over the seeds, ± half the 95 % interval of Student's t-distribution. Differences are "
      "between runs of equal seeds.");
  notes.push_back(
      "p is from a paired bootstrap of BLEU against base. It draws sentences, each with its translations of all seeds; "
      "it does not say how other seeds would vary, as the interval does.");
  notes.push_back(
      "The paper's scores are for newstest2013, English to German. Only the differences from base can be compared.");
  for (const FailedRun& run : table.failed) {
    notes.push_back(fmt::format("{} with seed {} failed: {}", run.row, run.seed, run.message));
  }
  return notes;
}

std::string table_markdown(const Table& table) {
  return markdown_table(table_cells(table), 2) + "\n" + markdown_notes(table_notes(table));
}

Json table_json(const Table& table) {
  Json object{{"table", 3},
              {"bleu_signature", table.signature},
              {"protocol", table.protocol},
              {"rows", Json::array()},
              {"failed", Json::array()}};
  for (const TableRow& row : table.rows) {
    object["rows"].push_back({{"row", row.name},
                              {"change", row.change},
                              {"parameters", row.parameters},
                              {"seeds", row.seeds},
                              {"perplexity", scores_json(row.perplexity, row.perplexities)},
                              {"bleu", scores_json(row.bleu, row.bleus)},
                              {"difference", difference_json(row.difference)},
                              {"paper", paper_json(row.paper)},
                              {"paper_difference", paper_json(row.paper_difference)}});
  }
  for (const FailedRun& run : table.failed) {
    object["failed"].push_back({{"row", run.row}, {"seed", run.seed}, {"message", run.message}});
  }
  return object;
}

}  // namespace dragoman::study::ablate
