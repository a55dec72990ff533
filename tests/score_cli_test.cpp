// Tests `dragoman score` from the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/eval/unicode.h"
#include "tests/program.h"

namespace dragoman {
namespace {

class ScoreCommand : public ::testing::Test {
 protected:
  ScoreCommand() {
    write(reference, "The quick brown fox jumped over the lazy dog.\n");
    write(hypothesis, "The quick fox jumped over the dog.\n");
  }
  ~ScoreCommand() override {
    for (const std::string& file : {reference, hypothesis, other}) std::filesystem::remove(file);
  }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

  Ending score(const std::string& flags = "") const {
    return run("score --reference " + reference + " --hypothesis " + hypothesis + " " + flags);
  }
  Json score_json(const std::string& flags = "") const {
    const Ending ending = score("--json " + flags);
    EXPECT_EQ(ending.status, 0) << ending.err;
    return try_parse_json(ending.out);
  }
  // Six sentences with a reference and the translations of two systems.
  void write_systems() const {
    write(hypothesis,
          "the cat sat on the mat\nthere is a dog on the mat .\na small house\nit rains today\nwe saw the red car\n"
          "she reads\n");
    write(other,
          "the cat is on the mat\nthere is a cat on the mat .\nthe small house\nit will rain today\n"
          "we have seen a red car\nshe reads a book\n");
    write(reference,
          "the cat is on the mat\nthere is a cat on the mat .\na little house\nit will rain today\nwe saw a red car\n"
          "she is reading a book\n");
  }

  std::string reference = scratch(".reference"), hypothesis = scratch(".hypothesis"), other = scratch(".other");
};

TEST_F(ScoreCommand, PrintsWhatSacreBleuPrints) {
  const std::string lines =
      "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp = 36.38 100.0/71.4/33.3/20.0 "
      "(BP = 0.779 ratio = 0.800 hyp_len = 8 ref_len = 10)\n"
      "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no = 62.60\n";
  EXPECT_EQ(score().out, lines);
  EXPECT_EQ(run("score --reference " + reference + " <" + hypothesis).out, lines);
}

TEST_F(ScoreCommand, PrintsOtherScoresOnRequest) {
  EXPECT_EQ(score("--smoothing floor --lowercase --chrf-word-order 2 --ter --bleu-d2l 2").out,
            "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:floor[0.10] = 36.38 100.0/71.4/33.3/20.0 "
            "(BP = 0.779 ratio = 0.800 hyp_len = 8 ref_len = 10)\n"
            "chrF2++|nrefs:1|case:lc|eff:yes|nc:6|nw:2|space:no = 64.64\n"
            "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no = 22.22\n"
            "BLEU-d2l|nrefs:1|case:mixed|tok:none|k:2 = 0.6790\n");
}

TEST_F(ScoreCommand, PrintsJson) {
  const Json scores = score_json("--ter");
  EXPECT_NEAR(scores["bleu"]["score"].get<double>(), 36.380742, 5e-7);
  EXPECT_EQ(scores["bleu"]["correct"], (std::vector<int>{8, 5, 2, 1}));
  EXPECT_EQ(scores["bleu"]["signature"], "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  EXPECT_NEAR(scores["chrf"]["score"].get<double>(), 62.595069, 5e-7);
  EXPECT_EQ(scores["ter"]["edits"], 2);
}

TEST_F(ScoreCommand, TakesSeveralReferences) {
  const Ending ending = run("score --reference " + reference + "," + hypothesis + " --hypothesis " + hypothesis);
  EXPECT_TRUE(ending.out.starts_with("BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp = 100.00 ")) << ending.out;
}

TEST_F(ScoreCommand, SplitsCompoundsAsInThePaper) {
  write(reference, "ein gut-gemeinter Rat , sagte er\n");
  write(hypothesis, "ein gut-gedachter Rat , sagte er\n");
  EXPECT_TRUE(
      score("--compound-split")
          .out.starts_with(
              "BLEU|nrefs:1|case:mixed|eff:no|tok:none|smooth:none|compounds:split = 50.00 87.5/71.4/50.0/20.0 "));
  expect_one_sentence(score("--compound-split --tokenizer zh"), 2, "for text that is already tokenised");
}

TEST_F(ScoreCommand, ScoresEachSentence) {
  write(reference, "a b\nc d\n");
  write(hypothesis, "a b\nx\n");
  EXPECT_EQ(score("--sentence-level").out,
            "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp\tchrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no\n"
            "100.00\t100.00\n0.00\t0.00\n");
  EXPECT_EQ(score_json("--sentence-level")["chrf"]["scores"], (std::vector<double>{100, 0}));
}

TEST_F(ScoreCommand, GivesConfidenceIntervals) {
  write_systems();
  EXPECT_EQ(
      score("--confidence --ter").out,
      "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp = 27.18 (μ = 26.23 ± 14.73) "
      "77.8/47.6/26.7/10.0 (BP = 0.862 ratio = 0.871 hyp_len = 27 ref_len = 31)\n"
      "chrF2|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no = 47.77 (μ = 47.33 ± 14.49)\n"
      "TER|nrefs:1|bs:1000|seed:12345|case:lc|tok:tercom|norm:no|punct:yes|asian:no = 32.26 (μ = 32.87 ± 18.85)\n");
}

TEST_F(ScoreCommand, ComparesSystems) {
  write_systems();
  const Ending ending = score("--system " + other + " --paired bootstrap");
  const std::string padding(hypothesis.size() - other.size(), ' ');
  EXPECT_EQ(ending.out, "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp\n  " + hypothesis +
                            "  27.18 (26.23 ± 14.73)\n  " + other + padding +
                            "  73.13 (70.23 ± 32.32) (p = 0.0010)*\n"
                            "chrF2|nrefs:1|bs:1000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no\n  " +
                            hypothesis + "  47.77 (47.33 ± 14.49)\n  " + other + padding +
                            "  73.36 (73.06 ± 22.76) (p = 0.0010)*\n");
  const Json systems = score_json("--system " + other + " --paired randomisation")["systems"];
  EXPECT_EQ(systems[0]["system"], hypothesis);
  EXPECT_FALSE(systems[0]["bleu"].contains("p_value"));
  EXPECT_EQ(systems[1]["bleu"]["p_value"], 0.032596740325967405);
  EXPECT_EQ(systems[1]["chrf"]["signature"], "nrefs:1|ar:10000|seed:12345|case:mixed|eff:yes|nc:6|nw:0|space:no");
}

TEST_F(ScoreCommand, FilesMustHaveTheSameNumberOfLines) {
  const std::string command = kProgram + " score --reference " + reference;
  expect_one_sentence(shell("printf 'a\\nb\\n' | " + command), 2, "has only 1 line, but standard input has more");
  expect_one_sentence(shell(command + " </dev/null"), 2, "standard input is empty, but '" + reference + "' is not;");
  write(other, "a\nb\n");
  expect_one_sentence(score("--system " + other), 2, "has only 1 line, but '" + other + "' has more");
  write(reference, "");
  expect_one_sentence(shell(command + " </dev/null"), 2, "standard input is empty: there is nothing to score");
}

TEST_F(ScoreCommand, BadFilesAreNamed) {
  expect_one_sentence(run("score --reference /no/such/file --hypothesis " + hypothesis), 1, "/no/such/file");
  write(other, "fine\nnot \xFF fine\n");
  write(reference, "a\nb\n");
  expect_one_sentence(run("score --reference " + reference + " --hypothesis " + other), 2, "line 2 is not UTF-8");
}

TEST_F(ScoreCommand, FlagsThatMakeNoSenseAreRefused) {
  expect_one_sentence(run("score"), 2, "score: --reference FILE is missing;");
  expect_one_sentence(run("score --reference -"), 2, "only one file can be standard input");
  expect_one_sentence(score("--paired bootstrap"), 2, "name it with --system");
  expect_one_sentence(score("--paired bootstrap --confidence --system " + other), 2,
                      "--confidence cannot be combined with --paired");
  expect_one_sentence(score("--sentence-level --confidence"), 2, "--sentence-level takes neither");
  expect_one_sentence(score("--smoothing-value 0.5"), 2, "--smoothing-value is for --smoothing floor");
  expect_one_sentence(score("--smoothing floor --smoothing-value -1"), 2, "must not be below 0");
  expect_one_sentence(score("--tokenizer moses"), 2, "'moses' is not one of 13a, intl, zh, char, none");
  expect_one_sentence(score("--ter-normalized"), 2, "need --ter");
  expect_one_sentence(score("--chrf-word-order -1"), 2, "it must be from 0 to 20");
  expect_one_sentence(score("--trials -1"), 2, "trials is -1");
}

TEST_F(ScoreCommand, WithoutIcuItSaysWhatIsMissing) {
  if (eval::knows_unicode()) GTEST_SKIP() << "this build has ICU";
  expect_one_sentence(score("--tokenizer intl"), 1,
                      "this build of dragoman has no ICU and therefore no tokenizer 'intl'");
  write(hypothesis, "\xC3\x84\n");
  expect_one_sentence(score("--lowercase"), 1, "converts only ASCII to lower case");
}

}  // namespace
}  // namespace dragoman
