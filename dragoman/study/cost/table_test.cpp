#include "dragoman/study/cost/table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dragoman/base/fields_json.h"
#include "dragoman/study/cost/testing.h"
#include "dragoman/train/testing.h"

namespace dragoman::study::cost {
namespace {

using train::contains;

RunCost other_bleu(RunCost cost, double bleu) {
  cost.bleu = bleu;
  return cost;
}

// Two seeds of one model, and another model.
CostTable small_table() {
  RunCost other = cost_of(small_run("rnn", "1"), {});
  other.settings[0].second = "1";
  return make_cost_table(
      {cost_of(small_run("conv-1", "1"), {}), other, other_bleu(cost_of(small_run("conv-2", "2"), {}), 22)});
}

TEST(CostTable, RunsThatDifferByTheirSeedsAreOneRow) {
  const CostTable table = small_table();
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "conv");
  EXPECT_EQ(table.rows[0].runs.size(), 2u);
  EXPECT_EQ(table.rows[1].name, "rnn");
  const std::optional<Mean> bleu = table.rows[0].mean(&RunCost::bleu);
  EXPECT_EQ(bleu->mean, 21);
  EXPECT_NEAR(*bleu->half_width, 12.71, 0.01);  // t = 12.706 for two values, which are 2 apart
  EXPECT_EQ(table.rows[0].mean(&RunCost::rate)->mean, 1e9);
  EXPECT_FALSE(table.rows[1].mean(&RunCost::bleu)->half_width);
}

TEST(CostTable, RowsWithoutACommonNameNameAllTheirRuns) {
  const CostTable table = make_cost_table({cost_of(small_run("north", "1"), {}), cost_of(small_run("south", "2"), {})});
  EXPECT_EQ(table.rows.front().name, "north, south");
}

TEST(CostTable, CellsHaveTheUnitsOfTable2) {
  const CostTable table = small_table();
  const std::vector<std::string> base = paper_cells(table).rows[8];
  EXPECT_EQ(base, (std::vector<std::string>{"Transformer (base model)", "27.3", "38.1", "3.3e18", "3.28e18", "3.3e18",
                                            "3.28e18", "9.52e17"}));
  EXPECT_EQ(paper_cells(table).rows[0][2], "–");
  const std::vector<std::string> conv = run_cells(table).rows[0];
  EXPECT_EQ(conv, (std::vector<std::string>{"conv", "2 + 2 layers", "2", "1,000", "21.00 ± 12.71", "40", "4,000", "4",
                                            "4", "2", "8.00e8", "4.00e9", "20.0 %", "1.00e9"}));
}

TEST(CostTable, MarkdownAndTextHaveBothTables) {
  const CostTable table = small_table();
  const std::string markdown = cost_markdown(table), text = cost_text(table);
  EXPECT_TRUE(
      contains(markdown, "| Transformer (big) | 28.4 | 41.8 | 2.3e19 | 2.30e19 | 2.3e19 | 2.30e19 | 9.67e18 |"));
  EXPECT_TRUE(contains(markdown, "| rnn | 2 + 2 layers | 1 |"));
  EXPECT_TRUE(contains(markdown, "\n- Runs that differ only by their seeds"));
  EXPECT_TRUE(contains(text, "  ByteNet"));
  EXPECT_TRUE(contains(text, "tok:13a"));
  EXPECT_FALSE(contains(cost_text(make_cost_table({})), "Training runs"));
}

TEST(CostTable, SaysInWhatRunsCannotBeCompared) {
  RunCost one = cost_of(small_run("one"), {}), two = cost_of(small_run("two"), {});
  const auto has_note = [](const CostTable& table, const std::string& part) {
    return std::ranges::any_of(table.notes, [&](const std::string& note) { return contains(note, part); });
  };
  EXPECT_FALSE(has_note(make_cost_table({one, two}), "The runs differ"));
  one.settings.emplace_back("batch-tokens", "4096");
  two.settings.emplace_back("batch-tokens", "2048");
  two.settings.emplace_back("accumulate", "2");
  two.machine = "GPU, bfloat16";
  EXPECT_TRUE(
      has_note(make_cost_table({one, two}), "The runs differ in batch-tokens, accumulate, device or precision, so"));
}

TEST(CostTable, JsonHasTheRunsOfEachRow) {
  const Json json = cost_json(small_table());
  EXPECT_EQ(json["table"], 2);
  EXPECT_EQ(json["paper"].size(), 10u);
  EXPECT_EQ(json["paper"][8]["en-de"]["gpus"], 8);
  EXPECT_EQ(json["paper"][0]["en-fr"]["bleu"], nullptr);
  EXPECT_EQ(json["rows"][0]["bleu"]["mean"], 21);
  EXPECT_EQ(json["rows"][0]["runs"][1]["run"], "conv-2");
  EXPECT_EQ(json["rows"][0]["runs"][1]["bleu"], 22);
  EXPECT_EQ(json["rows"][1]["seconds_to_95_percent"]["mean"], 2);
  EXPECT_EQ(json["rows"][1]["bleu"]["half_width"], nullptr);
}

TEST(CostTable, PageHasABarForEveryCost) {
  RunCost odd = cost_of(small_run("<b>"), {});
  odd.settings.clear();
  const std::string page = cost_page(make_cost_table({odd}));
  // Nine of the paper's rows by the machine and two by the model; both of the run.
  std::size_t bars = 0;
  for (std::size_t at = page.find("<rect"); at != std::string::npos; at = page.find("<rect", at + 1)) ++bars;
  EXPECT_EQ(bars, 9u + 2u + 2u);
  EXPECT_TRUE(contains(page, "&lt;b&gt;"));
  EXPECT_FALSE(contains(page, "<b>"));
  EXPECT_FALSE(contains(page, "nan"));
}

}  // namespace
}  // namespace dragoman::study::cost
