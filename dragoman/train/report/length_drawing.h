// What the page and the SVG file of a chart by length have in common: the drawing itself, and its description.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dragoman/eval/length_report.h"
#include "dragoman/train/report/chart.h"

namespace dragoman::train {

// The size of the drawing, and where the plot begins and ends below one another.
struct LengthFrame {
  static constexpr double kWidth = 520, kHeight = 316, kLeft = 54, kRight = 508;
  static constexpr double kTop = 10, kBottom = 210;               // of the scores
  static constexpr double kCountsTop = 236, kCountsBottom = 276;  // of the numbers of sentences
};

// The content of an <svg> element: axes, numbers of sentences, intervals and curves.
std::string length_drawing(std::span<const eval::LengthReport> systems);

// Names and colours of the systems, for a legend; the points are those of the curves.
std::vector<Series> length_series(std::span<const eval::LengthReport> systems);

// "BLEU with 95 % intervals, by number of source words"
std::string length_unit(std::span<const eval::LengthReport> systems);

// For screen readers: "base: from 34.5 for 1-10 words to 20.1 for 51-60 words." for each system. Not escaped.
std::string length_summary(std::span<const eval::LengthReport> systems);

}  // namespace dragoman::train
