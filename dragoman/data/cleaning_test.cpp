#include "dragoman/data/cleaning.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"

namespace dragoman::data {
namespace {

TEST(Cleaning, ALengthCountsTheEndOfTheSentence) {
  const CleaningSettings settings{.max_length = 5};
  EXPECT_EQ(judge(settings, 4, 4), Verdict::kKept);
  EXPECT_EQ(judge(settings, 5, 4), Verdict::kTooLong);
  EXPECT_EQ(judge(settings, 4, 5), Verdict::kTooLong);
}

TEST(Cleaning, ASideWithoutTokensIsEmptyWhateverTheOther) {
  EXPECT_EQ(judge({}, 0, 3), Verdict::kEmpty);
  EXPECT_EQ(judge({}, 3, 0), Verdict::kEmpty);
  EXPECT_EQ(judge({}, 0, 1000), Verdict::kEmpty);
}

TEST(Cleaning, TheRatioIsOfTheLongerSideToTheShorter) {
  const CleaningSettings settings{.max_length = 256, .max_ratio = 2.5};
  EXPECT_EQ(judge(settings, 2, 5), Verdict::kKept);
  EXPECT_EQ(judge(settings, 2, 6), Verdict::kBadRatio);
  EXPECT_EQ(judge(settings, 6, 2), Verdict::kBadRatio);
}

TEST(Cleaning, CountsReadAsASentence) {
  CleaningCounts counts{.pairs = 29'000, .kept = 28'990, .empty = 2, .too_long = 8, .bad_ratio = 0};
  EXPECT_EQ(counts.describe({}), "29,000 pairs: 28,990 kept, 10 dropped (2 empty, 8 longer than 256 tokens)");
  counts += {.pairs = 1, .kept = 0, .empty = 0, .too_long = 0, .bad_ratio = 1};
  EXPECT_EQ(counts.describe({}),
            "29,001 pairs: 28,990 kept, 11 dropped (2 empty, 8 longer than 256 tokens, "
            "1 with a side over 9 times as long as the other)");
  EXPECT_EQ((CleaningCounts{.pairs = 1, .kept = 1}.describe({})), "1 pair: all kept");
  EXPECT_EQ(CleaningCounts{}.describe({}), "0 pairs: none kept");
}

TEST(Cleaning, EveryPairIsCountedOnce) {
  CleaningCounts counts;
  for (const Verdict verdict : {Verdict::kKept, Verdict::kEmpty, Verdict::kTooLong, Verdict::kBadRatio, Verdict::kKept})
    counts.add(verdict);
  EXPECT_EQ(counts, (CleaningCounts{.pairs = 5, .kept = 2, .empty = 1, .too_long = 1, .bad_ratio = 1}));
}

TEST(Cleaning, SettingsHaveNamesAndBounds) {
  CleaningSettings settings;
  set(settings, "max-length", "100");
  set(settings, "max-ratio", "1.5");
  EXPECT_EQ(settings.max_length, 100);
  EXPECT_EQ(settings.max_ratio, 1.5);
  EXPECT_NO_THROW(settings.validate());
  EXPECT_THROW((CleaningSettings{.max_length = 1}.validate()), UsageError);
  EXPECT_THROW((CleaningSettings{.max_length = 65'536}.validate()), UsageError);
  EXPECT_THROW((CleaningSettings{.max_length = 256, .max_ratio = 0.5}.validate()), UsageError);
}

}  // namespace
}  // namespace dragoman::data
