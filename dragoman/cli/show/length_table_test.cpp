#include "dragoman/cli/show/length_table.h"

#include <gtest/gtest.h>

namespace dragoman::cli {
namespace {

eval::LengthReport report(const std::string& name) {
  eval::LengthReport made{.name = name, .bleu_signature = "nrefs:1|bs:1000", .chrf_signature = "nrefs:1"};
  const eval::LengthBucket bucket{.first = 1,
                                  .last = 10,
                                  .sentences = 1200,
                                  .bleu = 30.5,
                                  .interval = {9.25, 40},
                                  .chrf = 55.125,
                                  .ratio = 0.98765};
  made.scores = {.width = 10, .buckets = {bucket}, .all = bucket};
  made.scores.all.ratio = std::nullopt;
  return made;
}

TEST(LengthTable, IsAligned) {
  const std::vector<eval::LengthReport> systems{report("")};
  EXPECT_EQ(length_table_text(systems),
            "by source words (BLEU|nrefs:1|bs:1000)\n"
            "  words  sentences   BLEU  95 % interval  chrF2  length ratio\n"
            "   1-10      1,200  30.50  9.25 to 40.00  55.12         0.988\n"
            "    all      1,200  30.50  9.25 to 40.00  55.12             -\n");
}

TEST(LengthTable, BeginsWithTheNamesOfSeveralSystems) {
  const std::vector<eval::LengthReport> systems{report("größer"), report("b")};
  const std::string text = length_table_text(systems);
  EXPECT_NE(text.find("\n  system  words  sent"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  größer   1-10      1,200"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  b        1-10      1,200"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  b         all      1,200"), std::string::npos) << text;
}

TEST(LengthTable, IsTabSeparatedForPrograms) {
  EXPECT_EQ(length_table_tsv(report("")),
            "words\tsentences\tBLEU|nrefs:1|bs:1000\tlower\tupper\tchrF2|nrefs:1\tlength ratio\n"
            "1-10\t1200\t30.5000\t9.2500\t40.0000\t55.1250\t0.9877\n"
            "all\t1200\t30.5000\t9.2500\t40.0000\t55.1250\t-\n");
}

}  // namespace
}  // namespace dragoman::cli
