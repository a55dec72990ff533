#include "dragoman/cli/show/length_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"

namespace dragoman::cli {
namespace {

using Cells = std::vector<std::string>;

std::string ratio_text(const eval::LengthBucket& bucket, int digits) {
  return bucket.ratio ? fmt::format("{:.{}f}", *bucket.ratio, digits) : "-";
}

// Names are aligned on the left, numbers on the right.
std::string aligned(const std::vector<Cells>& rows, bool has_names) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], count_characters(row[i]));
  }
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - count_characters(row[i]), ' ');
      text += "  " + (has_names && i == 0 ? row[i] + padding : padding + row[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string length_table_text(std::span<const eval::LengthReport> systems) {
  const bool has_names = systems.size() > 1;
  std::vector<Cells> rows{{"words", "sentences", "BLEU", "95 % interval", systems.front().chrf_name, "length ratio"}};
  if (has_names) rows.front().insert(rows.front().begin(), "system");
  for (const auto& [words, system, bucket] : eval::length_rows(systems)) {
    Cells& row =
        rows.emplace_back(Cells{words, with_thousands(bucket->sentences), fmt::format("{:.2f}", bucket->bleu),
                                fmt::format("{:.2f} to {:.2f}", bucket->interval.lower, bucket->interval.upper),
                                fmt::format("{:.2f}", bucket->chrf), ratio_text(*bucket, 3)});
    if (has_names) row.insert(row.begin(), system->name);
  }
  return fmt::format("by source words (BLEU|{})\n", systems.front().bleu_signature) + aligned(rows, has_names);
}

std::string length_table_tsv(const eval::LengthReport& system) {
  std::string text = fmt::format("words\tsentences\tBLEU|{}\tlower\tupper\t{}|{}\tlength ratio\n",
                                 system.bleu_signature, system.chrf_name, system.chrf_signature);
  for (const auto& [words, name, bucket] : eval::length_rows({&system, 1})) {
    text += fmt::format("{}\t{}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\t{}\n", words, bucket->sentences, bucket->bleu,
                        bucket->interval.lower, bucket->interval.upper, bucket->chrf, ratio_text(*bucket, 4));
  }
  return text;
}

}  // namespace dragoman::cli
