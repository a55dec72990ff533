#include "dragoman/eval/significance.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/eval/chrf.h"
#include "dragoman/eval/samples.h"
#include "dragoman/eval/ter.h"
#include "dragoman/eval/testing.h"

namespace dragoman::eval {
namespace {

const Sentences kBaseline{"the cat sat on the mat", "there is a dog on the mat .", "a small house",
                          "it rains today",         "we saw the red car",          "she reads"};
const Sentences kSystem{"the cat is on the mat", "there is a cat on the mat .", "the small house",
                        "it will rain today",    "we have seen a red car",      "she reads a book"};
const Sentences kReference{"the cat is on the mat", "there is a cat on the mat .",
                           "a little house",        "it will rain today",
                           "we saw a red car",      "she is reading a book"};

// The results of sacreBLEU 2.6.0 with NumPy 2.4.6 for these sentences, with its default seed and numbers of trials.
struct SacreBleuResults {
  Interval interval, of_baseline, of_system;
  double bootstrap_p, randomisation_p;
};

void expect_results(const Metric& metric, const SacreBleuResults& expected_results) {
  const SentenceStatistics baseline = corpus_statistics(metric, kBaseline, kReference);
  const SentenceStatistics system = corpus_statistics(metric, kSystem, kReference);
  const auto expect_interval = [](const Interval& interval, const Interval& expected) {
    EXPECT_EQ(interval.mean, expected.mean);
    EXPECT_EQ(interval.half_width, expected.half_width);
  };
  expect_interval(confidence_interval(metric, baseline, {}), expected_results.interval);
  const PairedBootstrap test = paired_bootstrap(metric, baseline, system, {});
  expect_interval(test.baseline, expected_results.of_baseline);
  expect_interval(test.system, expected_results.of_system);
  EXPECT_EQ(test.p_value, expected_results.bootstrap_p);
  EXPECT_EQ(paired_randomisation(metric, baseline, system, {.number = 10'000}), expected_results.randomisation_p);
}

TEST(Significance, OfBleuAgreesWithSacreBleu) {
  expect_results(BleuMetric(), {{26.229876787907184, 14.726386110147544},
                                {26.22987678790718, 14.726386110147544},
                                {70.23433668933284, 32.31858078754903},
                                0.000999000999000999,
                                0.032596740325967405});
}

// NumPy prints the shortest decimal that reads back as the same float.
TEST(Significance, OfChrfAgreesWithSacreBleu) {
  expect_results(Chrf(), {{47.332294f, 14.491894f},
                          {47.3323f, 14.491894f},
                          {73.0575f, 22.76372f},
                          0.000999000999000999,
                          0.063993600639936});
}

TEST(Significance, OfTerAgreesWithSacreBleu) {
  expect_results(Ter(), {{32.8723f, 18.847927f},
                         {32.8723f, 18.847927f},
                         {19.937347f, 17.435898f},
                         0.08791208791208792,
                         0.15708429157084292});
}

// No trial has a difference above the observed one, which is 0, so the p-value is the smallest possible.
TEST(Significance, ASystemComparedWithItselfHasTheSmallestPValue) {
  const SentenceStatistics corpus = corpus_statistics(BleuMetric(), kBaseline, kReference);
  EXPECT_EQ(paired_randomisation(BleuMetric(), corpus, corpus, {.number = 100}), 1 / 101.0);
  const Interval interval = paired_bootstrap(BleuMetric(), corpus, corpus, {.number = 100}).system;
  EXPECT_EQ(interval.mean, paired_bootstrap(BleuMetric(), corpus, corpus, {.number = 100}).baseline.mean);
}

TEST(Significance, ASingleSentenceHasAnIntervalOfWidthZero) {
  const SentenceStatistics corpus = corpus_statistics(Ter(), {{"a b c"}}, {{"a b d"}});
  const Interval interval = confidence_interval(Ter(), corpus, {.number = 50});
  EXPECT_NEAR(interval.mean, 100 / 3.0, 1e-5);
  EXPECT_EQ(interval.half_width, 0);
}

TEST(Significance, SystemsMustHaveTheSameNumberOfSentences) {
  const SentenceStatistics one = corpus_statistics(Ter(), {{"a"}}, {{"a"}});
  const SentenceStatistics two = corpus_statistics(Ter(), {{"a", "b"}}, {{"a", "b"}});
  EXPECT_THROW(paired_bootstrap(Ter(), one, two, {}), ShapeError);
  EXPECT_THROW(paired_randomisation(Ter(), one, two, {}), ShapeError);
}

TEST(Significance, ResamplingIsPartOfTheSignature) {
  EXPECT_EQ(resampling_text(Resampling::kBootstrap, {}), "bs:1000|seed:12345");
  EXPECT_EQ(resampling_text(Resampling::kRandomisation, {.number = 10'000, .seed = 1}), "ar:10000|seed:1");
  EXPECT_EQ(resampling_text(Resampling::kNone, {}), "");
}

// In a sum from left to right every 1 after 2^24 is lost to rounding. With eight partial sums only one of them is.
TEST(NumpySum, AddsInEightLanesAndByHalves) {
  std::vector<float> numbers(16, 1.0f);
  numbers[0] = 16'777'216;
  EXPECT_EQ(numpy_sum<float>(numbers), 16'777'216.0f + 14);
  EXPECT_EQ(numpy_sum<float>(std::vector<float>(1000, 0.5f)), 500);
  EXPECT_EQ(numpy_sum<double>(std::vector<double>{1, 2, 3}), 6);
}

TEST(Samples, TheExactMeanHasNoRoundingError) {
  Samples samples;
  for (const double score : {1e16, 1.0, -1e16, 2.0}) samples.add({score, false});
  EXPECT_EQ(samples.exact_mean(), 0.75);
}

TEST(Samples, TheMiddle95PercentOmitAFortiethOnEitherSide) {
  Samples samples;
  for (int i = 0; i < 80; ++i) samples.add({static_cast<double>(i), false});
  EXPECT_EQ(samples.half_width(), 0.5 * (77 - 2));
}

}  // namespace
}  // namespace dragoman::eval
