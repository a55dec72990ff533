#include "dragoman/health/corpus.h"

#include "dragoman/data/testing.h"
#include "dragoman/health/corpus_findings.h"
#include "dragoman/health/testing.h"

namespace dragoman::health {
namespace {

struct Lines {
  std::string source, target;

  void add(const std::string& a, const std::string& b) {
    source += a + "\n";
    target += b + "\n";
  }
};

// `count` different pairs of good sentences.
Lines sound(int count, const std::string& name = "no") {
  Lines lines;
  for (int i = 0; i < count; ++i) {
    const std::string number = " " + name + " " + std::to_string(i);
    lines.add(kEnglish[i % 5] + number, kGerman[i % 5] + number);
  }
  return lines;
}

class CorpusHealth : public data::CorpusTest {
 protected:
  data::ParallelFiles files(const std::string& name, const Lines& lines) const {
    return {write(name + ".en", lines.source), write(name + ".de", lines.target)};
  }
  CorpusReport examine(const Lines& training) const { return examine_corpus({.training = {files("train", training)}}); }

  // The findings of one check.
  static std::vector<Finding> findings(const CorpusReport& report, const std::string& check,
                                       const LanguageTags& tags = {}) {
    std::vector<Finding> found;
    for (const Section& section : corpus_sections(report, tags)) {
      for (const Finding& finding : section.findings) {
        if (finding.check == check) found.push_back(finding);
      }
    }
    return found;
  }
  // Checks that exactly one finding of this check exists, with this level and these numbers.
  static void expect_finding(const CorpusReport& report, const std::string& check, Level level, std::int64_t count,
                             std::int64_t of) {
    const std::vector<Finding> found = findings(report, check);
    ASSERT_EQ(found.size(), 1u) << check;
    EXPECT_EQ(found[0].level, level) << found[0].text;
    EXPECT_EQ(found[0].count, count) << found[0].text;
    EXPECT_EQ(found[0].of, of) << found[0].text;
    EXPECT_EQ(found[0].advice.empty(), level == Level::kGood) << found[0].text;
  }
  static std::int64_t problems(const CorpusReport& report, const LanguageTags& tags = {}) {
    std::int64_t count = 0;
    for (const Section& section : corpus_sections(report, tags)) {
      count += section.count(Level::kError) + section.count(Level::kWarning);
    }
    return count;
  }
};

TEST_F(CorpusHealth, OfSoundTextIsGood) {
  const CorpusReport report = examine_corpus({.training = {files("train", sound(200))},
                                              .validation = files("valid", sound(20, "valid")),
                                              .test = files("test", sound(20, "test"))});
  EXPECT_EQ(problems(report, {.source = "en", .target = "de"}), 0);
  ASSERT_EQ(report.training.size(), 1u);
  EXPECT_EQ(report.training[0].pairs, 200);
  EXPECT_EQ(report.training[0].usable, 200);
  EXPECT_EQ(report.repeats.distinct_pairs, 200);
  EXPECT_EQ(findings(report, "language", {.source = "en", .target = "de"}).size(), 6u);
}

TEST_F(CorpusHealth, DoesNotDependOnTheNumberOfThreads) {
  Lines lines = sound(20'000);
  for (int i = 0; i < 50; ++i) lines.add("a\x01", "");
  const data::ParallelFiles text = files("train", lines);
  const CorpusReport one = examine_corpus({.training = {text}, .threads = 1});
  const CorpusReport three = examine_corpus({.training = {text}, .threads = 3});
  EXPECT_EQ(one.training[0].usable, 20'000);
  EXPECT_EQ(one.training[0].usable, three.training[0].usable);
  EXPECT_EQ(one.training[0].source.characters, three.training[0].source.characters);
  EXPECT_EQ(one.training[0].empty.lines, three.training[0].empty.lines);
  EXPECT_EQ(one.training[0].empty.examples, three.training[0].empty.examples);
  EXPECT_EQ(one.training[0].lengths.correlation(), three.training[0].lengths.correlation());
}

TEST_F(CorpusHealth, FindsDifferentNumbersOfLines) {
  Lines lines = sound(10);
  lines.target += "noch eine\n";
  const CorpusReport report = examine(lines);
  ASSERT_EQ(findings(report, "line-counts").size(), 1u);
  EXPECT_EQ(findings(report, "line-counts")[0].level, Level::kError);
  EXPECT_EQ(report.training[0].pairs, 10);
  EXPECT_EQ(report.training[0].target.lines, 11);
}

TEST_F(CorpusHealth, FindsFilesThatCannotBeReadOrHoldNothing) {
  const CorpusReport missing = examine_corpus({.training = {{directory / "none.en", directory / "none.de"}}});
  ASSERT_EQ(findings(missing, "readable").size(), 1u);
  const CorpusReport untested =
      examine_corpus({.training = {{directory / "none.en", directory / "none.de"}}, .test = files("test", sound(20))});
  EXPECT_TRUE(findings(untested, "leakage-test-training").empty());
  EXPECT_TRUE(findings(untested, "wrong-language").empty());
  EXPECT_EQ(findings(missing, "readable")[0].level, Level::kError);
  const CorpusReport empty = examine({});
  ASSERT_EQ(findings(empty, "no-pairs").size(), 1u);
  EXPECT_EQ(findings(empty, "no-pairs")[0].level, Level::kError);
  EXPECT_TRUE(findings(empty, "size").empty());  // nothing about it is well
  Lines lines = sound(3);
  lines.add(std::string((1 << 20) + 1, 'x'), "y");
  EXPECT_EQ(findings(examine(lines), "readable")[0].level, Level::kError);
}

TEST_F(CorpusHealth, FindsEmptySides) {
  Lines lines = sound(199);
  lines.add("", "leer");
  expect_finding(examine(lines), "empty", Level::kGood, 1, 200);
  lines.add("empty", " ");
  lines.add("", "");
  expect_finding(examine(lines), "empty", Level::kWarning, 3, 202);
}

TEST_F(CorpusHealth, FindsDamagedText) {
  const struct {
    const char *check, *line;
    Level level;
  } cases[] = {{"utf8", "caf\xE9", Level::kError},
               {"mojibake", "fÃ¼r", Level::kWarning},
               {"replacement-characters", "f\uFFFDr", Level::kWarning},
               {"control-characters", "a\x01", Level::kWarning},
               {"byte-order-marks", "a\uFEFF", Level::kWarning},
               {"entities", "R&amp;D", Level::kWarning}};
  for (const auto& [check, line, level] : cases) {
    Lines lines = sound(99);
    lines.add("fine", line);
    const CorpusReport report = examine(lines);
    expect_finding(report, check, level, 1, 100);
    const Example example = findings(report, check)[0].examples.at(0);
    EXPECT_EQ(example.line, 100);
    EXPECT_TRUE(example.file.ends_with("train.de"));
    EXPECT_EQ(problems(report), 1) << check;
  }
}

TEST_F(CorpusHealth, FindsOtherEncodingsOfWholeFiles) {
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string("one\ntwo\n")) utf16 += {c, '\0'};
  const CorpusReport report = examine({.source = utf16, .target = "eins\nzwei\n"});
  ASSERT_EQ(findings(report, "utf16").size(), 1u);
  EXPECT_TRUE(findings(report, "line-counts").empty());  // that its lines are other ones follows from it
  EXPECT_EQ(findings(report, "utf16")[0].level, Level::kError);
  const CorpusReport windows = examine({.source = "\xEF\xBB\xBFone\r\ntwo\r\n", .target = "eins\nzwei\n"});
  ASSERT_EQ(findings(windows, "line-ends").size(), 1u);
  EXPECT_EQ(findings(windows, "line-ends")[0].level, Level::kGood);
  EXPECT_EQ(windows.training[0].source.crlf_lines, 2);
  EXPECT_TRUE(windows.training[0].source.byte_order_mark);
}

TEST_F(CorpusHealth, FindsUntranslatedPairs) {
  Lines lines = sound(98);
  lines.add("2 + 2 = 4", "2 + 2 = 4");  // without letters there is nothing to translate
  lines.add("OK", "OK");
  expect_finding(examine(lines), "equal-sides", Level::kWarning, 1, 100);
  const Lines good = sound(100);
  const CorpusReport same = examine({.source = good.source, .target = good.source});
  expect_finding(same, "equal-sides", Level::kError, 100, 100);
}

TEST_F(CorpusHealth, FindsSidesOfUnlikelyLengths) {
  Lines lines = sound(99);
  lines.add("Yes, indeed.", kGerman[0] + std::string(" ") + kGerman[1]);
  expect_finding(examine(lines), "lengths", Level::kWarning, 1, 100);
  lines.add(std::string(1001, 'x'), std::string(1001, 'y'));
  lines.add(std::string(1000, 'x'), std::string(1000, 'y'));
  const std::vector<Finding> found = findings(examine(lines), "long-lines");
  ASSERT_EQ(found.size(), 2u);  // one for each side
  EXPECT_EQ(found[0].count, 1);
}

TEST_F(CorpusHealth, FindsFilesThatDoNotMatchLineByLine) {
  Lines lines;
  for (int i = 0; i < 200; ++i) lines.add(std::string(10 + i % 50, 'a'), std::string(10 + (7 * i + 23) % 50, 'b'));
  ASSERT_EQ(findings(examine(lines), "alignment").size(), 1u);
  EXPECT_TRUE(findings(examine(sound(200)), "alignment").empty());
}

TEST_F(CorpusHealth, FindsLinesInTheWrongLanguage) {
  Lines lines = sound(98);
  lines.add(kGerman[3], kEnglish[3]);
  lines.add("Hello", "Hallo");
  const std::vector<Finding> found = findings(examine(lines), "wrong-language");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].level, Level::kWarning);
  EXPECT_EQ(found[0].count, 1);
  EXPECT_EQ(found[0].examples.at(0).line, 99);
}

TEST_F(CorpusHealth, FindsSidesThatAreExchanged) {
  const Lines training = sound(100), test = sound(20, "test");
  const CorpusReport report = examine_corpus(
      {.training = {files("train", training)}, .test = files("test", {.source = test.target, .target = test.source})});
  const std::vector<Finding> found = findings(report, "wrong-language");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].level, Level::kError);
  EXPECT_EQ(found[0].count, 20);
  const std::vector<Finding> tagged =
      findings(examine({.source = training.target, .target = training.source}), "language", {"en", "de"});
  ASSERT_EQ(tagged.size(), 2u);
  EXPECT_EQ(tagged[0].level, Level::kError);
}

TEST_F(CorpusHealth, FindsOneLanguageOnBothSides) {
  const Lines one = sound(100), two = sound(100, "other");
  const CorpusReport report = examine({.source = one.source, .target = two.source});
  ASSERT_EQ(findings(report, "same-language").size(), 1u);
  EXPECT_EQ(findings(report, "same-language")[0].level, Level::kWarning);
  EXPECT_TRUE(findings(report, "same-language", {"en", "en"}).empty());  // wanted
  EXPECT_TRUE(findings(examine(one), "same-language").empty());
}

TEST_F(CorpusHealth, FindsDuplicatesInAllOfTheTrainingText) {
  Lines lines = sound(96);
  for (int i = 0; i < 3; ++i) lines.add("Hello", "Hallo");
  lines.add("Hello", "Guten Tag");
  expect_finding(examine(lines), "duplicates", Level::kGood, 2, 100);
  const data::ParallelFiles text = files("train", sound(10));
  const CorpusReport twice = examine_corpus({.training = {text, text}});
  expect_finding(twice, "duplicates", Level::kWarning, 10, 20);
  EXPECT_EQ(findings(twice, "duplicates")[0].examples.at(0).note, "repeats line 1");
}

TEST_F(CorpusHealth, FindsTestTextInTheTrainingText) {
  Lines training = sound(300), test = sound(199, "test");
  training.add("A secret.", "Ein Geheimnis.");
  test.add("a secret", "Anders gesagt.");
  const data::ParallelFiles trained = files("train", training);
  const CorpusReport one = examine_corpus({.training = {trained}, .test = files("test", test)});
  expect_finding(one, "leakage-test-training", Level::kWarning, 1, 200);
  test.add(std::string(kEnglish[1]) + " no 1", "Anders.");
  test.add("Different.", std::string(kGerman[2]) + " no 2");
  const CorpusReport three = examine_corpus({.training = {trained}, .test = files("test", test)});
  expect_finding(three, "leakage-test-training", Level::kError, 3, 202);
  EXPECT_EQ(three.test_in_training->counts.sources, 1);
  EXPECT_EQ(three.test_in_training->counts.targets, 1);
}

TEST_F(CorpusHealth, FindsValidationTextInTrainingAndTestText) {
  const data::ParallelFiles valid = files("valid", sound(20, "held out"));
  const CorpusReport report = examine_corpus({.training = {valid}, .validation = valid, .test = valid});
  expect_finding(report, "leakage-validation-training", Level::kError, 20, 20);
  expect_finding(report, "leakage-validation-test", Level::kError, 20, 20);
  const CorpusReport alone = examine_corpus({.validation = valid});
  EXPECT_FALSE(alone.validation_in_training);
  EXPECT_EQ(problems(alone), 0);
}

TEST_F(CorpusHealth, FindsLinesWithoutATab) {
  const CorpusReport report = examine_corpus({.training = {{write("a.tsv", "one\teins\ntwo zwei\n"), ""}}});
  expect_finding(report, "tabs", Level::kError, 1, 2);
  EXPECT_TRUE(findings(report, "line-counts").empty());
  EXPECT_EQ(report.training[0].pairs, 1);
}

TEST(ShareText, GivesBothNumbersAndTheShare) {
  EXPECT_EQ(share_text(0, 100), "0 of 100");
  EXPECT_EQ(share_text(1'204, 29'000), "1,204 of 29,000 (4.15 %)");
  EXPECT_EQ(share_text(1, 29'000), "1 of 29,000 (below 0.01 %)");
  EXPECT_EQ(share_text(28'999, 29'000), "28,999 of 29,000 (above 99.99 %)");
  EXPECT_EQ(share_text(29'000, 29'000), "29,000 of 29,000 (100.00 %)");
  EXPECT_EQ(share_text(0, 0), "0 of 0");
}

}  // namespace
}  // namespace dragoman::health
