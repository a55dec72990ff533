#include "dragoman/eval/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dragoman/base/error.h"
#include "dragoman/eval/testing.h"

namespace dragoman::eval {
namespace {

TEST(Bleu, AgreesWithTheWorkedExamples) {
  for (const WorkedExample& example : kWorkedExamples) {
    const Bleu result = corpus_bleu(example.hypotheses, example.references);
    EXPECT_EQ(result.statistics.correct, example.correct);
    EXPECT_EQ(result.statistics.total, example.total);
    EXPECT_EQ(result.statistics.hypothesis_length, example.hypothesis_length);
    EXPECT_EQ(result.statistics.reference_length, example.reference_length);
    EXPECT_NEAR(result.score, example.bleu_exp, 5e-7) << example.hypotheses[0];
    EXPECT_NEAR(bleu(result.statistics, {.smoothing = BleuSmoothing::kNone}).score, example.bleu_none, 5e-7);
    EXPECT_NEAR(bleu(result.statistics, {.effective_order = true}).score, example.bleu_effective, 5e-7);
  }
}

TEST(Bleu, ShortHypothesesArePenalised) {
  const auto penalty = [](const WorkedExample& example) {
    return corpus_bleu(example.hypotheses, example.references).brevity_penalty;
  };
  EXPECT_NEAR(penalty(kWorkedExamples[1]), 0.778801, 5e-7);
  EXPECT_EQ(penalty(kWorkedExamples[0]), 1);
}

TEST(Bleu, AScoreOf100DoesNotMeanThatTheStringsAreEqual) {
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

TEST(Bleu, AtATieTheShorterReferenceCounts) {
  const Sentences references{"a b c d", "a b"};
  EXPECT_EQ(bleu_statistics("a b c", references).reference_length, 2);
}

// 4, 3, 1 and 0 of 5, 4, 3 and 2 n-grams match, and the penalty is exp(-1/5).
TEST(Bleu, SmoothingFillsOrdersWithoutAMatch) {
  const BleuStatistics statistics = bleu_statistics("A B B C D", Sentences{"A B C D E F"});
  const auto score = [&](const BleuSettings& settings) { return bleu(statistics, settings).score; };
  const auto expected = [](double product) { return 100 * std::exp(-0.2) * std::pow(product, 0.25); };
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::kExp}), expected(0.8 * 0.75 / 3 * (0.5 / 2)), 1e-12);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::kFloor}), expected(0.8 * 0.75 / 3 * (0.1 / 2)), 1e-12);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::kFloor, .smoothing_value = 0.5}), expected(0.8 * 0.75 / 3 * (0.5 / 2)),
              1e-12);
  EXPECT_NEAR(score({.smoothing = BleuSmoothing::kAddK}), expected(0.8 * (4 / 5.0) * (2 / 4.0) * (1 / 3.0)), 1e-12);
  EXPECT_EQ(score({.smoothing = BleuSmoothing::kNone}), 0);
}

TEST(Bleu, TokenisesAsItsSettingsSay) {
  const auto length = [](const BleuSettings& settings) {
    return bleu_statistics("ab-cd, ef", Sentences{"x"}, settings).hypothesis_length;
  };
  EXPECT_EQ(length({}), 3);  // ab-cd , ef
  EXPECT_EQ(length({.tokenizer = Tokenization::kNone}), 2);
  EXPECT_EQ(length({.tokenizer = Tokenization::kChar}), 8);
  EXPECT_EQ(length({.split_compounds = true}), 5);
  EXPECT_EQ(length({.tokenizer = Tokenization::kNone, .split_compounds = true}), 4);
}

TEST(Bleu, MayIgnoreCase) {
  const BleuSettings settings{.lowercase = true};
  EXPECT_EQ(bleu_statistics("The CAT", Sentences{"the cat"}, settings).correct[0], 2);
  EXPECT_EQ(bleu_statistics("The CAT", Sentences{"the cat"}).correct[0], 0);
}

TEST(Bleu, PrintsAsSacreBleuDoes) {
  const BleuMetric metric;
  EXPECT_EQ(
      metric.details(corpus_statistics(metric, kWorkedExamples[1].hypotheses, kWorkedExamples[1].references).sums()),
      "100.0/71.4/33.3/20.0 (BP = 0.779 ratio = 0.800 hyp_len = 8 ref_len = 10)");
  EXPECT_EQ(signature(metric, 1), "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  EXPECT_EQ(signature(BleuMetric({.smoothing = BleuSmoothing::kNone, .effective_order = true}), 2),
            "nrefs:2|case:mixed|eff:yes|tok:13a|smooth:none");
  EXPECT_EQ(
      signature(BleuMetric({.tokenizer = Tokenization::kZh, .smoothing = BleuSmoothing::kFloor, .lowercase = true}), 1),
      "nrefs:1|case:lc|eff:no|tok:zh|smooth:floor[0.10]");
  EXPECT_EQ(signature(BleuMetric({.smoothing = BleuSmoothing::kAddK}), std::nullopt, "bs:1000|seed:12345"),
            "nrefs:var|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:add-k[1.00]");
}

TEST(Bleu, BleuMetricGivesTheScoreOfCorpusBleu) {
  for (const WorkedExample& example : kWorkedExamples) {
    EXPECT_EQ(corpus_score(BleuMetric(), example.hypotheses, example.references),
              corpus_bleu(example.hypotheses, example.references).score);
  }
  EXPECT_EQ(BleuMetric().score({}), 0);
}

TEST(Bleu, NeedsAReferenceForEachHypothesis) {
  const Sentences one{"a"}, two{"a", "b"};
  EXPECT_THROW(corpus_bleu(one, two), ShapeError);
  EXPECT_THROW(corpus_statistics(BleuMetric(), one, two), ShapeError);
  EXPECT_THROW(bleu_statistics("a", {}), ShapeError);
}

}  // namespace
}  // namespace dragoman::eval
