#include "dragoman/study/cost/paper.h"

#include <gtest/gtest.h>

#include "dragoman/model/registry/registry.h"

namespace dragoman::study::cost {
namespace {

const PaperRow& row(const std::vector<PaperRow>& rows, std::string_view name) {
  for (const PaperRow& one : rows) {
    if (one.name == name) return one;
  }
  throw Error("no row of this name");
}

TEST(PaperCost, OfTheTransformersIsTimesGpusTimesRate) {
  const std::vector<PaperRow> rows = paper_rows();
  EXPECT_EQ(rows.size(), 10u);
  EXPECT_DOUBLE_EQ(row(rows, "Transformer (base model)").german.machine->flops(), 12 * 3600.0 * 8 * 9.5e12);
  EXPECT_DOUBLE_EQ(row(rows, "Transformer (base model)").german.machine->flops(), 3.2832e18);
  EXPECT_DOUBLE_EQ(row(rows, "Transformer (big)").french.machine->flops(), 2.29824e19);
}

// The paper has two digits; the cost of an ensemble is eight times one that was rounded before.
TEST(PaperCost, ByTheRuleIsTheOneThatWasPublished) {
  int compared = 0;
  for (const PaperRow& one : paper_rows()) {
    for (const PaperResult& result : {one.german, one.french}) {
      if (!result.machine) continue;
      EXPECT_NEAR(result.machine->flops() / *result.flops, 1, result.machine->models > 1 ? 0.035 : 0.025) << one.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 14);
}

TEST(PaperCost, ByTheModelIsThreeTenthsOfThatByTheMachine) {
  EXPECT_NEAR(planned_flops(model::preset("base"), 25), 9.52e17, 0.005e17);
  EXPECT_NEAR(planned_flops(model::preset("big"), 25), 9.67e18, 0.005e18);
  EXPECT_NEAR(planned_flops(model::preset("base"), 25) / paper_rows()[8].german.machine->flops(), 0.29, 0.005);
}

}  // namespace
}  // namespace dragoman::study::cost
