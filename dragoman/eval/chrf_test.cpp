#include "dragoman/eval/chrf.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/eval/testing.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {
namespace {

TEST(Chrf, AgreesWithTheWorkedExamples) {
  for (const WorkedExample& example : kWorkedExamples) {
    EXPECT_NEAR(corpus_score(Chrf(), example.hypotheses, example.references), example.chrf2, 5e-7)
        << example.hypotheses[0];
  }
}

// abc against abd: 2 of 3 characters match, 1 of 2 pairs, 0 of 1 triples. P = R = (2/3 + 1/2 + 0) / 3.
TEST(Chrf, IsTheFScoreOfMeanPrecisionAndRecall) {
  EXPECT_EQ(Chrf().statistics("abc", Sentences{"abd"}),
            (Statistics{3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_NEAR(sentence_score(Chrf(), "abc", {"abd"}), 100 * 7 / 18.0, 1e-12);
}

// ab against abcd: P = (1 + 1) / 2 = 1, R = (1/2 + 1/3) / 2 = 5/12; beta = 2 gives R the weight 4.
TEST(Chrf, CountsRecallMore) {
  EXPECT_NEAR(sentence_score(Chrf(), "ab", {"abcd"}), 100 * 5 * (5 / 12.0) / (4 + 5 / 12.0), 1e-12);
  EXPECT_GT(sentence_score(Chrf(), "abcd", {"ab"}), sentence_score(Chrf(), "ab", {"abcd"}));
}

TEST(Chrf, IgnoresSpacesByDefault) {
  EXPECT_EQ(sentence_score(Chrf(), "a b c", {"abc"}), 100);
  EXPECT_LT(sentence_score(Chrf({.whitespace = true}), "a b c", {"abc"}), 100);
}

TEST(Chrf, ACharacterIsACodePoint) {
  EXPECT_EQ(Chrf().statistics("\xC3\xA4", Sentences{"\xC3\xB6"})[0], 1);
  EXPECT_EQ(sentence_score(Chrf(), "\xC3\xA4", {"\xC3\xB6"}), 0);
}

// Only one mark is split off: the last character if it is a mark, otherwise the first. "(hi)" becomes "(hi" and ")".
TEST(ChrfPlusPlus, SplitsOnePunctuationMarkOffAWord) {
  const Chrf words({.character_order = 0, .word_order = 2});
  EXPECT_EQ(words.statistics("(hi) a", Sentences{"(hi)"}), (Statistics{3, 2, 2, 2, 1, 1}));
  EXPECT_EQ(words.statistics("\"a .", Sentences{"\" a ."}), (Statistics{3, 3, 3, 2, 2, 2}));
}

// sacreBLEU 2.6.0 prints these scores.
TEST(ChrfPlusPlus, AgreesWithSacreBleu) {
  EXPECT_NEAR(corpus_score(Chrf({.word_order = 2}), kWorkedExamples[1].hypotheses, kWorkedExamples[1].references),
              64.638201, 5e-7);
}

TEST(Chrf, TheBestReferenceCounts) { EXPECT_EQ(sentence_score(Chrf(), "abc", {"xyz", "abc", "abd"}), 100); }

TEST(Chrf, OfNothingIsZero) {
  EXPECT_EQ(sentence_score(Chrf(), "", {""}), 0);
  EXPECT_EQ(sentence_score(Chrf(), "", {"a"}), 0);
  EXPECT_EQ(sentence_score(Chrf(), "a", {""}), 0);
  EXPECT_EQ(Chrf().score({}), 0);
  EXPECT_THROW(Chrf().statistics("a", {}), ShapeError);
}

TEST(Chrf, HasSacreBleusNameAndSignature) {
  EXPECT_EQ(Chrf().name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2}).name(), "chrF2++");
  EXPECT_EQ(signature(Chrf(), 1), "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no");
  EXPECT_EQ(signature(Chrf({.word_order = 2, .lowercase = true, .whitespace = true}), 2),
            "nrefs:2|case:lc|eff:yes|nc:6|nw:2|space:yes");
}

TEST(Chrf, MayIgnoreCase) {
  EXPECT_EQ(sentence_score(Chrf({.lowercase = true}), "ABC", {"abc"}), 100);
  EXPECT_EQ(sentence_score(Chrf(), "ABC", {"abc"}), 0);
}

}  // namespace
}  // namespace dragoman::eval
