#include "dragoman/text/pieces/bpe_codes.h"

#include <gtest/gtest.h>

#include <set>

#include "dragoman/base/testing.h"

namespace dragoman::text {
namespace {

using Pieces = std::vector<std::string>;

const std::string kCodes = "#version: 0.2\nl o\nlo w</w>\ne r</w>\nlo w\n";

TEST(BpeCodes, MergeInTheOrderOfTheList) {
  const BpeCodes codes(kCodes, "bpe.code");
  EXPECT_EQ(codes.split_word("low"), Pieces{"low"});
  EXPECT_EQ(codes.split_word("lower"), (Pieces{"low@@", "er"}));
  EXPECT_EQ(codes.split_word("slow"), (Pieces{"s@@", "low"}));
  EXPECT_EQ(codes.split_word("lows"), (Pieces{"low@@", "s"}));
  EXPECT_EQ(codes.split_word("\xC3\xBC"
                             "er"),
            (Pieces{"\xC3\xBC@@", "er"}));
  EXPECT_EQ(codes.split_word("x"), Pieces{"x"});
  EXPECT_EQ(codes.split_word(""), Pieces{});
}

TEST(BpeCodes, EarlierMergesGoFirst) {
  EXPECT_EQ(BpeCodes("#version: 0.2\nb c\na b\n", "x").split_word("abcd"), (Pieces{"a@@", "bc@@", "d"}));
  EXPECT_EQ(BpeCodes("#version: 0.2\na b\nb c\n", "x").split_word("abcd"), (Pieces{"ab@@", "c@@", "d"}));
  // Of overlapping places of one pair, the left one is merged.
  EXPECT_EQ(BpeCodes("#version: 0.2\na a\n", "x").split_word("aaab"), (Pieces{"aa@@", "a@@", "b"}));
}

TEST(BpeCodes, OfFastBpeHaveCounts) {
  const BpeCodes codes("l o 30\nlo w</w> 20\n", "codes");
  EXPECT_EQ(codes.split_word("low"), Pieces{"low"});
}

// Without a version, the end of a word is a symbol of its own.
TEST(BpeCodes, OfVersionOneMergeTheEndOfAWord) {
  const BpeCodes codes("w </w>\nl o\nlo w</w>\n", "codes");
  EXPECT_EQ(codes.split_word("low"), Pieces{"low"});
  EXPECT_EQ(codes.split_word("lo"), Pieces{"lo"});
  EXPECT_EQ(codes.split_word("owl"), (Pieces{"o@@", "w@@", "l"}));
}

TEST(BpeCodes, SplitAndJoinATextOfWords) {
  const BpeCodes codes(kCodes, "bpe.code");
  const Pieces pieces = codes.split(" lower  slow ");
  EXPECT_EQ(pieces, (Pieces{"low@@", "er", "s@@", "low"}));
  EXPECT_EQ(BpeCodes::join_pieces(pieces), "lower slow");
}

// Merges must not cost the square of a word's length.
TEST(BpeCodes, SplitAWordOfAHundredThousandLetters) {
  const BpeCodes codes("#version: 0.2\na a\naa aa\naaaa aaaa\n", "x");
  EXPECT_EQ(codes.split_word(std::string(1 << 17, 'a')).size(), std::size_t{1} << 14 | 3);
}

// The error message for a file with this text; empty if it is accepted.
std::string error_message(const char* text) {
  try {
    BpeCodes(text, "bpe.code");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(BpeCodes, NameTheLineThatCannotBeRead) {
  for (const char* text : {"a b\nc\n", "a b\nc d e\n", "a b\n\n"}) {
    EXPECT_NE(error_message(text).find("bpe.code, line 2"), std::string::npos) << error_message(text);
  }
  EXPECT_NE(error_message("#version: 9\n").find("version 9"), std::string::npos);
}

TEST(BpeCodes, LeaveMergesOutAtRandom) {
  const BpeCodes codes(kCodes, "bpe.code");
  RandomStream random(1);
  const BpeCodes::Dropout none{.amount = 0, .random = random}, half{.amount = 0.5, .random = random},
      all{.amount = 1, .random = random};
  EXPECT_EQ(codes.split("lower low", &none), codes.split("lower low"));
  EXPECT_EQ(codes.split("lower low", &all).size(), 8u);
  std::set<Pieces> cuts;
  for (int i = 0; i < 100; ++i) {
    cuts.insert(codes.split_word("lower", &half));
    EXPECT_EQ(BpeCodes::join_pieces(*cuts.rbegin()), "lower");
  }
  EXPECT_EQ(cuts.size(), 6u);  // l o w, lo w or low, followed by e r or er
}

TEST(BpeCodes, SurviveDamage) {
  expect_survives_damage(kCodes, [](const std::string& text) { BpeCodes(text, "x").split("lower slow"); });
}

}  // namespace
}  // namespace dragoman::text
