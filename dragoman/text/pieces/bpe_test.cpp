// Tokenizers of BPE codes with a dictionary.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/base/testing.h"
#include "dragoman/text/pieces/piece_model.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::text {
namespace {

using Ids = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

const std::string kSmallCodes = "#version: 0.2\nl o\nlo w</w>\ne r</w>\nlo w\n";
const std::string kFile =
    bpe_file(kSmallCodes, {"<pad>", "<s>", "</s>", "<unk>", "low", "low@@", "er", "s@@", "\xEF\xBF\xBD", "o@@", "l@@"});

Tokenizer small_tokenizer() { return Tokenizer::from_bytes(kFile, "x.model"); }

TEST(BpeTokenizer, GivesTheIdsOfTheDictionary) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.size(), 11);
  EXPECT_EQ(tokenizer.encode("lower  slow\tlow "), (Ids{5, 6, 7, 4, 4}));
  EXPECT_EQ(tokenizer.encode(" "), Ids{});
  EXPECT_EQ(tokenizer.encode("lower \xFF low"), (Ids{5, 6, 8, 4}));  // a byte that is not UTF-8 is U+FFFD
  EXPECT_EQ(tokenizer.encode("zer low"), (Ids{kUnk, 6, 4}));
  EXPECT_EQ(tokenizer.id("low@@"), 5);
  EXPECT_EQ(tokenizer.id("none"), std::nullopt);
  EXPECT_EQ(tokenizer.bytes(), kFile);
}

// As in fairseq: a no-break space does not end a word for the codes, but ends a piece.
TEST(BpeTokenizer, CutsPiecesAtAnyWhiteSpace) { EXPECT_EQ(small_tokenizer().encode("low\u00A0"), (Ids{5})); }

TEST(BpeTokenizer, NeverGivesSpecialTokens) {
  const Tokenizer tokenizer =
      Tokenizer::from_bytes(bpe_file("#version: 0.2\n< s\n<s ></w>\n", {"<pad>", "<s>", "</s>", "<unk>"}), "x.model");
  EXPECT_EQ(tokenizer.encode("<s>"), Ids{kUnk});
}

TEST(BpeTokenizer, JoinsContinuedPieces) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.decode(Ids{5, 6, 7, 4, kEos}), "lower slow");
  EXPECT_EQ(tokenizer.decode(Ids{5, kUnk, 6}), "low \u2047 er");
  EXPECT_EQ(tokenizer.decode(Ids{7}), "s");
}

TEST(BpeTokenizer, KnowsWhereWordsBeginByTheTokenBefore) {
  const Tokenizer tokenizer = small_tokenizer();
  const Ids ids{5, 6, 7, 4, kEos};
  Texts shown;
  std::vector<bool> begins;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int32_t previous = i == 0 ? kBos : ids[i - 1];
    shown.push_back(tokenizer.piece_after(previous, ids[i]));
    begins.push_back(tokenizer.begins_word(previous, ids[i]));
  }
  EXPECT_EQ(shown, (Texts{"\u2581low", "er", "\u2581s", "low", "</s>"}));
  EXPECT_EQ(begins, (std::vector<bool>{true, false, true, false, false}));
}

TEST(BpeTokenizer, CanBeSampled) {
  const Tokenizer tokenizer = small_tokenizer();
  RandomStream random(1);
  EXPECT_EQ(tokenizer.sample("lower", 0, random), tokenizer.encode("lower"));
  EXPECT_EQ(tokenizer.sample("low", 1, random), (Ids{10, 9, kUnk}));
}

TEST(BpeTokenizer, SurvivesDamage) {
  expect_survives_damage(kFile, [](const std::string& bytes) {
    const Tokenizer tokenizer = Tokenizer::from_bytes(bytes, "x.model");
    for (const std::int32_t id : tokenizer.encode("lower slow")) EXPECT_LT(id, tokenizer.size());
  });
}

}  // namespace
}  // namespace dragoman::text
