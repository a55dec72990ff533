#include <fmt/format.h>

#include <cassert>
#include <string_view>

#include "dragoman/base/utf8.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/length_chart.h"
#include "dragoman/train/report/length_drawing.h"
#include "dragoman/train/report/parts.h"

namespace dragoman::train {
namespace {

enum class Theme { kLight, kDark };

// The value of a colour in report.css, which has them twice: first for light, then for dark.
std::string_view style_colour(std::string_view name, Theme theme) {
  const std::string_view style = report_style();
  const std::string key = fmt::format("--{}: #", name);
  std::size_t at = style.find(key);
  if (theme == Theme::kDark) at = style.find(key, at + 1);
  assert(at != std::string_view::npos && "report.css has each colour for light and for dark");
  at += key.size() - 1;
  return style.substr(at, style.find(';', at) - at);
}

std::string colour_rules(const std::vector<Series>& series, Theme theme) {
  const auto colour = [theme](std::string_view name) { return style_colour(name, theme); };
  std::string rules = fmt::format(
      ".card{{fill:{}}}text{{fill:{}}}.title,.name{{fill:{}}}.grid{{stroke:{}}}.axis{{stroke:{}}}.count{{fill:{}}}",
      colour("card"), colour("muted"), colour("ink"), colour("line"), colour("axis"), colour("axis"));
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string name = series[i].colour(i);
    rules += fmt::format(".{0} path{{stroke:{1}}}.{0} circle,.{0} .count{{fill:{1}}}", name, colour(name));
  }
  return rules;
}

std::string svg_style(const std::vector<Series>& series) {
  return "<style>text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;"
         "font-size:11.5px}.title{font-size:16px;font-weight:600}.x{text-anchor:middle}.y{text-anchor:end}"
         "path{fill:none}.curve{stroke-width:1.6;stroke-linejoin:round}.error{stroke-width:1.2;stroke-opacity:.8}"
         ".key{stroke-width:3}" +
         colour_rules(series, Theme::kLight) + "@media (prefers-color-scheme:dark){" +
         colour_rules(series, Theme::kDark) + "}</style>\n";
}

struct Part {
  std::string svg;
  double height = 0;
};

// The names in rows, as many in each as there is room for.
Part svg_legend(const std::vector<Series>& series, double top) {
  constexpr double kRow = 18, kKey = 24, kGap = 18, kCharacter = 6.8;
  Part legend;
  double x = LengthFrame::kLeft, y = top + kRow;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double width = kKey + kCharacter * static_cast<double>(count_characters(series[i].name)) + kGap;
    if (x > LengthFrame::kLeft && x + width > LengthFrame::kRight + kGap) {
      x = LengthFrame::kLeft;
      y += kRow;
    }
    legend.svg += fmt::format(
        R"(<g class="{}"><path class="key" d="M{:.1f} {:.1f}h18"/><text class="name" x="{:.1f}" y="{:.1f}">{}</text></g>)",
        series[i].colour(i), x, y - 4, x + kKey, y, escaped(series[i].name));
    x += width;
  }
  legend.height = y - top;
  return legend;
}

}  // namespace

std::string length_svg(std::span<const eval::LengthReport> systems) {
  constexpr double kTitle = 28, kUnit = 46, kMargin = 10;
  const std::vector<Series> series = length_series(systems);
  const Part legend = svg_legend(series, kUnit);
  const double top = kUnit + legend.height + kMargin, height = top + LengthFrame::kHeight;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">{2}</title>\n"
      "<desc id=\"description\">{3}</desc>\n",
      LengthFrame::kWidth, height, kLengthChartTitle, escaped(length_summary(systems)));
  svg += svg_style(series) + "<rect class=\"card\" width=\"100%\" height=\"100%\"/>\n";
  svg += fmt::format(R"(<text class="title" x="{0}" y="{1}">{2}</text><text x="{0}" y="{3}">{4}</text>)",
                     LengthFrame::kLeft, kTitle, kLengthChartTitle, kUnit, escaped(length_unit(systems)));
  return svg + legend.svg +
         fmt::format("\n<g transform=\"translate(0 {:.0f})\">{}</g>\n</svg>\n", top, length_drawing(systems));
}

}  // namespace dragoman::train
