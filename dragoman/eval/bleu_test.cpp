#include "dragoman/eval/bleu.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dragoman/base/error.h"

namespace dragoman::eval {
namespace {

using Sentences = std::vector<std::string>;
using Orders = std::array<std::int64_t, kBleuOrder>;

struct Example {
  Sentences hypotheses, references;
  Orders correct, total;
  std::int64_t hypothesis_length, reference_length;
  double exp, none, effective;
};

// Worked examples, whose scores an independent implementation and sacreBLEU agree on.
const std::vector<Example> kExamples{
    {{"the the the the the the the"},
     {"the cat is on the mat"},
     {2, 0, 0, 0},
     {7, 6, 5, 4},
     7,
     6,
     7.809850,
     0,
     7.809850},
    {{"The quick fox jumped over the dog."},
     {"The quick brown fox jumped over the lazy dog."},
     {8, 5, 2, 1},
     {8, 7, 6, 5},
     8,
     10,
     36.380742,
     36.380742,
     36.380742},
    {{"the cat sat on the mat", "there is a cat on the mat ."},
     {"the cat is on the mat", "there is a cat on the mat ."},
     {13, 10, 7, 5},
     {14, 12, 10, 8},
     14,
     14,
     76.278656,
     76.278656,
     76.278656},
    {{"A B B C D"}, {"A B C D E F"}, {4, 3, 1, 0}, {5, 4, 3, 2}, 5, 6, 38.715387, 0, 38.715387},
    {{"hello world"}, {"hello world"}, {2, 1, 0, 0}, {2, 1, 0, 0}, 2, 2, 0, 0, 100},
    {{"It costs $1,234.50 (about 10-20% more), e.g. in the U.S."},
     {"It costs $1,234.50 (around 10-20% more), e.g. in the U.S."},
     {22, 20, 18, 16},
     {23, 22, 21, 20},
     23,
     23,
     87.874191,
     87.874191,
     87.874191},
    {{"Die Katze sa\xC3\x9F auf der Matte.", "Hallo Welt!"},
     {"Die Katze sitzt auf der Matte.", "Hallo, Welt!"},
     {9, 5, 2, 1},
     {10, 8, 6, 4},
     10,
     11,
     42.102305,
     42.102305,
     42.102305}};

TEST(Bleu, AgreesWithTheWorkedExamples) {
  for (const Example& example : kExamples) {
    const Bleu result = corpus_bleu(example.hypotheses, example.references);
    EXPECT_EQ(result.statistics.correct, example.correct);
    EXPECT_EQ(result.statistics.total, example.total);
    EXPECT_EQ(result.statistics.hypothesis_length, example.hypothesis_length);
    EXPECT_EQ(result.statistics.reference_length, example.reference_length);
    EXPECT_NEAR(result.score, example.exp, 5e-7) << example.hypotheses[0];
    EXPECT_NEAR(bleu(result.statistics, {.smoothing = Smoothing::kNone}).score, example.none, 5e-7);
    EXPECT_NEAR(bleu(result.statistics, {.effective_order = true}).score, example.effective, 5e-7);
  }
}

TEST(Bleu, ShortHypothesesArePenalised) {
  EXPECT_NEAR(corpus_bleu(kExamples[1].hypotheses, kExamples[1].references).brevity_penalty, 0.778801, 5e-7);
  EXPECT_EQ(corpus_bleu(kExamples[0].hypotheses, kExamples[0].references).brevity_penalty, 1);
}

TEST(Bleu, A100DoesNotMeanThatTheStringsAreEqual) {
  const Sentences hypothesis{"x y z A x y z B x y z"}, reference{"x y z B x y z A x y z"};
  EXPECT_NEAR(corpus_bleu(hypothesis, reference).score, 100, 1e-9);
}

TEST(Bleu, OfNothingIsZero) {
  EXPECT_EQ(corpus_bleu({}, {}).score, 0);
  const Sentences empty{""}, sentence{"the cat"}, other{"a dog"};
  EXPECT_EQ(corpus_bleu(empty, sentence).score, 0);
  EXPECT_EQ(corpus_bleu(empty, sentence).brevity_penalty, 0);
  EXPECT_EQ(corpus_bleu(sentence, empty).score, 0);
  EXPECT_EQ(corpus_bleu(sentence, other).score, 0);
}

TEST(Bleu, EachNgramMayComeFromAnotherReference) {
  const Sentences references{"the cat sat down", "a cat lay there today"};
  const BleuStatistics statistics = bleu_statistics("the cat lay", references);
  EXPECT_EQ(statistics.correct, (Orders{3, 2, 0, 0}));
  EXPECT_EQ(statistics.reference_length, 4);
}

TEST(Bleu, OfReferencesEquallyNearTheShorterCounts) {
  const Sentences references{"a b c d", "a b"};
  EXPECT_EQ(bleu_statistics("a b c", references).reference_length, 2);
}

TEST(Bleu, PrintsAsSacreBleuDoes) {
  EXPECT_EQ(bleu_text(corpus_bleu(kExamples[1].hypotheses, kExamples[1].references)),
            "36.38 100.0/71.4/33.3/20.0 (BP = 0.779 ratio = 0.800 hyp_len = 8 ref_len = 10)");
  EXPECT_EQ(bleu_signature({}), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  EXPECT_EQ(bleu_signature({.smoothing = Smoothing::kNone, .effective_order = true}, 2),
            "nrefs:2|case:mixed|eff:yes|tok:13a|smooth:none");
}

TEST(Bleu, NeedsAReferenceForEachHypothesis) {
  const Sentences one{"a"}, two{"a", "b"};
  EXPECT_THROW(corpus_bleu(one, two), ShapeError);
  EXPECT_THROW(bleu_statistics("a", {}), ShapeError);
}

}  // namespace
}  // namespace dragoman::eval
