// The scores by length as text: a table for people, and tab-separated lines.
#pragma once

#include <span>
#include <string>

#include "dragoman/eval/length_report.h"

namespace dragoman::cli {

// A headline with the signature of BLEU and its intervals, then aligned columns. With several systems, the first column
// has their names. Names are UTF-8.
std::string length_table_text(std::span<const eval::LengthReport> systems);

// A header line, then a line for each bucket and one for all. An unknown length ratio is "-".
std::string length_table_tsv(const eval::LengthReport& system);

}  // namespace dragoman::cli
