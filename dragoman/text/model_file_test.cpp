#include "dragoman/text/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/text/testing.h"

namespace dragoman::text {
namespace {

TEST(ModelFile, ContainsTheKindOfTheModelAndItsPieces) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram, TokenizerKind::kWord}) {
    const ModelFile model = read_model_file(toy_tokenizer({.kind = kind}).bytes(), "x");
    EXPECT_EQ(model.kind, kind);
    EXPECT_FALSE(model.byte_fallback);
    EXPECT_EQ(model.pieces[kBos].text, "<s>");
    EXPECT_EQ(model.pieces[kBos].kind, PieceKind::kControl);
    EXPECT_EQ(model.pieces[kUnk].kind, PieceKind::kUnknown);
    EXPECT_EQ(model.pieces.back().kind, PieceKind::kNormal);
    EXPECT_LT(model.pieces.back().score, 0);
  }
  const ModelFile bytes = read_model_file(toy_tokenizer({.byte_fallback = true}, 300).bytes(), "x");
  EXPECT_TRUE(bytes.byte_fallback);
  EXPECT_EQ(bytes.pieces[4].text, "<0x00>");
  EXPECT_EQ(bytes.pieces[4].kind, PieceKind::kByte);
}

// SentencePiece's table of pieces would end the piece at the zero byte, and building it throws if a piece is empty.
TEST(ModelFile, RefusesAPieceWithAZero) {
  std::string bytes = toy_tokenizer({.kind = TokenizerKind::kUnigram}).bytes();
  bytes[bytes.find("cat")] = '\0';
  EXPECT_THROW(read_model_file(bytes, "x"), Error);
  EXPECT_THROW(Tokenizer::from_bytes(bytes, "x"), Error);
}

TEST(ModelFile, RefusesAPieceThatIsNotUtf8) {
  std::string bytes = toy_tokenizer({.kind = TokenizerKind::kUnigram}).bytes();
  bytes[bytes.find("cat")] = '\xFF';
  EXPECT_THROW(read_model_file(bytes, "x"), Error);
}

// The rules for normalising text are a map with a table of units (a trie). SentencePiece would follow an offset in it
// beyond the end of the table.
TEST(ModelFile, RefusesARuleThatPointsBeyondItsTable) {
  std::string map(4 + 1024 + 1, '\0');  // the table's size in bytes, its 256 units, one empty text
  map[1] = 4;                           // the size: 4 * 256
  // A model file, which is a protocol buffer, with one piece "a" and these rules.
  const auto model_with = [](const std::string& rules) {
    const std::string piece(
        "\x0A\x03\x0A\x01"
        "a",
        5);
    const std::string field = std::string("\x12") + static_cast<char>(0x80 | (rules.size() & 0x7F)) +
                              static_cast<char>(rules.size() >> 7) + rules;
    return piece + std::string("\x1A") + static_cast<char>(0x80 | (field.size() & 0x7F)) +
           static_cast<char>(field.size() >> 7) + field;
  };
  EXPECT_NO_THROW(read_model_file(model_with(map), "x"));
  map[4 + 3] = 1;  // the offset of the first unit is 2^14
  EXPECT_THROW(read_model_file(model_with(map), "x"), Error);
}

// Pieces in another order, with one that only a joint vocabulary has: text is cut into the same pieces, which have
// their new ids.
TEST(ModelFile, MayBeGivenOtherPieces) {
  for (const TokenizerKind kind : {TokenizerKind::kBpe, TokenizerKind::kUnigram}) {
    const Tokenizer old = toy_tokenizer({.kind = kind});
    std::vector<Piece> pieces = read_model_file(old.bytes(), "x").pieces;
    std::reverse(pieces.begin() + 4, pieces.end());
    pieces.push_back({.text = "\xC3\xBC", .kind = PieceKind::kUnused});
    const Tokenizer changed = Tokenizer::from_bytes(with_pieces(old.bytes(), pieces, "x"), "x");
    ASSERT_EQ(changed.size(), old.size() + 1);
    EXPECT_EQ(changed.piece(4), old.piece(static_cast<std::int32_t>(old.size()) - 1));
    EXPECT_EQ(changed.id("\xC3\xBC"), old.size());
    for (const std::string& sentence : toy_sentences()) {
      std::vector<std::string> expected, got;
      for (const std::int32_t id : old.encode(sentence)) expected.push_back(old.piece(id));
      for (const std::int32_t id : changed.encode(sentence)) got.push_back(changed.piece(id));
      EXPECT_EQ(got, expected);
      EXPECT_EQ(changed.decode(changed.encode(sentence)), sentence);
    }
  }
  EXPECT_THROW(with_pieces("no model", {}, "x"), Error);
}

}  // namespace
}  // namespace dragoman::text
