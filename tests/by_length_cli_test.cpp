// Tests `dragoman evaluate --by-length`, its files and charts, and `--join`, from the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "tests/matching.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

class ByLength : public SmallModelTest {
 protected:
  ByLength() {
    write("source", joined(random_lines(40, 1)));
    write("reference", joined(random_lines(40, 2)));
  }
  Ending evaluate(const std::string& flags) const {
    return shell(command(
        "evaluate", "--source " + file("source") + " --reference " + file("reference") + " --search greedy " + flags));
  }
  void evaluates(const std::string& flags) const {
    const Ending ending = evaluate(flags);
    ASSERT_EQ(ending.status, 0) << ending.err;
  }
  Json evaluate_json(const std::string& flags) const {
    const Ending ending = evaluate("--json " + flags);
    EXPECT_EQ(ending.status, 0) << ending.err;
    return try_parse_json(ending.out);
  }
  void expect_usage(const std::string& flags, const std::string& part) const {
    expect_one_sentence(evaluate(flags), 2, part);
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(file(name)); }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(ByLength, PrintsATableAfterTheScores) {
  const std::string plain = evaluate("").out, out = evaluate("--by-length 5").out;
  EXPECT_EQ(out.substr(0, out.find(" sentences in ")), plain.substr(0, plain.find(" sentences in ")));
  const std::string table =
      R"([\s\S]*\n\nby source words \(BLEU\|nrefs:1\|bs:1000\|seed:12345\|case:mixed\|eff:no\|tok:13a\|smooth:exp\)\n)"
      R"(  words  sentences +BLEU +95 % interval +chrF2  length ratio\n)"
      R"(    1-5 +\d+ +[\d.]+ +[\d.]+ to [\d.]+ +[\d.]+ +[\d.]+\n)"
      R"(   6-10 .*\n  11-15 .*\n    all +40 .*\n)";
  EXPECT_FALSE(whole_match(out, table).empty()) << out;
}

TEST_F(ByLength, ScoresABucketAsScoreDoesForItsLinesAlone) {
  const Json found = evaluate_json("--by-length 4 --output " + file("output"));
  const auto sources = lines_of(read_file(file("source"))), references = lines_of(read_file(file("reference"))),
             outputs = lines_of(read_file(file("output")));
  std::vector<std::string> some_references, some_outputs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto words = sources[i].empty() ? 0 : std::count(sources[i].begin(), sources[i].end(), ' ') + 1;
    if (words < 5 || words > 8) continue;
    some_references.push_back(references[i]);
    some_outputs.push_back(outputs[i]);
  }
  const Json bucket = found["by_length"]["buckets"][1];
  const Json expected =
      try_parse_json(run("score --json --confidence --reference " + write("some.reference", joined(some_references)) +
                         " --hypothesis " + write("some.output", joined(some_outputs)))
                         .out);
  EXPECT_EQ(bucket["words"], Json({5, 8}));
  EXPECT_EQ(bucket["sentences"], some_outputs.size());
  EXPECT_EQ(bucket["bleu"], expected["bleu"]["score"]) << expected.dump();
  EXPECT_EQ(bucket["chrf"], expected["chrf"]["score"]);
  EXPECT_EQ(found["by_length"]["all"]["bleu"], found["bleu"]["score"]);
  EXPECT_EQ(found["by_length"]["all"]["chrf"], found["chrf"]["score"]);
  EXPECT_EQ(found["by_length"]["name"], "model");
}

TEST_F(ByLength, WritesTheScoresAsTsvAndAsJson) {
  const Json found = evaluate_json("--by-length 5 --length-scores " + file("scores.json"));
  evaluates("--by-length 5 --length-scores " + file("scores.TSV"));
  Json expected = found["by_length"];
  EXPECT_EQ(expected["name"], "scores");
  expected.erase("name");
  EXPECT_EQ(try_parse_json(read_file(file("scores.json"))), expected);
  const auto lines = lines_of(read_file(file("scores.TSV")));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[0].starts_with("words\tsentences\tBLEU|nrefs:1|bs:1000|seed:12345|"));
  EXPECT_TRUE(lines[1].starts_with("1-5\t" + expected["buckets"][0]["sentences"].dump() + "\t")) << lines[1];
  EXPECT_TRUE(lines[4].starts_with("all\t40\t")) << lines[4];
}

TEST_F(ByLength, DrawsAPictureAndAPage) {
  evaluates("--by-length 5 --chart " + file("chart.svg"));
  evaluates("--by-length 5 --chart " + file("chart.html"));
  const std::string svg = read_file(file("chart.svg")), page = read_file(file("chart.html"));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(has(page, "<th scope=\"row\">6-10</th>"));
}

TEST_F(ByLength, ShowsEarlierSystemsInTableAndChart) {
  evaluates("--by-length 5 --length-scores " + file("first.json"));
  std::filesystem::create_directory(file("other"));
  evaluates("--by-length 5 --beam 2 --search beam --length-scores " + file("other/second.json"));
  const std::string before = read_file(file("first.json"));
  const std::string compare = "--by-length 5 --compare " + file("first.json") + "," + file("other/second.json");
  const Ending ending = evaluate(compare + " --chart " + file("chart.html"));
  ASSERT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(has(ending.out, "\n  model     1-5 ")) << ending.out;
  EXPECT_TRUE(has(ending.out, "\n  first     1-5 ")) << ending.out;
  EXPECT_TRUE(has(ending.out, "\n  second    all ")) << ending.out;
  const std::string page = read_file(file("chart.html"));
  EXPECT_TRUE(has(page, "<li class=\"r0\">model</li><li class=\"r1\">first</li><li class=\"r2\">second</li>"));
  const Json found = evaluate_json(compare);
  EXPECT_EQ(found["compared"][0]["name"], "first");
  EXPECT_EQ(found["compared"][0]["buckets"], found["by_length"]["buckets"]);  // the same search, the same scores
  EXPECT_EQ(found["compared"][1]["name"], "second");
  EXPECT_EQ(read_file(file("first.json")), before);
}

TEST_F(ByLength, TellsSystemsOfTheSameNameApart) {
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(file(name));
    evaluates("--by-length 5 --length-scores " + file(name) + "/run.json");
  }
  const Json found = evaluate_json("--by-length 5 --length-scores " + file("run.json") + " --compare " +
                                   file("a/run.json") + " --compare " + file("b/run.json"));
  EXPECT_EQ(found["by_length"]["name"], "run");
  EXPECT_EQ(found["compared"][0]["name"], "a/run");
  EXPECT_EQ(found["compared"][1]["name"], "b/run");
  const Json two = evaluate_json("--by-length 5 --length-scores " + file("run.tsv") + " --compare " + file("run.json"));
  EXPECT_EQ(two["by_length"]["name"], "run (this run)");
}

TEST_F(ByLength, JoinTranslatesNeighbouringLinesAsOne) {
  write("source", "one two\nthree\n\nfour\nfive six\n");
  write("reference", "one\ntwo\nthree\nfour\nfive\n");
  const Json joined_lines = evaluate_json("--join 2 --by-length 2 --output " + file("joined"));
  EXPECT_EQ(joined_lines["translation"]["sentences"], 3);
  EXPECT_EQ(joined_lines["translation"]["join"], 2);
  EXPECT_EQ(joined_lines["by_length"]["join"], 2);
  EXPECT_EQ(joined_lines["by_length"]["buckets"][0]["sentences"], 2);         // "four" and "five six"
  EXPECT_EQ(joined_lines["by_length"]["buckets"][1]["words"], Json({3, 4}));  // "one two three"
  EXPECT_EQ(read_file(file("joined")), translate("one two three\nfour\nfive six\n", "--search greedy").out);
  // The references are joined in the same way.
  const std::string reference = write("by.hand", "one two\nthree four\nfive\n");
  const Json expected =
      try_parse_json(run("score --json --reference " + reference + " --hypothesis " + file("joined")).out);
  EXPECT_EQ(joined_lines["bleu"], expected["bleu"]);
}

TEST_F(ByLength, JoinOfOneLineChangesNothing) {
  const Json one = evaluate_json("--join 1 --output " + file("one")), none = evaluate_json("--output " + file("none"));
  EXPECT_EQ(one["bleu"], none["bleu"]);
  EXPECT_EQ(read_file(file("one")), read_file(file("none")));
}

TEST_F(ByLength, RefusesWrongUsage) {
  expect_usage("--by-length 0", "'0' is not possible; give a whole number above 0");
  expect_usage("--by-length ten", "'ten'");
  expect_usage("--join 0", "join is 0; it must be at least 1.");
  expect_usage("--chart " + file("c.svg"), "--chart has no effect without --by-length.");
  expect_usage("--length-scores " + file("s.tsv"), "--length-scores has no effect without --by-length.");
  expect_usage("--compare " + file("s.json"), "--compare has no effect without --by-length.");
  expect_usage("--by-length 5 --chart " + file("c.png"), "--chart needs a file that ends in .svg or .html, not '");
  expect_usage("--by-length 5 --chart -", "--chart needs a file that ends in .svg or .html, not '-'.");
  expect_usage("--by-length 5 --length-scores " + file("s.csv"), "needs a file that ends in .tsv or .json, not '");
  expect_usage("--by-length 5 --length-scores " + file("s.tsv") + " --output " + file("./s.tsv"), "name the same file");
  expect_usage("--by-length 5 --chart /no/such/directory/c.svg", "there is no directory '/no/such/directory'");
  EXPECT_FALSE(exists("c.svg") || exists("c.png") || exists("s.tsv") || exists("s.csv"));
}

TEST_F(ByLength, RefusesToReplaceItsInputsAndTheModel) {
  evaluates("--by-length 5 --length-scores " + file("old.json"));
  const std::string before = read_file(file("old.json")), config = read_file(model + "/config.json");
  expect_usage("--by-length 5 --compare " + file("old.json") + " --length-scores " + file("old.json"), "is an input");
  expect_usage("--by-length 5 --compare " + file("old.json") + " --output " + file("old.json"), "is an input");
  expect_usage("--by-length 5 --length-scores " + model + "/config.json", "is a file of a model");
  EXPECT_EQ(read_file(file("old.json")), before);
  EXPECT_EQ(read_file(model + "/config.json"), config);
}

TEST_F(ByLength, RefusesToCompareWhatCannotBeCompared) {
  evaluates("--by-length 5 --length-scores " + file("old.json"));
  const std::string old = file("old.json"), chart = " --chart " + file("chart.svg");
  expect_usage("--by-length 6 --compare " + old + chart, "has buckets of 5 words, and --by-length is 6;");
  expect_usage("--by-length 5 --lowercase --compare " + old + chart, "which cannot be compared with BLEU|nrefs:1|");
  expect_usage("--by-length 5 --chrf-word-order 2 --compare " + old + chart, "cannot be compared with chrF2++|");
  expect_usage("--by-length 5 --compare " + old + "," + old + chart, "twice; name it once.");
  expect_usage("--by-length 5 --compare " + file("source") + chart, "is not JSON.");
  expect_usage("--by-length 5 --compare " + model + "/config.json" + chart, "has no entry 'by_length'.");
  expect_usage("--by-length 5 --compare " + write("cut.json", read_file(old).substr(0, 300)) + chart, "is not JSON.");
  expect_one_sentence(evaluate("--by-length 5 --compare /no/such/file.json"), 1, "cannot read '/no/such/file.json'");
  std::string many = "--by-length 5";
  for (int i = 0; i < 8; ++i) many += " --compare " + write(std::to_string(i) + ".json", read_file(old));
  expect_usage(many, "at most 8 systems, this one included, and --compare names 8;");
  EXPECT_FALSE(exists("chart.svg"));
}

}  // namespace
}  // namespace dragoman
