#include "dragoman/cli/show/length_table.h"

#include <fmt/format.h>

#include <vector>

#include "dragoman/base/strings.h"
#include "dragoman/base/text_table.h"

namespace dragoman::cli {
namespace {

std::string ratio_text(const eval::LengthBucket& bucket, int digits) {
  return bucket.ratio ? fmt::format("{:.{}f}", *bucket.ratio, digits) : "-";
}

}  // namespace

std::string length_table_text(std::span<const eval::LengthReport> systems) {
  const bool has_names = systems.size() > 1;
  std::vector<TableRow> rows{
      {"words", "sentences", "BLEU", "95 % interval", systems.front().chrf_name, "length ratio"}};
  if (has_names) rows.front().insert(rows.front().begin(), "system");
  for (const auto& [words, system, bucket] : eval::length_rows(systems)) {
    TableRow& row =
        rows.emplace_back(TableRow{words, with_thousands(bucket->sentences), fmt::format("{:.2f}", bucket->bleu),
                                   fmt::format("{:.2f} to {:.2f}", bucket->interval.lower, bucket->interval.upper),
                                   fmt::format("{:.2f}", bucket->chrf), ratio_text(*bucket, 3)});
    if (has_names) row.insert(row.begin(), system->name);
  }
  return fmt::format("by source words (BLEU|{})\n", systems.front().bleu_signature) +
         aligned_rows(rows, has_names ? 1 : 0);
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
