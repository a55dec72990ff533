// Table 2: the paper's rows, and below them those of training runs, as text, Markdown, JSON and a page with bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/study/cost/paper.h"
#include "dragoman/study/cost/run_cost.h"
#include "dragoman/study/interval.h"
#include "dragoman/study/table_parts.h"

namespace dragoman::study::cost {

// Runs that differ by their seeds only, or a single run.
struct CostRow {
  std::string name;
  std::vector<RunCost> runs;

  // Over the runs that have the number; nothing if none has.
  std::optional<Mean> mean(std::optional<double> RunCost::*number) const;
  std::optional<Mean> mean(std::optional<double> (RunCost::*number)() const) const;
};

struct CostTable {
  std::vector<PaperRow> paper = {};
  std::vector<CostRow> rows = {};
  std::vector<std::string> notes = {};  // what the columns mean, and what cannot be compared: a sentence each
};

// The rows are in the order of their first runs. A row of several runs has what their names begin with as its name.
CostTable make_cost_table(const std::vector<RunCost>& runs);

// The cells are for people: "27.3", "3.28e18", "–".
CellTable paper_cells(const CostTable& table);
CellTable run_cells(const CostTable& table);

std::string cost_text(const CostTable& table);
std::string cost_markdown(const CostTable& table);

// {"table": 2, "paper": [{"model": "GNMT + RL", "en-de": {"bleu": ..., "flops": ..., "flops_by_rule": ..., "days": ...,
// "gpus": ..., "gpu": "K80", "gpu_rate": ..., "models": ...}, "en-fr": {...}, "flops_by_model": ...}, ...], "rows":
// [{"row": ..., "model": ..., "machine": ..., "bleu": {"mean": ..., "half_width": ...}, "seconds": {...}, ..., "runs":
// [{"run": ..., "bleu": ..., ...}, ...]}, ...], "notes": [...]}. What is unknown is null.
Json cost_json(const CostTable& table);

// A self-contained page: the cost of training as bars, and both tables.
std::string cost_page(const CostTable& table);

}  // namespace dragoman::study::cost
