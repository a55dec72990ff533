#include "dragoman/eval/ngrams.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dragoman/eval/spaces.h"

namespace dragoman::eval {
namespace {

TEST(WordNumbers, EqualWordsAndNoOthersHaveEqualNumbers) {
  WordNumbers numbers_of;
  EXPECT_EQ(numbers_of(split_words("a b a c")), (Symbols{0, 1, 0, 2}));
  EXPECT_EQ(numbers_of(split_words("c d")), (Symbols{2, 3}));
}

TEST(Ngrams, AreCountedOrderByOrder) {
  const std::vector<Symbols> sentences{{7, 8, 7, 8}, {8, 7}};
  Ngrams ngrams(sentences);
  EXPECT_EQ(ngrams.counts(0), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(ngrams.counts(1), (std::vector<std::int64_t>{1, 1}));
  ngrams.to_next_order();
  EXPECT_EQ(ngrams.counts(0), (std::vector<std::int64_t>{2, 1}));  // 78 and 87
  EXPECT_EQ(ngrams.counts(1), (std::vector<std::int64_t>{0, 1}));
  ngrams.to_next_order();
  EXPECT_EQ(ngrams.total(0), 2);
  EXPECT_EQ(ngrams.total(1), 0);
  ngrams.to_next_order();
  ngrams.to_next_order();
  EXPECT_EQ(ngrams.total(0), 0);
  EXPECT_EQ(ngrams.total(1), 0);
}

TEST(Ngrams, AgreeWithAMapOfVectors) {
  Symbols sentence;
  for (std::uint32_t i = 0; i < 500; ++i) sentence.push_back(i * i % 7 + (i % 3 == 0 ? 100'000 : 0));
  const std::vector<Symbols> sentences{sentence};
  Ngrams ngrams(sentences);
  for (std::ptrdiff_t n = 1; n <= 6; ++n) {
    std::map<Symbols, std::int64_t> expected;
    for (auto at = sentence.begin(); at + n <= sentence.end(); ++at) ++expected[Symbols(at, at + n)];
    std::multiset<std::int64_t> of_map, of_ngrams;
    for (const auto& [ngram, count] : expected) of_map.insert(count);
    for (const std::int64_t count : ngrams.counts(0)) of_ngrams.insert(count);
    EXPECT_EQ(of_ngrams, of_map) << n;
    ngrams.to_next_order();
  }
}

TEST(Ngrams, MatchesAreClipped) { EXPECT_EQ(count_matches({3, 0, 1}, {2, 5, 1}), 3); }

}  // namespace
}  // namespace dragoman::eval
