#include "dragoman/eval/by_length.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/eval/chrf.h"
#include "dragoman/eval/testing.h"

namespace dragoman::eval {
namespace {

// Sources of 0, 2, 3, 4 and 7 words.
const Sentences kSources{"", "a b", " a  b c ", "a b c d", "a b c d e f g"};
const Sentences kHypotheses{"", "the cat sat on the mat", "there is a dog on the mat .", "a small house",
                            "we saw the red car in the street"};
const Sentences kReferences{"yes", "the cat is on the mat", "there is a cat on the mat .", "a small house here",
                            "we saw a red car in the street today"};

LengthScores scored(const Sentences& sources, const Sentences& hypotheses, const Sentences& references, int width) {
  const BleuMetric bleu;
  const Chrf chrf;
  const SentenceStatistics of_bleu = corpus_statistics(bleu, hypotheses, references);
  const SentenceStatistics of_chrf = corpus_statistics(chrf, hypotheses, references);
  return scores_by_length(
      {.sources = sources, .bleu = bleu, .bleu_statistics = of_bleu, .chrf = chrf, .chrf_statistics = of_chrf}, width);
}

void expect_scores(const LengthBucket& bucket, const Sentences& hypotheses, const Sentences& references) {
  EXPECT_EQ(bucket.sentences, std::ssize(hypotheses));
  EXPECT_EQ(bucket.bleu, corpus_bleu(hypotheses, references).score);
  EXPECT_EQ(bucket.chrf, corpus_score(Chrf(), hypotheses, references));
}

TEST(LengthBucket, BeginsWithOneWordAndEndsWithAMultipleOfTheWidth) {
  EXPECT_EQ(length_bucket(1, 5), 0);
  EXPECT_EQ(length_bucket(5, 5), 0);
  EXPECT_EQ(length_bucket(6, 5), 1);
  EXPECT_EQ(length_bucket(10, 5), 1);
  EXPECT_EQ(length_bucket(11, 5), 2);
  EXPECT_EQ(length_bucket(3, 1), 2);
}

TEST(LengthBucket, TakesSourcesWithoutWordsAsTheFirst) { EXPECT_EQ(length_bucket(0, 5), 0); }

TEST(ScoresByLength, AreThoseOfTheSentencesOfTheBucketAlone) {
  const LengthScores scores = scored(kSources, kHypotheses, kReferences, 2);
  ASSERT_EQ(scores.buckets.size(), 3u);  // there is no sentence of 5 or 6 words
  expect_scores(scores.buckets[0], {kHypotheses[0], kHypotheses[1]}, {kReferences[0], kReferences[1]});
  expect_scores(scores.buckets[1], {kHypotheses[2], kHypotheses[3]}, {kReferences[2], kReferences[3]});
  expect_scores(scores.buckets[2], {kHypotheses[4]}, {kReferences[4]});
  expect_scores(scores.all, kHypotheses, kReferences);
}

TEST(ScoresByLength, SayWhichLengthsABucketHas) {
  const LengthScores scores = scored(kSources, kHypotheses, kReferences, 2);
  ASSERT_EQ(scores.buckets.size(), 3u);
  EXPECT_EQ(scores.buckets[0].first, 1);
  EXPECT_EQ(scores.buckets[0].last, 2);
  EXPECT_EQ(scores.buckets[2].first, 7);
  EXPECT_EQ(scores.buckets[2].last, 8);
  EXPECT_EQ(scores.all.first, 1);
  EXPECT_EQ(scores.all.last, 8);
}

TEST(ScoresByLength, DivideTheLengthOfTheHypothesesByThatOfTheReferences) {
  const LengthScores scores = scored(kSources, kHypotheses, kReferences, 4);
  ASSERT_EQ(scores.buckets.size(), 2u);
  EXPECT_DOUBLE_EQ(*scores.buckets[0].ratio, 17.0 / 19.0);  // 0 + 6 + 8 + 3 tokens, and 1 + 6 + 8 + 4
  EXPECT_DOUBLE_EQ(*scores.buckets[1].ratio, 8.0 / 9.0);
  EXPECT_FALSE(scored({"a"}, {"b"}, {""}, 4).all.ratio);
}

TEST(ScoresByLength, GiveTheIntervalOfTheBootstrap) {
  const LengthScores scores = scored(kSources, kHypotheses, kReferences, 100);
  const Bounds interval = scores.all.interval;
  const SentenceStatistics statistics = corpus_statistics(BleuMetric(), kHypotheses, kReferences);
  EXPECT_LT(interval.lower, scores.all.bleu);
  EXPECT_GT(interval.upper, scores.all.bleu);
  EXPECT_EQ((interval.upper - interval.lower) / 2, confidence_interval(BleuMetric(), statistics, {}).half_width);
  EXPECT_EQ(scores.buckets[0].interval.lower, interval.lower);  // the same sentences
  EXPECT_EQ(scores.buckets[0].interval.upper, interval.upper);
}

TEST(ScoresByLength, HaveAnIntervalWithoutWidthForOneSentence) {
  const LengthBucket all = scored({"a b"}, {kHypotheses[4]}, {kReferences[4]}, 2).all;
  EXPECT_EQ(all.interval.lower, all.interval.upper);
  EXPECT_NEAR(all.interval.lower, all.bleu, 1e-4);  // resampled corpora are added up in single precision
}

TEST(ScoresByLength, HaveNarrowerIntervalsForMoreSentences) {
  Sentences sources, hypotheses, references;
  for (int i = 0; i < 20; ++i) {
    sources.insert(sources.end(), kSources.begin(), kSources.end());
    hypotheses.insert(hypotheses.end(), kHypotheses.begin(), kHypotheses.end());
    references.insert(references.end(), kReferences.begin(), kReferences.end());
  }
  const LengthBucket few = scored(kSources, kHypotheses, kReferences, 9).all;
  const LengthBucket many = scored(sources, hypotheses, references, 9).all;
  EXPECT_DOUBLE_EQ(few.bleu, many.bleu);
  EXPECT_LT(many.interval.upper - many.interval.lower, (few.interval.upper - few.interval.lower) / 2);
}

TEST(ScoresByLength, RefuseStatisticsOfOtherSentences) {
  EXPECT_THROW(scored({"a", "b"}, {"c"}, {"d"}, 2), ShapeError);
}

}  // namespace
}  // namespace dragoman::eval
