#include "dragoman/text/tokenizer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/text/model_file.h"
#include "dragoman/text/testing.h"

namespace dragoman::text {
namespace {

using Ids = std::vector<std::int32_t>;

// The error message for a model file with these bytes; empty if it is accepted.
std::string error_message(const std::string& bytes) {
  try {
    Tokenizer::from_bytes(bytes, "x.model");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tokenizer, DecodingWhatWasEncodedGivesTheTextBack) {
  for (const TokenizerKind kind : kKinds) {
    const Tokenizer tokenizer = toy_tokenizer({.kind = kind});
    for (const std::string& sentence : toy_sentences())
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(sentence)), sentence);
  }
}

TEST(Tokenizer, SpacesAloneAreNoTokens) {
  const Tokenizer tokenizer = toy_tokenizer({});
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.encode("   "), Ids{});
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST(Tokenizer, ALongTextHasTheTokensOfItsWords) {
  for (const TokenizerKind kind : kKinds) {
    const Tokenizer tokenizer = toy_tokenizer({.kind = kind});
    const std::string words = "the cat sat on the mat. a rat";
    const Ids once = tokenizer.encode(words);
    std::string text;
    Ids expected;
    for (int i = 0; i < 5000; ++i) {
      text += (text.empty() ? "" : "\t ") + words;
      expected.insert(expected.end(), once.begin(), once.end());
    }
    EXPECT_TRUE(tokenizer.encode(text) == expected);
    EXPECT_TRUE(tokenizer.encode(text + std::string(100'000, ' ')) == expected);
  }
}

TEST(Tokenizer, ALongWordIsCutBetweenCharacters) {
  const Tokenizer tokenizer = toy_tokenizer({.kind = TokenizerKind::kChar});
  std::string word;
  for (int i = 0; i < 50'000; ++i) word += "a\xC3\x9F";
  const Ids ids = tokenizer.encode(word);
  EXPECT_EQ(std::ranges::count(ids, kUnk), 0);
  std::string text = tokenizer.decode(ids);
  EXPECT_LT(std::ranges::count(text, ' '), 10);
  std::erase(text, ' ');
  EXPECT_TRUE(text == word);
}

TEST(Tokenizer, SentencesMayBeginWithATokenOfTheirOwn) {
  for (const TokenizerKind kind : kKinds) {
    const Tokenizer plain = toy_tokenizer({.kind = kind});
    const std::string piece = plain.piece(7);
    const Tokenizer coded = Tokenizer::from_bytes(with_first_piece(plain.bytes(), piece), "x.model");
    EXPECT_EQ(plain.first(), std::nullopt);
    EXPECT_EQ(coded.first(), 7);
    EXPECT_EQ(coded.size(), plain.size());
    for (const std::string& sentence : toy_sentences()) {
      Ids expected = plain.encode(sentence);
      expected.insert(expected.begin(), 7);
      EXPECT_EQ(coded.encode(sentence), expected);
      EXPECT_EQ(coded.decode(expected), sentence);
      RandomStream random(1, 2, 3);
      EXPECT_EQ(coded.sample(sentence, 0.5, random).front(), 7);
    }
    EXPECT_EQ(coded.encode("  "), Ids{});
    EXPECT_EQ(coded.decode({}), "");
  }
  EXPECT_EQ(error_message(with_first_piece(toy_tokenizer({}).bytes(), "__xx__")),
            "'x.model' says that sentences begin with '__xx__', which is not in its vocabulary.");
}

TEST(Tokenizer, SentencesMayLackAnEnd) {
  const Tokenizer plain = toy_tokenizer({});
  const Tokenizer endless = Tokenizer::from_bytes(without_end(plain.bytes()), "x.model");
  EXPECT_EQ(plain.with_end({7, 8}), (Ids{7, 8, kEos}));
  EXPECT_EQ(endless.with_end({7, 8}), (Ids{7, 8}));
}

TEST(Tokenizer, TabsAreSpaces) {
  const Tokenizer tokenizer = toy_tokenizer({});
  EXPECT_EQ(tokenizer.encode("the\tcat"), tokenizer.encode("the cat"));
  EXPECT_EQ(tokenizer.encode("\t"), Ids{});
}

TEST(Tokenizer, NoTextGivesSpecialTokens) {
  for (const TokenizerKind kind : kKinds) {
    const Tokenizer tokenizer = toy_tokenizer({.kind = kind});
    for (const char* text : {"<s>", "</s>", "<pad>", "<unk>", "the<s>cat</s>", "<s> </s> <pad> <s>"}) {
      for (const std::int32_t id : tokenizer.encode(text)) EXPECT_GE(id, kUnk) << text;
      RandomStream random(1);
      for (const std::int32_t id : tokenizer.sample(text, 0.5, random)) EXPECT_GE(id, kUnk) << text;
    }
  }
}

TEST(Tokenizer, SpecialTokensAreLeftOutOfTheText) {
  const Tokenizer tokenizer = toy_tokenizer({});
  Ids ids = tokenizer.encode("the cat");
  ids.insert(ids.begin(), {kPad, kBos});
  ids.insert(ids.begin() + 3, kEos);
  ids.push_back(kEos);
  EXPECT_EQ(tokenizer.decode(ids), "the cat");
}

TEST(Tokenizer, ARunOfUnknownCharactersIsOneTokenAndDecodesToAMark) {
  const Tokenizer tokenizer = toy_tokenizer({});
  const Ids ids = tokenizer.encode("cat \xE2\x98\x83\xE2\x98\x83");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnk), 1);
  EXPECT_EQ(tokenizer.decode(ids), "cat  \xE2\x81\x87 ");  // U+2047 between spaces
}

// As pieces of the other language in a vocabulary of both, which this model never cuts text into by itself.
TEST(Tokenizer, UnknownCharactersAreLookedUpAmongUnusedPieces) {
  const std::string snowmen = "\xE2\x98\x83\xE2\x98\x83";
  const Tokenizer plain = toy_tokenizer({});
  std::vector<Piece> pieces = read_model_file(plain.bytes(), "x").pieces;
  pieces.push_back({.text = snowmen, .kind = PieceKind::kUnused});
  const Tokenizer tokenizer = Tokenizer::from_bytes(with_pieces(plain.bytes(), pieces, "x"), "x");
  Ids expected = plain.encode("cat " + snowmen);
  std::ranges::replace(expected, kUnk, static_cast<std::int32_t>(plain.size()));
  EXPECT_EQ(tokenizer.encode("cat " + snowmen), expected);
  EXPECT_EQ(tokenizer.encode("cat " + snowmen + snowmen), plain.encode("cat " + snowmen));  // another run
  EXPECT_EQ(tokenizer.decode(expected), "cat " + snowmen);
}

TEST(Tokenizer, PiecesThatTheVocabularyLacksAreUnknown) {
  const Tokenizer plain = toy_tokenizer({.kind = TokenizerKind::kChar});
  const Tokenizer tokenizer = Tokenizer::from_bytes(with_unknown_pieces(plain.bytes(), 2), "x.model");
  const std::int32_t last = static_cast<std::int32_t>(plain.size()) - 1;
  ASSERT_EQ(tokenizer.size(), plain.size());
  for (const std::int32_t id : {last - 2, last - 1, last}) {
    Ids expected = plain.encode("the " + plain.piece(id) + " cat");
    EXPECT_EQ(std::ranges::count(expected, id), 1);
    if (id > last - 2) std::ranges::replace(expected, id, kUnk);
    EXPECT_EQ(tokenizer.encode("the " + plain.piece(id) + " cat"), expected);
  }
  EXPECT_NE(error_message(with_unknown_pieces(plain.bytes(), 1000)), "");
}

TEST(Tokenizer, WithByteFallbackNothingIsUnknown) {
  const Tokenizer tokenizer = toy_tokenizer({.byte_fallback = true}, 400);
  const std::string text = "cat \xE2\x98\x83\xE2\x98\x83 \xF0\x9F\x98\x80";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  RandomStream random(1);
  EXPECT_EQ(tokenizer.decode(tokenizer.sample(text, 0.5, random)), text);
}

TEST(Tokenizer, AnyBytesMayBeEncoded) {
  RandomStream random(7);
  for (const TokenizerKind kind : kKinds) {
    for (const bool byte_fallback : {false, true}) {
      const Tokenizer tokenizer = toy_tokenizer({.kind = kind, .byte_fallback = byte_fallback}, 400);
      for (int i = 0; i < 200; ++i) {
        std::string text;
        for (std::uint32_t n = random.below(20); n > 0; --n) text += static_cast<char>(random.below(256));
        for (const std::int32_t id : tokenizer.encode(text)) EXPECT_LT(id, tokenizer.size());
        tokenizer.sample(text, 0.3, random);
      }
      EXPECT_NO_THROW(tokenizer.encode(std::string("\0a\0", 3)));
    }
  }
}

TEST(Tokenizer, PiecesTellWhereWordsBegin) {
  const Tokenizer tokenizer = toy_tokenizer({.kind = TokenizerKind::kWord});
  const Ids ids = tokenizer.encode("cat");
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(tokenizer.piece(ids[0]),
            "\xE2\x96\x81"
            "cat");
  EXPECT_TRUE(tokenizer.begins_word(kBos, ids[0]));
  EXPECT_FALSE(tokenizer.begins_word(ids[0], kEos));
}

TEST(Tokenizer, EveryTokenIsFoundByItsText) {
  const Tokenizer tokenizer = toy_tokenizer({});
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) EXPECT_EQ(tokenizer.id(tokenizer.piece(id)), id);
  EXPECT_EQ(tokenizer.id("no such token"), std::nullopt);
}

TEST(Tokenizer, UnknownIdsThrowAShapeError) {
  const Tokenizer tokenizer = toy_tokenizer({});
  const auto beyond = static_cast<std::int32_t>(tokenizer.size());
  EXPECT_THROW(tokenizer.piece(beyond), ShapeError);
  EXPECT_THROW(tokenizer.piece(-1), ShapeError);
  EXPECT_THROW(tokenizer.decode(Ids{4, beyond}), ShapeError);
}

TEST(Tokenizer, SurvivesSavingAndLoading) {
  const Tokenizer tokenizer = toy_tokenizer({});
  const std::string path = ::testing::TempDir() + "dragoman_tokenizer_" + std::to_string(::getpid());
  replace_file(path, tokenizer.bytes());
  const Tokenizer loaded = Tokenizer::load(path);
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.bytes(), tokenizer.bytes());
  EXPECT_EQ(loaded.size(), tokenizer.size());
  EXPECT_EQ(loaded.encode("the cat"), tokenizer.encode("the cat"));
  EXPECT_THROW(Tokenizer::load("/no/such/file"), Error);
}

TEST(Tokenizer, AFileThatIsNoModelIsRefused) {
  const std::string refusal = "'x.model' is not a SentencePiece model, or is damaged.";
  EXPECT_EQ(error_message(""), refusal);
  EXPECT_EQ(error_message("Lorem ipsum dolor sit amet"), refusal);
  EXPECT_EQ(error_message(std::string("\x0A\x00", 2)), refusal);
  const std::string whole = toy_tokenizer({}).bytes();
  EXPECT_EQ(error_message(whole), "");
  EXPECT_EQ(error_message(whole.substr(0, whole.size() / 2)), refusal);
}

// Any byte of a model may be damaged. A model that still loads must work.
TEST(Tokenizer, DamagedModelsNeverCrash) {
  for (const Normalisation normalisation : {Normalisation::kIdentity, Normalisation::kNmtNfkc}) {
    const std::string whole = toy_tokenizer({.normalisation = normalisation}).bytes();
    RandomStream random(3);
    for (int i = 0; i < 150; ++i) {
      std::string bytes = whole;
      for (int damage = 0; damage < 3; ++damage) {
        bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] = static_cast<char>(random.below(256));
      }
      try {
        const Tokenizer tokenizer = Tokenizer::from_bytes(bytes, "x.model");
        const Ids ids = tokenizer.encode("The cat \xEF\xBC\xA1 sat.");
        tokenizer.sample("The cat \xEF\xBC\xA1 sat.", 0.5, random);
        tokenizer.decode(ids);
      } catch (const Error&) {
      }
    }
  }
}

TEST(Tokenizer, OtherSpecialIdsAreRefused) {
  std::string bytes = toy_tokenizer({}).bytes();
  const std::string pad = "<pad>";
  bytes.replace(bytes.find(pad), pad.size(), "<dap>");
  EXPECT_NE(error_message(bytes).find("instead of 0, 1, 2 and 3"), std::string::npos) << error_message(bytes);
}

}  // namespace
}  // namespace dragoman::text
