#include "dragoman/eval/tokenize_13a.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

TEST(Tokenize13a, PunctuationStandsAlone) {
  EXPECT_EQ(tokenize_13a("It costs $1,234.50 (about 10-20% more), e.g. in the U.S."),
            "It costs $ 1,234.50 ( about 10 - 20 % more ) , e . g . in the U . S .");
  EXPECT_EQ(tokenize_13a("{a|b}~[c\\d]^_`"), "{ a | b } ~ [ c \\ d ] ^ _ `");
  EXPECT_EQ(tokenize_13a("!\"#$%&(*+:;<=>?@/"), "! \" # $ % & ( * + : ; < = > ? @ /");
}

TEST(Tokenize13a, ApostrophesAndHyphensOfWordsStay) {
  EXPECT_EQ(tokenize_13a("don't well-known 3-4"), "don't well-known 3 - 4");
}

TEST(Tokenize13a, PointsInsideNumbersStay) {
  EXPECT_EQ(tokenize_13a("1.5 .5 5. a,5 5,a 1,,2 ..."), "1.5 . 5 5 . a , 5 5 , a 1 , , 2 . . .");
}

TEST(Tokenize13a, WhatIsNotAsciiStays) {
  EXPECT_EQ(tokenize_13a("Stra\xC3\x9F"
                         "e\xE2\x80\xA6 \xE2\x80\x9EJa\xE2\x80\x9C,\xC3\xA4"),
            "Stra\xC3\x9F"
            "e\xE2\x80\xA6 \xE2\x80\x9EJa\xE2\x80\x9C , \xC3\xA4");
}

TEST(Tokenize13a, SpacesOfAllKindsSeparateTokens) {
  EXPECT_EQ(tokenize_13a("  a\t\tb\xC2\xA0"
                         "c\xE2\x80\x89"
                         "d\xE3\x80\x80 "),
            "a b c d");
  EXPECT_EQ(tokenize_13a("\xE2\x80\x8B"), "\xE2\x80\x8B");  // U+200B is none
  EXPECT_EQ(tokenize_13a(""), "");
  EXPECT_EQ(tokenize_13a(" \n "), "");
}

TEST(Tokenize13a, MarkupIsUndone) {
  EXPECT_EQ(tokenize_13a("a &quot;b&quot; &amp;lt; <skipped>c"), "a \" b \" < c");
  EXPECT_EQ(tokenize_13a("hyphen-\nated\nword"), "hyphenated word");
  EXPECT_EQ(tokenize_13a("end-\n"), "end-");
}

}  // namespace
}  // namespace dragoman::eval
