#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/text/testing.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::text {
namespace {

std::string error_message(const TokenizerSettings& settings, std::int64_t vocabulary,
                          std::vector<std::string> sentences) {
  try {
    train_tokenizer(settings, vocabulary, 1, one_by_one(std::move(sentences)));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TrainTokenizer, SameTextSettingsAndSeedGiveTheSameBytes) {
  for (const TokenizerKind kind : kKinds) {
    EXPECT_EQ(toy_tokenizer({.kind = kind}).bytes(), toy_tokenizer({.kind = kind}).bytes());
  }
}

TEST(TrainTokenizer, TheSeedDrawsTheSentences) {
  std::vector<std::string> sentences;
  for (char c = 'a'; c <= 'z'; ++c) sentences.push_back(std::string(3, c));
  const auto learn = [&](std::uint64_t seed) {
    return train_tokenizer({.kind = TokenizerKind::kChar, .sentences = 5}, 100, seed, one_by_one(sentences));
  };
  EXPECT_EQ(learn(1).bytes(), learn(1).bytes());
  EXPECT_NE(learn(1).bytes(), learn(2).bytes());
  EXPECT_EQ(learn(1).size(), 4 + 1 + 5);  // special tokens, the space, five letters
}

TEST(TrainTokenizer, TakesAWordOfAnyLength) {
  for (const std::size_t length : {32'700, 40'000, 140'000}) {
    const Tokenizer tokenizer = train_tokenizer({.kind = TokenizerKind::kBpe, .normalisation = Normalisation::kNfkc},
                                                10, 1, one_by_one({std::string(length, 'a'), "b"}));
    EXPECT_TRUE(tokenizer.id("aa")) << length;
  }
}

TEST(TrainTokenizer, LearnsFromLessTextWhereMemoryIsShort) {
  std::vector<std::string> sentences;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'z'; ++b) sentences.push_back({a, b, ' ', b, a, a, ' ', a});
  }
  std::string said;
  const auto learn = [&](std::size_t memory) {
    said.clear();
    return train_tokenizer({}, 60, 1, one_by_one(sentences),
                           {.memory = memory, .message = [&](const std::string& sentence) { said += sentence; }})
        .bytes();
  };
  EXPECT_EQ(learn(0), learn(100'000'000));
  EXPECT_EQ(said, "");
  EXPECT_NE(learn(200'000), learn(0));
  EXPECT_EQ(learn(200'000), learn(200'000));
  EXPECT_NE(said.find("of 5,408 bytes of text, drawn at random"), std::string::npos) << said;
  EXPECT_THROW(learn(300), MemoryError);
}

TEST(TrainTokenizer, TheVocabularyHasTheSizeAskedForIfTheTextHoldsIt) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram}) {
    EXPECT_EQ(toy_tokenizer({.kind = kind}, 25).size(), 25);
  }
  for (const TokenizerKind kind : kKinds) EXPECT_LT(toy_tokenizer({.kind = kind}, 100'000).size(), 200);
}

TEST(TrainTokenizer, ATooSmallVocabularyIsRefusedWithTheNumberNeeded) {
  EXPECT_NE(error_message({}, 10, toy_sentences()).find("need 22"), std::string::npos)
      << error_message({}, 10, toy_sentences());
  EXPECT_NE(error_message({}, 4, toy_sentences()).find("must be from 5"), std::string::npos);
  EXPECT_NE(error_message({.byte_fallback = true}, 100, toy_sentences()).find("must be from 261"), std::string::npos);
  EXPECT_NE(error_message({}, 1'000'001, toy_sentences()), "");
}

TEST(TrainTokenizer, WithoutTextThereIsNoVocabulary) {
  const std::string nothing = "there is no text to learn a vocabulary from.";
  for (const TokenizerKind kind : kKinds) {
    for (const bool byte_fallback : {false, true}) {
      const TokenizerSettings settings{.kind = kind, .byte_fallback = byte_fallback};
      EXPECT_EQ(error_message(settings, 300, {}), nothing);
      EXPECT_EQ(error_message(settings, 300, {"", "  ", "\xE2\x96\x81"}), nothing);
      EXPECT_EQ(error_message(settings, 300, {"\xE2\x96\x85"}), nothing);  // a character that SentencePiece reserves
    }
  }
  const TokenizerSettings nfkc{.kind = TokenizerKind::kUnigram, .normalisation = Normalisation::kNmtNfkc};
  EXPECT_EQ(error_message(nfkc, 50, {"\xE3\x80\x80", "\xE2\x80\x8B"}), nothing);  // normalisation makes spaces of them
}

TEST(TrainTokenizer, TextWithoutPlainLettersIsText) {
  for (const TokenizerKind kind : kKinds) {
    const Tokenizer tokenizer =
        train_tokenizer({.kind = kind}, 50, 1, one_by_one({"\xE7\x8C\xAB\xE5\x92\x8C\xE7\x8B\x97", "\xE7\x8C\xAB"}));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("\xE7\x8C\xAB")), "\xE7\x8C\xAB");
  }
}

TEST(TrainTokenizer, OddTextNeverCrashes) {
  RandomStream random(5);
  const std::vector<std::string> parts{
      "a",    "\t",           " ",        std::string(1, '\0'), "\xE2\x96\x81", "\xE2\x96\x85", "<s>",
      "\xFF", "\xEF\xBF\xBD", "\xC2\xA0", "\xE2\x81\x87",       "<0x41>",       "\r",           "\x7F"};
  for (int i = 0; i < 20; ++i) {
    std::vector<std::string> sentences(1 + random.below(3));
    for (std::string& sentence : sentences) {
      for (std::uint32_t n = random.below(5); n > 0; --n) {
        sentence += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
      }
    }
    for (const TokenizerKind kind : kKinds) {
      for (const Normalisation normalisation : {Normalisation::kIdentity, Normalisation::kNmtNfkcCaseFold}) {
        try {
          const TokenizerSettings settings{.kind = kind, .normalisation = normalisation};
          train_tokenizer(settings, 100, 1, one_by_one(sentences)).encode(sentences[0]);
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST(TrainTokenizer, ALongSentenceCountsToo) {
  const Tokenizer tokenizer =
      train_tokenizer({.kind = TokenizerKind::kChar}, 50, 1, one_by_one({"a", std::string(100'000, 'b')}));
  EXPECT_EQ(tokenizer.encode("b").back() == kUnk, false);
}

TEST(TrainTokenizer, NormalisationFollowsTheSettings) {
  const std::vector<std::string> sentences{"\xEF\xBC\xA1 A a"};  // U+FF21 is a full-width A
  const auto encoded = [&](Normalisation normalisation, const std::string& text) {
    const Tokenizer tokenizer =
        train_tokenizer({.kind = TokenizerKind::kChar, .normalisation = normalisation}, 50, 1, one_by_one(sentences));
    return tokenizer.decode(tokenizer.encode(text));
  };
  EXPECT_EQ(encoded(Normalisation::kIdentity, "\xEF\xBC\xA1"), "\xEF\xBC\xA1");
  EXPECT_EQ(encoded(Normalisation::kNfkc, "\xEF\xBC\xA1"), "A");
  EXPECT_EQ(encoded(Normalisation::kNmtNfkc, "\xEF\xBC\xA1"), "A");
  EXPECT_EQ(encoded(Normalisation::kNfkcCaseFold, "\xEF\xBC\xA1"), "a");
  EXPECT_EQ(encoded(Normalisation::kNmtNfkcCaseFold, "\xEF\xBC\xA1"), "a");
}

TEST(TokenizerSettings, OutOfRangeValuesAreRefused) {
  EXPECT_NO_THROW(TokenizerSettings{}.validate());
  EXPECT_THROW(TokenizerSettings{.character_coverage = 0.5}.validate(), UsageError);
  EXPECT_THROW(TokenizerSettings{.character_coverage = 1.5}.validate(), UsageError);
  EXPECT_THROW(TokenizerSettings{.sentences = 0}.validate(), UsageError);
}

}  // namespace
}  // namespace dragoman::text
