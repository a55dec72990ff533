#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/text_table.h"
#include "dragoman/study/cost/table.h"
#include "dragoman/train/report/html.h"

namespace dragoman::study::cost {
namespace {

constexpr const char* kPaperTitle = "Table 2 of the paper: WMT 2014, newstest2014";
constexpr const char* kRunsTitle = "Training runs";

// As published: 23.75, 38.1.
std::string bleu_cell(const std::optional<double>& bleu) { return bleu ? fmt::format("{}", *bleu) : kUnknownCell; }

// "3.3e18" with two digits, "3.28e18" with three.
std::string flops_text(double flops, int digits) {
  std::string text = fmt::format("{:.{}e}", flops, digits - 1);
  const std::size_t plus = text.find('+');  // two digits or more follow
  return plus == std::string::npos ? text : text.erase(plus, text[plus + 1] == '0' ? 2 : 1);
}

std::string flops_cell(const std::optional<double>& flops, int digits) {
  return flops ? flops_text(*flops, digits) : kUnknownCell;
}

std::optional<double> by_rule(const PaperResult& result) {
  return result.machine ? std::optional(result.machine->flops()) : std::nullopt;
}

template <class Format>
std::string mean_cell(const std::optional<Mean>& mean, const Format& format) {
  return mean ? format(mean->mean) : kUnknownCell;
}

std::string whole(double number) { return with_thousands(std::llround(number)); }
std::string seconds_text(double seconds) { return train::number_text(seconds, 3); }
std::string three_digits(double flops) { return flops_text(flops, 3); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json paper_json(const PaperResult& result) {
  Json object{{"bleu", number_or_null(result.bleu)},
              {"flops", number_or_null(result.flops)},
              {"flops_by_rule", number_or_null(by_rule(result))}};
  if (result.machine) {
    object.update({{"days", result.machine->days},
                   {"gpus", result.machine->gpus},
                   {"gpu", result.machine->gpu.name},
                   {"gpu_rate", result.machine->gpu.rate},
                   {"models", result.machine->models}});
  }
  return object;
}

// Calls see(name, member) for each number of a run.
template <class See>
void each_number(const See& see) {
  see("parameters", &RunCost::parameters);
  see("steps", &RunCost::steps);
  see("target_tokens", &RunCost::target_tokens);
  see("bleu", &RunCost::bleu);
  see("seconds", &RunCost::seconds);
  see("seconds_to_bleu", &RunCost::seconds_to_bleu);
  see("seconds_to_95_percent", &RunCost::seconds_to_share);
  see("flops_by_model", &RunCost::model_flops);
  see("flops_by_machine", &RunCost::machine_flops);
  see("machine_rate", &RunCost::rate);
  see("utilisation", &RunCost::utilisation);
}

Json row_json(const CostRow& row) {
  const RunCost& first = row.runs.front();
  Json object{{"row", row.name}, {"model", first.model}, {"machine", first.machine}};
  each_number([&](const char* name, auto number) { object[name] = mean_json(row.mean(number)); });
  object["runs"] = Json::array();
  for (const RunCost& run : row.runs) {
    Json& one = object["runs"].emplace_back(Json{{"run", run.name}});
    each_number([&](const char* name, auto number) { one[name] = number_or_null(std::invoke(number, run)); });
  }
  return object;
}

std::string aligned(const CellTable& table, std::size_t names) {
  std::vector<TableRow> rows{table.titles};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return aligned_rows(rows, names);
}

}  // namespace

CellTable paper_cells(const CostTable& table) {
  CellTable cells{.titles = {"model", "BLEU EN-DE", "EN-FR", "FLOPs EN-DE", "by the rule", "FLOPs EN-FR", "by the rule",
                             "by the model"}};
  for (const PaperRow& row : table.paper) {
    cells.rows.push_back({row.name, bleu_cell(row.german.bleu), bleu_cell(row.french.bleu),
                          flops_cell(row.german.flops, 2), flops_cell(by_rule(row.german), 3),
                          flops_cell(row.french.flops, 2), flops_cell(by_rule(row.french), 3),
                          flops_cell(row.model_flops(), 3)});
  }
  return cells;
}

CellTable run_cells(const CostTable& table) {
  CellTable cells{.titles = {"run", "model", "runs", "parameters", "BLEU", "steps", "target tokens", "seconds",
                             "to BLEU", fmt::format("to {:.0f} %", 100 * kShareOfBleu), "FLOPs by the model",
                             "by the machine", "used", "FLOP/s"}};
  for (const CostRow& row : table.rows) {
    const RunCost& first = row.runs.front();
    const std::optional<Mean> bleu = row.mean(&RunCost::bleu);
    cells.rows.push_back(
        {row.name, first.model.empty() ? kUnknownCell : first.model, join(row.runs.size()),
         mean_cell(row.mean(&RunCost::parameters), whole),
         bleu ? with_interval(fmt::format("{:.2f}", bleu->mean), *bleu) : kUnknownCell,
         mean_cell(row.mean(&RunCost::steps), whole), mean_cell(row.mean(&RunCost::target_tokens), whole),
         mean_cell(row.mean(&RunCost::seconds), seconds_text),
         mean_cell(row.mean(&RunCost::seconds_to_bleu), seconds_text),
         mean_cell(row.mean(&RunCost::seconds_to_share), seconds_text),
         mean_cell(row.mean(&RunCost::model_flops), three_digits),
         mean_cell(row.mean(&RunCost::machine_flops), three_digits),
         mean_cell(row.mean(&RunCost::utilisation), percent), mean_cell(row.mean(&RunCost::rate), three_digits)});
  }
  return cells;
}

std::string cost_text(const CostTable& table) {
  std::string text = fmt::format("{}\n\n{}\n", kPaperTitle, aligned(paper_cells(table), 1));
  if (!table.rows.empty()) text += fmt::format("{}\n\n{}\n", kRunsTitle, aligned(run_cells(table), 2));
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

std::string cost_markdown(const CostTable& table) {
  std::string text = fmt::format("{}:\n\n{}\n", kPaperTitle, markdown_table(paper_cells(table), 1));
  if (!table.rows.empty()) text += fmt::format("{}:\n\n{}\n", kRunsTitle, markdown_table(run_cells(table), 2));
  return text + markdown_notes(table.notes);
}

Json cost_json(const CostTable& table) {
  Json object{{"table", 2}, {"paper", Json::array()}, {"rows", Json::array()}, {"notes", table.notes}};
  for (const PaperRow& row : table.paper) {
    object["paper"].push_back({{"model", row.name},
                               {"en-de", paper_json(row.german)},
                               {"en-fr", paper_json(row.french)},
                               {"flops_by_model", number_or_null(row.model_flops())}});
  }
  for (const CostRow& row : table.rows) object["rows"].push_back(row_json(row));
  return object;
}

}  // namespace dragoman::study::cost
