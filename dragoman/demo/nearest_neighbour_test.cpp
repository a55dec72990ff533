#include "dragoman/demo/nearest_neighbour.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/demo/plain_words.h"

namespace dragoman::demo {
namespace {

TEST(PlainWords, MarksAreWordsOfTheirOwn) {
  EXPECT_EQ(plain_words(" Yes,  Mr. X?"), (std::vector<std::string_view>{"Yes", ",", "Mr", ".", "X", "?"}));
  EXPECT_TRUE(plain_words("  ").empty());
}

TEST(NearestNeighbour, AnswersWithTheTranslationOfTheFewestEdits) {
  const std::vector<TextPair> pairs = {{"the old man sings.", "A"}, {"the old man buys a car.", "B"}, {"cars.", "C"}};
  const NearestNeighbour memory(pairs);
  EXPECT_EQ(memory.translate("the old man buys a red car."), "B");
  EXPECT_EQ(memory.translate("the young man sings."), "A");
  EXPECT_EQ(memory.translate("unheard of"), "C");
}

TEST(NearestNeighbour, OrderCounts) {
  const std::vector<TextPair> pairs = {{"c b a d", "backwards"}, {"a b c e", "forwards"}};
  EXPECT_EQ(NearestNeighbour(pairs).translate("a b c d"), "forwards");
}

TEST(NearestNeighbour, TiesGoToTheFirst) {
  const std::vector<TextPair> pairs = {{"x y z", "far"}, {"a q", "first"}, {"a r", "second"}, {"b", "third"}};
  EXPECT_EQ(NearestNeighbour(pairs).translate("a b"), "first");
}

TEST(NearestNeighbour, NoPairsAreRefused) {
  const std::vector<TextPair> none;
  EXPECT_THROW(NearestNeighbour{none}, UsageError);
}

// The distance by plain dynamic programming, with the whole table.
int distance(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0)
        d[i][j] = static_cast<int>(i + j);
      else
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
    }
  return d[a.size()][b.size()];
}

TEST(NearestNeighbour, AgreesWithMeasuringEverySentence) {
  RandomStream random(3);
  const auto sentence = [&] {
    std::string text;
    for (std::uint32_t left = random.below(8); left > 0; --left)
      text += {static_cast<char>('a' + random.below(5)), ' '};
    return text;
  };
  std::vector<TextPair> pairs;
  for (int i = 0; i < 60; ++i) pairs.push_back({sentence(), std::to_string(i)});
  const NearestNeighbour memory(pairs);
  for (int i = 0; i < 200; ++i) {
    const std::string asked = sentence();
    const auto best = std::ranges::min_element(
        pairs, {}, [&](const TextPair& pair) { return distance(plain_words(asked), plain_words(pair.source)); });
    EXPECT_EQ(memory.translate(asked), best->target) << asked;
  }
}

}  // namespace
}  // namespace dragoman::demo
