#include "dragoman/cli/show/health_report.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"

namespace dragoman::cli {
namespace {

using health::Example;
using health::Finding;
using health::Level;
using health::Section;

Section sample() {
  Section section{.name = "training", .title = "Training text 'a\x01'"};
  section.facts = {{"pairs", std::int64_t{3}},
                   {"ratio", 0.5},
                   {"sound", false},
                   {"file", std::string("\xFF")},
                   {"files", std::vector<std::string>{"x"}},
                   {"unknown", std::monostate{}}};
  section.findings = {{.check = "size", .text = "3 pairs", .examples = {Example{"a", 1, "\"x\""}}},
                      {.check = "empty",
                       .level = Level::kWarning,
                       .text = "pairs with an empty side: 1 of 3",
                       .advice = "remove it.",
                       .count = 1,
                       .of = 3,
                       .examples = {Example{"a", 2, "\"\"", "repeats line 1"}}}};
  return section;
}

TEST(HealthReport, AsTextSaysWhatToDoWhereSomethingIsWrong) {
  EXPECT_EQ(section_text(sample()),
            "Training text 'a\\u0001'\n"
            "  ok       3 pairs\n"
            "  WARNING  pairs with an empty side: 1 of 3\n"
            "           line 2 of 'a': \"\" repeats line 1\n"
            "           -> remove it.\n\n");
}

TEST(HealthReport, AsJsonHoldsTheSame) {
  const std::vector<Section> sections{sample()};
  const Json json = parse_json(health_json(sections).dump(), "the report");
  EXPECT_EQ(json["errors"], 0);
  EXPECT_EQ(json["warnings"], 1);
  const Json section = json["sections"][0];
  EXPECT_EQ(section["name"], "training");
  EXPECT_EQ(section["facts"].dump(),
            R"({"pairs":3,"ratio":0.5,"sound":false,"file":"\\xFF","files":["x"],"unknown":null})");
  const Json finding = section["findings"][1];
  EXPECT_EQ(finding["check"], "empty");
  EXPECT_EQ(finding["level"], "warning");
  EXPECT_EQ(finding["advice"], "remove it.");
  EXPECT_EQ(finding["count"], 1);
  EXPECT_EQ(finding["of"], 3);
  EXPECT_EQ(finding["examples"][0]["line"], 2);
  EXPECT_EQ(finding["examples"][0]["note"], "repeats line 1");
  EXPECT_FALSE(section["findings"][0].contains("advice"));
}

TEST(HealthReport, CountsErrorsAndWarnings) {
  std::vector<Section> sections{sample(), sample()};
  EXPECT_EQ(summary_text(sections), "no errors, 2 warnings");
  sections[0].findings[1].level = Level::kError;
  EXPECT_EQ(summary_text(sections), "1 error, 1 warning");
}

}  // namespace
}  // namespace dragoman::cli
