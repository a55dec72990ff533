#include "dragoman/model/foreign/bpe_codes.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;
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

TEST(BpeCodes, NameTheLineThatCannotBeRead) {
  for (const char* text : {"a b\nc\n", "a b\nc d e\n", "a b\n\n"}) {
    const std::string message = error_message_of([&] { BpeCodes(text, "bpe.code"); });
    EXPECT_NE(message.find("bpe.code, line 2"), std::string::npos) << message;
  }
  EXPECT_NE(error_message_of([] { BpeCodes("#version: 9\n", "x"); }).find("version 9"), std::string::npos);
}

TEST(BpeCodes, SurviveDamage) {
  expect_survives_damage(kCodes, [](const std::string& text) { BpeCodes(text, "x").split("lower slow"); });
}

}  // namespace
}  // namespace dragoman::model::foreign
