#include "dragoman/study/ablate/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/study/ablate/table_text.h"

namespace dragoman::study::ablate {
namespace {

using Lines = std::vector<std::string>;

const Lines kReferences{"the old man gave the child a red book", "a small dog sees the tree under the house",
                        "the cat hears a small red dog and a tree", "the child sees the old house and the cat"};

// The references, with the last words of the first `damaged` lines replaced.
Lines translations(std::size_t damaged) {
  Lines lines = kReferences;
  for (std::size_t i = 0; i < damaged; ++i) lines[i] = lines[i].substr(0, lines[i].rfind(' ')) + " nothing";
  return lines;
}

RowResults row(const std::string& name, std::vector<RunScores> runs, std::optional<PaperScores> paper = {}) {
  return {.row = {.name = name, .change = name == kBaseRow ? "" : "heads 2", .settings = {}, .paper = paper},
          .parameters = 1234567,
          .runs = std::move(runs)};
}

double bleu_of(const Lines& lines) { return eval::corpus_bleu(lines, kReferences).score; }

Table table_of(const std::vector<RowResults>& results) {
  const eval::BleuMetric bleu;
  return {.rows = table_rows(results, kReferences, bleu, {.number = 200}),
          .failed = {},
          .signature = eval::signature(bleu, 1),
          .protocol = {"Each run had 10 steps."}};
}

// Perplexities 4, 5 and 6 of base; 5, 7 and 6 of the row: differences 1, 2 and 0.
Table three_seeds() {
  const auto run = [](std::uint64_t seed, double perplexity, std::size_t damaged) {
    return RunScores{.seed = seed, .nll = std::log(perplexity), .hypotheses = translations(damaged)};
  };
  return table_of({row("base", {run(1, 4, 0), run(2, 5, 1), run(3, 6, 0)}, PaperScores{4.92, 25.8}),
                   row("A-h2", {run(1, 5, 3), run(2, 7, 4), run(3, 6, 2)}, PaperScores{5.00, 25.5})});
}

TEST(TableRows, AreMeansAndDifferencesOverSeeds) {
  const Table table = three_seeds();
  const TableRow &base = table.rows[0], &other = table.rows[1];
  EXPECT_NEAR(base.perplexity->mean, 5, 1e-12);
  EXPECT_NEAR(base.perplexity->half_width.value(), 4.3027 / std::numbers::sqrt3, 1e-4);  // s = 1
  EXPECT_NEAR(other.difference->perplexity.mean, 1, 1e-12);
  EXPECT_NEAR(other.difference->perplexity.half_width.value(), 4.3027 / std::numbers::sqrt3, 1e-4);  // s = 1
  EXPECT_NEAR(base.bleu->mean, (200 + bleu_of(translations(1))) / 3, 1e-9);
  const double differences = bleu_of(translations(3)) - 100 + bleu_of(translations(4)) - bleu_of(translations(1)) +
                             bleu_of(translations(2)) - 100;
  EXPECT_NEAR(other.difference->bleu.mean, differences / 3, 1e-9);
  EXPECT_FALSE(base.difference);
  EXPECT_NEAR(other.paper_difference->perplexity, 0.08, 1e-9);
  EXPECT_NEAR(other.paper_difference->bleu, -0.3, 1e-9);
}

// The paired test draws each sentence with the translations of both seeds, as if they were one.
TEST(TableRows, PoolSeedsInThePairedTest) {
  const eval::BleuMetric bleu;
  const auto both = [&](std::size_t first, std::size_t second) {
    eval::SentenceStatistics sums;
    for (std::size_t i = 0; i < kReferences.size(); ++i) {
      const std::string reference[] = {kReferences[i]};
      eval::Statistics sum = bleu.statistics(translations(first)[i], reference);
      eval::add_statistics(sum, bleu.statistics(translations(second)[i], reference));
      sums.add(sum);
    }
    return sums;
  };
  const Table table =
      table_of({row("base", {{.seed = 1, .hypotheses = translations(0)}, {.seed = 2, .hypotheses = translations(1)}}),
                row("A-h2", {{.seed = 1, .hypotheses = translations(2)}, {.seed = 2, .hypotheses = translations(0)}})});
  const double expected = eval::paired_bootstrap(bleu, both(0, 1), both(2, 0), {.number = 200}).p_value;
  EXPECT_EQ(table.rows[1].difference->p_value, expected);
  EXPECT_GT(expected, 0);
  EXPECT_LT(expected, 1);
}

TEST(TableRows, WithEqualTranslationsAreNotDifferent) {
  const Table table = table_of({row("base", {{.seed = 1, .nll = 1, .hypotheses = translations(2)}}),
                                row("A-h2", {{.seed = 1, .nll = 1, .hypotheses = translations(2)}})});
  EXPECT_EQ(table.rows[1].difference->p_value, 1);
}

TEST(TableRows, CompareOnlySeedsThatBothHave) {
  const Table table = table_of({row("base", {{.seed = 1, .nll = 1, .hypotheses = translations(0)}}),
                                row("A-h2", {{.seed = 1, .nll = 2, .hypotheses = translations(1)},
                                             {.seed = 2, .nll = 5, .hypotheses = translations(4)}}),
                                row("A-h4", {{.seed = 2, .nll = 2, .hypotheses = translations(1)}}), row("A-h8", {})});
  EXPECT_NEAR(table.rows[1].difference->perplexity.mean, std::exp(2) - std::exp(1), 1e-12);
  EXPECT_FALSE(table.rows[1].difference->perplexity.half_width);
  EXPECT_EQ(table.rows[1].seeds, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_FALSE(table.rows[2].difference);
  EXPECT_TRUE(table.rows[2].bleu);
  EXPECT_FALSE(table.rows[3].bleu);
}

TEST(TableText, MarkdownHasALineForEachRow) {
  Table table = three_seeds();
  table.rows[1].bleu = Mean{41.684, 0.517};
  table.rows[1].difference->bleu = Mean{-0.301, 0.25};
  table.rows[1].difference->p_value = 0.0412;
  table.failed = {{.row = "A-h2", .seed = 4, .message = "training diverged."}};
  const std::string text = table_markdown(table);
  EXPECT_TRUE(text.starts_with("| row | change | parameters | seeds | PPL | BLEU |")) << text;
  EXPECT_NE(text.find("| A-h2 | heads 2 | 1,234,567 | 3 | 6.00 ± 2.48 | 41.68 ± 0.52 | +1.00 ± 2.48 | -0.30 ± 0.25 | "
                      "0.041 | 5.00 | 25.5 | +0.08 | -0.3 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| base | – | 1,234,567 | 3 | 5.00 ± 2.48 |"), std::string::npos) << text;
  EXPECT_NE(text.find("\n- A-h2 with seed 4 failed: training diverged.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("nrefs:1|case:mixed"), std::string::npos) << text;
}

TEST(TableText, ZeroHasNoSign) {
  Table table = three_seeds();
  table.rows[1].difference->bleu = Mean{-0.001, {}};
  EXPECT_EQ(table_cells(table).rows[1][7], "0.00");
}

TEST(TableText, JsonHasNullForWhatIsUnknown) {
  const Table table = table_of({row("base", {{.seed = 1, .nll = 1, .hypotheses = translations(0)}}), row("A-h2", {})});
  const Json json = table_json(table);
  EXPECT_EQ(json["rows"][0]["seeds"], Json::array({1}));
  EXPECT_EQ(json["rows"][0]["bleu"]["values"].size(), 1u);
  EXPECT_EQ(json["rows"][0]["bleu"]["mean"], json["rows"][0]["bleu"]["values"][0]);
  EXPECT_TRUE(json["rows"][0]["bleu"]["half_width"].is_null());
  EXPECT_TRUE(json["rows"][1]["bleu"].is_null());
  EXPECT_TRUE(json["rows"][1]["difference"].is_null());
  EXPECT_TRUE(json["rows"][1]["paper"].is_null());
}

TEST(TableText, PageEscapesAndNeedsNoNetwork) {
  Table table = three_seeds();
  table.failed = {{.row = "A-h2", .seed = 4, .message = "<script>alert(1)</script>"}};
  const std::string page = table_page(table);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("href="), std::string::npos);
  // A bar of ours and one of the paper's, in both pictures.
  std::size_t bars = 0;
  for (std::size_t at = page.find("<rect"); at != std::string::npos; at = page.find("<rect", at + 1)) ++bars;
  EXPECT_EQ(bars, 4u);
}

}  // namespace
}  // namespace dragoman::study::ablate
