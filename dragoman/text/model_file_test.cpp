#include "dragoman/text/model_file.h"

#include <gtest/gtest.h>

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

// The library's table would end the piece at the zero, and it throws when it is built from an empty piece.
TEST(ModelFile, RefusesAPieceWithAZero) {
  std::string bytes = toy_tokenizer({.kind = TokenizerKind::kUnigram}).bytes();
  bytes[bytes.find("cat")] = '\0';
  EXPECT_THROW(read_model_file(bytes, "x"), Error);
  EXPECT_THROW(Tokenizer::from_bytes(bytes, "x"), Error);
}

// The library would follow such a map beyond the end of its table.
TEST(ModelFile, RefusesARuleThatPointsBeyondItsTable) {
  std::string map(4 + 1024 + 1, '\0');  // the array's size, 256 units, one empty text
  map[1] = 4;
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

}  // namespace
}  // namespace dragoman::text
