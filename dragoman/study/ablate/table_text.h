// Table 3 as Markdown, as JSON, and as a page with bars.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/json.h"
#include "dragoman/study/ablate/table.h"
#include "dragoman/study/table_parts.h"

namespace dragoman::study::ablate {

// The cells are for people: "41.68 ± 0.52", "-0.30", "–".
CellTable table_cells(const Table& table);
// What the columns mean, and how the runs were made: a sentence each.
std::vector<std::string> table_notes(const Table& table);

std::string table_markdown(const Table& table);

// {"table": 3, "bleu_signature": ..., "protocol": [...], "rows": [{"row": "A-h16", "change": "heads 16", "parameters":
// ..., "seeds": [1, 2], "perplexity": {"mean": ..., "half_width": ..., "values": [...]}, "bleu": {...}, "difference":
// {"perplexity": {...}, "bleu": {...}, "p_value": ...}, "paper": {"perplexity": ..., "bleu": ...}, "paper_difference":
// {...}}, ...], "failed": [{"row": ..., "seed": ..., "message": ...}]}. What is unknown is null.
Json table_json(const Table& table);

// A self-contained page: differences from base as bars, ours and the paper's, and the table.
std::string table_page(const Table& table);

}  // namespace dragoman::study::ablate
