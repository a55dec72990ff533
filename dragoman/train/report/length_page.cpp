#include <fmt/format.h>

#include "dragoman/base/strings.h"
#include "dragoman/train/report/html.h"
#include "dragoman/train/report/length_chart.h"
#include "dragoman/train/report/length_drawing.h"
#include "dragoman/train/report/parts.h"

namespace dragoman::train {
namespace {

std::string length_header(std::span<const eval::LengthReport> systems) {
  std::string html = fmt::format("<header>\n<h1>{}</h1>\n", kLengthChartTitle);
  for (const eval::LengthReport& system : systems) {
    const std::string joined = system.join == 1 ? "" : fmt::format(", each of {} lines", with_thousands(system.join));
    html += fmt::format("<p><b>{}</b>: BLEU {:.1f}, {}{}</p>\n", escaped(system.name), system.scores.all.bleu,
                        counted(system.scores.all.sentences, "sentence").text(), joined);
  }
  return html + "</header>\n";
}

std::string length_figure(std::span<const eval::LengthReport> systems) {
  return fmt::format(
      "<figure class=\"chart wide\">\n<figcaption><h3>BLEU and number of sentences</h3><p>{}</p>{}</figcaption>\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" data-unit=\"words\" data-frame=\"{} {}\">{}</svg>\n"
      "</figure>\n",
      escaped(length_unit(systems)), chart_legend(length_series(systems)), LengthFrame::kWidth, LengthFrame::kHeight,
      escaped(length_summary(systems)), LengthFrame::kTop, LengthFrame::kCountsBottom, length_drawing(systems));
}

std::string length_table(std::span<const eval::LengthReport> systems) {
  const bool is_comparison = systems.size() > 1;
  std::vector<std::string> columns{"Source words"};
  if (is_comparison) columns.push_back("System");
  for (const std::string& name : {std::string("Sentences"), std::string("BLEU"), std::string("95 % interval"),
                                  escaped(systems.front().chrf_name), std::string("Length ratio")}) {
    columns.push_back(name);
  }
  std::string rows;
  for (const auto& [words, system, bucket] : eval::length_rows(systems)) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", words);
    if (is_comparison) rows += "<td>" + escaped(system->name) + "</td>";
    rows += fmt::format("<td>{}</td><td>{:.2f}</td><td>{:.2f} to {:.2f}</td><td>{:.2f}</td><td>{}</td></tr>\n",
                        with_thousands(bucket->sentences), bucket->bleu, bucket->interval.lower, bucket->interval.upper,
                        bucket->chrf, bucket->ratio ? fmt::format("{:.3f}", *bucket->ratio) : "–");
  }
  return folded_table("The numbers as a table", columns, rows, true);
}

// How the numbers were computed.
std::string length_notes(std::span<const eval::LengthReport> systems) {
  const eval::LengthReport& first = systems.front();
  return fmt::format(
      "<p class=\"hint\">BLEU: {}. {}: {}. Each interval holds the BLEU of 95 % of the texts that are drawn from the "
      "sentences of the bucket with replacement; a bucket with few sentences has a wide interval, but a single "
      "sentence "
      "has none. The length ratio is the length of the translations divided by that of the references, in the tokens "
      "of BLEU. Lines without words are in the first bucket.</p>\n",
      escaped(first.bleu_signature), escaped(first.chrf_name), escaped(first.chrf_signature));
}

}  // namespace

std::string length_page(std::span<const eval::LengthReport> systems) {
  std::string title = std::string(kLengthChartTitle) + ": ";
  for (const eval::LengthReport& system : systems) title += (&system == &systems.front() ? "" : ", ") + system.name;
  return whole_page(title, length_header(systems) + "<main>\n<section>\n<h2>Chart</h2>\n" + length_figure(systems) +
                               "</section>\n<section>\n<h2>Numbers</h2>\n" + length_table(systems) +
                               length_notes(systems) + "</section>\n</main>\n");
}

}  // namespace dragoman::train
