// The chart of `dragoman evaluate --by-length`: BLEU with its 95 % intervals over the number of source words, and the
// number of sentences below it. It looks like the charts of report.html and has their colours, in light and dark.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dragoman/eval/length_report.h"

namespace dragoman::train {

inline constexpr std::string_view kLengthChartTitle = "BLEU by length of the source";

// In the functions below, there are one to kMaxComparedRuns systems with buckets of the same width. Their names are
// UTF-8 and are escaped.

// A self-contained page with the chart and its numbers as a table. It needs no JavaScript.
std::string length_page(std::span<const eval::LengthReport> systems);

// The chart as a file of its own. It has no style variables, which many programs that draw SVG do not know.
std::string length_svg(std::span<const eval::LengthReport> systems);

}  // namespace dragoman::train
