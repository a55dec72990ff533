#include "dragoman/decode/roles/head_roles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace dragoman::decode {
namespace {

// A sentence of `count` words of one token each, and a mark at its end.
WordUnits sentence(std::int64_t count) {
  WordUnits words;
  for (std::int64_t i = 0; i < count; ++i) words.units.push_back({.text = "w" + std::to_string(i), .word = i});
  words.units.push_back({.text = ".", .is_mark = true, .word = count - 1});
  words.units.push_back({.text = "</s>", .is_mark = true, .word = count});
  for (std::int64_t i = 0; i < count + 2; ++i) words.of_token.push_back(i);
  return words;
}

const nn::AttentionSite kEncoder{.name = "encoder", .queries = nn::Side::kSource, .keys = nn::Side::kSource};
const nn::AttentionSite kDecoder{.name = "decoder", .queries = nn::Side::kTarget, .keys = nn::Side::kTarget};
const nn::AttentionSite kCross{.name = "cross", .queries = nn::Side::kTarget, .keys = nn::Side::kSource};

// The numbers of a head whose query i gives the weight 1 - rest to the key `favourite(i, keys)` and shares the rest
// evenly among all keys that it sees. Sentences of several lengths, 240 words in all.
HeadNumbers numbers_of(const nn::AttentionSite& site,
                       const std::function<std::int64_t(std::int64_t, std::int64_t)>& favourite, float rest = 0.2f,
                       int sentences = 30) {
  HeadTally tally;
  for (int s = 0; s < sentences; ++s) {
    const WordUnits words = sentence(5 + s % 5);
    const SiteWords places(site, words, words);
    const std::int64_t keys = std::ssize(words.units);
    AttentionMap weights{
        .targets = keys, .sources = keys, .weights = std::vector<float>(static_cast<std::size_t>(keys * keys))};
    std::vector<eval::WordLink> reversed;
    for (std::int64_t i = 0; i < keys; ++i) {
      const std::int64_t visible = site.is_causal() ? i + 1 : keys;
      for (std::int64_t key = 0; key < visible; ++key) {
        weights.weights[i * keys + key] = rest / static_cast<float>(visible);
      }
      weights.weights[i * keys + std::clamp<std::int64_t>(favourite(i, keys), 0, visible - 1)] += 1 - rest;
      if (i < keys - 2) reversed.push_back({keys - 3 - i, i});  // the clear links: the words in reverse order
    }
    tally.add(weights, places, reversed);
  }
  return tally.numbers();
}

HeadRole role(const HeadNumbers& numbers) { return role_of(numbers, numbers.agreement.value_or(0)); }

TEST(HeadRoles, AHeadIsNamedByThePlaceThatGetsItsWeight) {
  const auto at = [](std::int64_t offset) { return [=](std::int64_t i, std::int64_t) { return i + offset; }; };
  EXPECT_EQ(role(numbers_of(kEncoder, at(-1))), HeadRole::kPreviousWord);
  EXPECT_EQ(role(numbers_of(kEncoder, at(0))), HeadRole::kSameWord);
  EXPECT_EQ(role(numbers_of(kEncoder, at(1))), HeadRole::kNextWord);
  EXPECT_EQ(role(numbers_of(kEncoder, [](auto, auto) { return 0; })), HeadRole::kFirstWord);
  for (const std::int64_t back : {1, 2}) {  // </s>, or the full stop before it
    EXPECT_EQ(role(numbers_of(kEncoder, [=](auto, std::int64_t keys) { return keys - back; })), HeadRole::kEnd);
    EXPECT_EQ(role(numbers_of(kCross, [=](auto, std::int64_t keys) { return keys - back; })), HeadRole::kEnd);
  }
}

TEST(HeadRoles, InTheDecoderThePreviousWordIsTheOneThatWasReadLast) {
  // Key i is the word before the one that query i writes; key 0 is the start token.
  EXPECT_EQ(role(numbers_of(kDecoder, [](std::int64_t i, auto) { return i; })), HeadRole::kPreviousWord);
  EXPECT_EQ(role(numbers_of(kDecoder, [](auto, auto) { return 0; })), HeadRole::kFirstWord);
  const HeadNumbers numbers = numbers_of(kDecoder, [](std::int64_t i, auto) { return i - 1; });
  EXPECT_EQ(role(numbers), HeadRole::kMixed);
  EXPECT_FALSE(numbers.same || numbers.next || numbers.end || numbers.agreement);
}

TEST(HeadRoles, AHeadThatLooksEverywhereHasNone) {
  for (const nn::AttentionSite& site : {kEncoder, kDecoder, kCross}) {
    EXPECT_EQ(role(numbers_of(
                  site, [](auto, auto) { return 0; }, 1)),
              HeadRole::kMixed)
        << site.name;
  }
}

TEST(HeadRoles, AlignmentIsToFindTheLinksThatOccurrencesMakeClear) {
  const HeadNumbers aligned = numbers_of(kCross, [](std::int64_t i, std::int64_t keys) { return keys - 3 - i; });
  EXPECT_DOUBLE_EQ(*aligned.agreement, 1);
  EXPECT_DOUBLE_EQ(*aligned.distinct, 1);
  EXPECT_DOUBLE_EQ(*aligned.forward, 0);
  EXPECT_EQ(role(aligned), HeadRole::kAlignment);
  // A head that goes from left to right is sharp and one to one, but it links other words.
  const HeadNumbers straight = numbers_of(kCross, [](std::int64_t i, auto) { return i; });
  EXPECT_DOUBLE_EQ(*straight.forward, 1);
  EXPECT_EQ(role(straight), HeadRole::kMixed);
}

TEST(HeadRoles, OnlyHeadsNearlyAsGoodAsTheBestAlign) {
  HeadNumbers numbers = numbers_of(kCross, [](std::int64_t i, std::int64_t keys) { return keys - 3 - i; });
  numbers.agreement = 0.8;
  EXPECT_EQ(role_of(numbers, 0.85), HeadRole::kAlignment);
  EXPECT_EQ(role_of(numbers, 0.95), HeadRole::kMixed);
  numbers.agreement = 0.4;
  EXPECT_EQ(role_of(numbers, 0.4), HeadRole::kMixed);
}

TEST(HeadRoles, AFewWordsProveNothing) {
  const auto previous = [](std::int64_t i, auto) { return i - 1; };
  EXPECT_EQ(role(numbers_of(kEncoder, previous, 0.2f, 3)), HeadRole::kMixed);
  EXPECT_EQ(role(numbers_of(
                kCross, [](std::int64_t i, std::int64_t keys) { return keys - 3 - i; }, 0.2f, 3)),
            HeadRole::kMixed);
}

TEST(HeadTally, EntropyAndDistanceAreMeansOverWords) {
  const HeadNumbers sharp = numbers_of(
      kEncoder, [](std::int64_t i, auto) { return i + 2; }, 0);
  EXPECT_DOUBLE_EQ(sharp.entropy, 0);
  EXPECT_DOUBLE_EQ(sharp.peak, 1);
  // The word before the full stop can only look one place further, and the full stop itself, too.
  EXPECT_NEAR(sharp.distance, 2 - 1.0 / 8, 0.05);
  HeadTally uniform;
  const WordUnits words = sentence(6);
  uniform.add({.targets = 8, .sources = 8, .weights = std::vector<float>(64, 0.125f)}, {kEncoder, words, words}, {});
  EXPECT_NEAR(uniform.numbers().entropy, 3, 1e-6);
}

TEST(HeadLinks, AreBetweenWordsWithoutMarks) {
  // Two words of two pieces each, as "Hun|d." is, and a head whose last query looks at the full stop.
  const WordUnits words{.units = {{"ab", false, 0}, {"cd", false, 1}, {".", true, 1}, {"</s>", true, 2}},
                        .of_token = {0, 0, 1, 2, 3}};
  AttentionMap weights{.targets = 5, .sources = 5, .weights = std::vector<float>(25, 0.0f)};
  for (const auto& [query, key] : {std::pair{0, 2}, {1, 2}, {2, 3}, {3, 0}, {4, 4}})
    weights.weights[query * 5 + key] = 1;
  EXPECT_EQ(head_links(weights, words, words), (std::vector<eval::WordLink>{{1, 0}}));
}

}  // namespace
}  // namespace dragoman::decode
