#include "dragoman/data/tokens.h"

#include <gtest/gtest.h>

#include "dragoman/backend/testing.h"
#include "dragoman/base/error.h"

namespace dragoman::data {
namespace {

class TokensTest : public ::testing::Test {
 protected:
  Tokens make(const std::vector<Sentence>& sentences, const TokenOptions& options = {.V = 10}) const {
    return make_tokens(*on, sentences, options);
  }
  std::string error_message(const std::vector<Sentence>& sentences) const {
    try {
      make(sentences);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  Doubles values(const Array& x) const { return values_of(*on, x.reshaped({1, x.count()})); }

  std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
};

TEST_F(TokensTest, SentencesAreStackedWithoutPadding) {
  const Tokens tokens = make({{5, 6, 2}, {7}, {8, 2}});
  EXPECT_EQ(tokens.segments.B, 3);
  EXPECT_EQ(tokens.segments.R, 6);
  EXPECT_EQ(tokens.segments.longest, 3);
  EXPECT_EQ(values(tokens.ids), (Doubles{5, 6, 2, 7, 8, 2}));
  EXPECT_EQ(values(tokens.segments.offsets), (Doubles{0, 3, 4, 6}));
  EXPECT_EQ(values(tokens.segments.position), (Doubles{0, 1, 2, 0, 0, 1}));
}

TEST_F(TokensTest, SentencesAreNumberedWithinTheUpdate) {
  const Tokens tokens = make({{5, 2}, {7}}, {.V = 10, .first_sentence = 40});
  EXPECT_EQ(values(tokens.segments.sentence), (Doubles{40, 40, 41}));
}

TEST_F(TokensTest, TheIndexListsTheRowsOfEachTokenInAscendingOrder) {
  const Tokens tokens = make({{7, 2, 7}, {2}, {4, 7}});
  EXPECT_EQ(values(tokens.index.tokens), (Doubles{2, 4, 7}));
  EXPECT_EQ(values(tokens.index.starts), (Doubles{0, 2, 3, 6}));
  EXPECT_EQ(values(tokens.index.rows), (Doubles{1, 3, 4, 0, 2, 5}));
}

TEST_F(TokensTest, TheIndexHoldsEveryRowOnce) {
  RandomStream random(1);
  std::vector<Sentence> sentences(40);
  for (Sentence& sentence : sentences) {
    for (std::uint32_t n = 1 + random.below(9); n > 0; --n) sentence.push_back(static_cast<int>(1 + random.below(9)));
  }
  const Tokens tokens = make(sentences);
  const Doubles ids = values(tokens.ids), keys = values(tokens.index.tokens), starts = values(tokens.index.starts),
                rows = values(tokens.index.rows);
  ASSERT_EQ(starts.size(), keys.size() + 1);
  EXPECT_EQ(starts.back(), static_cast<double>(ids.size()));
  Doubles seen(ids.size(), 0);
  for (std::size_t u = 0; u < keys.size(); ++u) {
    for (auto i = static_cast<std::size_t>(starts[u]); i < static_cast<std::size_t>(starts[u + 1]); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      EXPECT_EQ(ids[row], keys[u]);
      ++seen[row];
    }
  }
  EXPECT_EQ(seen, Doubles(ids.size(), 1));
}

TEST_F(TokensTest, WithoutGradientsThereIsNoIndex) {
  EXPECT_TRUE(make({{5, 2}}, {.V = 10, .index = false}).index.rows.absent());
}

TEST_F(TokensTest, OffsetsAreAlsoInTheHostsArena) {
  const Segments segments = make({{5, 6, 2}, {7}}, {.V = 10, .first_sentence = 4}).segments;
  EXPECT_EQ(std::vector(segments.host_offsets, segments.host_offsets + 3), (std::vector<std::int32_t>{0, 3, 4}));
  EXPECT_EQ(segments.first_sentence, 4);
}

TEST_F(TokensTest, ASentenceWithoutTokensIsNamed) {
  EXPECT_EQ(error_message({{5}, {}}), "sentence 2 of the batch has no tokens.");
}

TEST_F(TokensTest, AnIdOutsideTheVocabularyIsNamed) {
  EXPECT_EQ(error_message({{5}, {2, 10}}),
            "sentence 2 of the batch has the token id 10, but the vocabulary's tokens are 1 to 9.");
  EXPECT_EQ(error_message({{5, kPad}}),
            "sentence 1 of the batch has the token id 0, but the vocabulary's tokens are 1 to 9.");
  EXPECT_EQ(error_message({{-1}}),
            "sentence 1 of the batch has the token id -1, but the vocabulary's tokens are 1 to 9.");
  EXPECT_EQ(error_message({{9}}), "");
}

}  // namespace
}  // namespace dragoman::data
