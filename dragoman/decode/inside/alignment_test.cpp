#include "dragoman/decode/inside/alignment.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

TEST(ByWords, SumsOverSourceTokensAndTakesTheMeanOverTargetTokens) {
  // Two target tokens make the first word; the first two source tokens make one word.
  const AttentionMap tokens{.targets = 3, .sources = 3, .weights = {0.25f, 0.25f, 0.5f, 0.5f, 0.25f, 0.25f, 0, 0, 1}};
  const std::vector<std::int64_t> targets{0, 0, 1}, sources{0, 0, 1};
  const AttentionMap words = by_words(tokens, targets, sources);
  EXPECT_EQ(words.targets, 2);
  EXPECT_EQ(words.sources, 2);
  EXPECT_EQ(words.weights, (std::vector<float>{0.625f, 0.375f, 0, 1}));
}

TEST(Links, GoToTheWordWithTheGreatestWeightUnlessItIsTheEnd) {
  const AttentionMap words{
      .targets = 4, .sources = 3, .weights = {.2f, .7f, .1f, .1f, .1f, .8f, .4f, .4f, .2f, 1, 0, 0}};
  EXPECT_EQ(links(words), (std::vector<WordLink>{{.source = 1, .target = 0}, {.source = 0, .target = 2}}));
}

TEST(Pharaoh, IsOrderedBySource) {
  EXPECT_EQ(pharaoh({{.source = 1, .target = 0}, {.source = 0, .target = 2}, {.source = 0, .target = 1}}),
            "0-1 0-2 1-0");
  EXPECT_EQ(pharaoh({}), "");
}

TEST(WordsOf, GivesEachTokenTheIndexOfItsWord) {
  const text::Tokenizer tokenizer = text::toy_tokenizer({.kind = text::TokenizerKind::kChar});
  data::Sentence tokens = tokenizer.encode("a cat");
  const std::size_t letters = tokens.size();
  tokens.push_back(kEos);
  const std::vector<std::int64_t> words = words_of(tokens, tokenizer);
  ASSERT_EQ(words.size(), letters + 1);
  EXPECT_EQ(words.front(), 0);
  EXPECT_EQ(words[letters - 1], 1);
  EXPECT_EQ(words.back(), 2);
}

TEST(CrossAttention, RowsSumToOneAndTheMeanIsOverTheChosenHeads) {
  model::SmallModel small;
  small.add_noise();
  const auto pairs = model::random_pairs(3, 6, 37, 1);
  const auto mean = cross_attention(*small.on, small.model, pairs);
  ASSERT_EQ(mean.size(), 3u);
  for (const AttentionMap& map : mean) {
    for (std::int64_t j = 0; j < map.targets; ++j) {
      float sum = 0;
      for (std::int64_t i = 0; i < map.sources; ++i) sum += map.at(j, i);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  float of_heads = 0;
  for (const int layer : {1, 2}) {
    for (const int head : {1, 2}) {
      of_heads += cross_attention(*small.on, small.model, pairs, {.layer = layer, .head = head})[1].at(0, 0) / 4;
    }
  }
  EXPECT_NEAR(mean[1].at(0, 0), of_heads, 1e-6);
  for (const HeadChoice& none : {HeadChoice{.layer = 3}, HeadChoice{.head = 3}, HeadChoice{.layer = -1}}) {
    EXPECT_NE(data::error_message_of<UsageError>([&] { cross_attention(*small.on, small.model, pairs, none); }), "");
  }
}

}  // namespace
}  // namespace dragoman::decode
