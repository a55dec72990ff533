#include "dragoman/text/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace dragoman::text {
namespace {

using Sentences = std::vector<std::string>;

Sentences sample_of(std::size_t count, std::size_t max_sentences, std::size_t max_bytes, std::uint64_t seed) {
  SentenceSample sample(max_sentences, max_bytes, seed);
  for (std::size_t i = 0; i < count; ++i) sample.add(std::string(1, static_cast<char>('a' + i)));
  return sample.take();
}

TEST(SentenceSample, KeepsAllThatFits) {
  EXPECT_EQ(sample_of(3, 3, 3, 1), (Sentences{"a", "b", "c"}));
  EXPECT_EQ(sample_of(0, 3, 3, 1), Sentences{});
}

TEST(SentenceSample, KeepsAsManyAsTheLimitsAllowInTheirOrder) {
  for (const auto& [max_sentences, max_bytes] : {std::pair<std::size_t, std::size_t>{5, 100}, {100, 5}}) {
    const Sentences kept = sample_of(26, max_sentences, max_bytes, 1);
    EXPECT_EQ(kept.size(), 5u);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  }
}

TEST(SentenceSample, IsAFunctionOfTheSeed) {
  EXPECT_EQ(sample_of(26, 5, 100, 1), sample_of(26, 5, 100, 1));
  EXPECT_NE(sample_of(26, 5, 100, 1), sample_of(26, 5, 100, 2));
}

TEST(SentenceSample, TakesEverySentenceEquallyOften) {
  std::array<int, 10> taken{};
  constexpr int kRuns = 10'000;
  for (int seed = 0; seed < kRuns; ++seed) {
    for (const std::string& sentence : sample_of(10, 3, 100, static_cast<std::uint64_t>(seed))) {
      taken[static_cast<std::size_t>(sentence[0] - 'a')] += 1;
    }
  }
  for (const int count : taken) EXPECT_NEAR(count, 0.3 * kRuns, 200);  // 200 is more than four standard deviations
}

TEST(SentenceSample, ASentenceLargerThanTheLimitStaysIfItIsTheOnlyOne) {
  SentenceSample sample(10, 3, 1);
  sample.add("abcdef");
  EXPECT_EQ(sample.take(), Sentences{"abcdef"});
}

}  // namespace
}  // namespace dragoman::text
