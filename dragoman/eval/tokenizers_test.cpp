#include "dragoman/eval/tokenizers.h"

#include <gtest/gtest.h>

#include "dragoman/eval/unicode.h"

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

TEST(Tokenize13a, CharactersBeyondAsciiStay) {
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
  EXPECT_EQ(tokenize_13a("\xE2\x80\x8B"), "\xE2\x80\x8B");  // U+200B is not white space
  EXPECT_EQ(tokenize_13a(""), "");
  EXPECT_EQ(tokenize_13a(" \n "), "");
}

TEST(Tokenize13a, EntitiesAreDecoded) {
  EXPECT_EQ(tokenize_13a("a &quot;b&quot; &amp;lt; <skipped>c"), "a \" b \" < c");
  EXPECT_EQ(tokenize_13a("hyphen-\nated\nword"), "hyphenated word");
  EXPECT_EQ(tokenize_13a("end-\n"), "end-");
}

TEST(TokenizeIntl, PunctuationAndSymbolsOfEveryScriptStandAlone) {
  if (!knows_unicode()) GTEST_SKIP() << "this build has no ICU";
  EXPECT_EQ(tokenize_intl("\xC2\xBFQu\xC3\xA9? \xE2\x80\x9EJa\xE2\x80\x9C 5\xE2\x82\xAC"),
            "\xC2\xBF Qu\xC3\xA9 ? \xE2\x80\x9E Ja \xE2\x80\x9C 5 \xE2\x82\xAC");
}

TEST(TokenizeIntl, PunctuationWithOnlyNumbersBesideItStays) {
  if (!knows_unicode()) GTEST_SKIP() << "this build has no ICU";
  EXPECT_EQ(tokenize_intl("1,234.5 in 1999."), "1,234.5 in 1999.");
  EXPECT_EQ(tokenize_intl("&quot; it's"), "& quot ; it ' s");  // entities are not decoded
}

TEST(TokenizeZh, ChineseCharactersStandAlone) {
  EXPECT_EQ(tokenize_zh("\xE6\x88\x91\xE7\x88\xB1NLP\xE3\x80\x82"), "\xE6\x88\x91 \xE7\x88\xB1 NLP \xE3\x80\x82");
  EXPECT_EQ(tokenize_zh("a\xE2\x80\x94z"), "a \xE2\x80\x94 z");      // a dash, in sacreBLEU's ranges by mistake
  EXPECT_EQ(tokenize_zh("\xF0\xA0\x80\x80z"), "\xF0\xA0\x80\x80z");  // U+20000, not in its ranges
}

TEST(TokenizeZh, PointsAtTheEndsOfALineHaveNoNeighbour) {
  EXPECT_EQ(tokenize_zh(" .5 and 5. "), ".5 and 5.");
  EXPECT_EQ(tokenize_13a(" .5 and 5. "), ". 5 and 5 .");
}

TEST(TokenizeChar, EachCharacterIsAToken) {
  EXPECT_EQ(tokenize_char("a \xC3\xA4\xE6\x88\x91."), "a \xC3\xA4 \xE6\x88\x91 .");
}

TEST(TokenizeNone, KeepsTheWords) { EXPECT_EQ(tokenize(" a,  b ", Tokenization::kNone), "a, b"); }

TEST(TokenizationFor, FollowsTheLanguage) {
  for (const char* tag : {"zh", "zh-Hans", "zh-TW"}) EXPECT_EQ(tokenization_for(tag), Tokenization::kZh) << tag;
  for (const char* tag : {"ja", "th-TH"}) EXPECT_EQ(tokenization_for(tag), Tokenization::kChar) << tag;
  for (const char* tag : {"", "de", "en-GB", "zha"}) EXPECT_EQ(tokenization_for(tag), Tokenization::k13a) << tag;
}

TEST(SplitCompounds, OnePassCutsAtHyphensBetweenCharacters) {
  EXPECT_EQ(split_compounds("foo-bar-baz"), "foo ##AT##-##AT## bar ##AT##-##AT## baz");
  EXPECT_EQ(split_compounds("a-b-c"), "a ##AT##-##AT## b-c");
  EXPECT_EQ(split_compounds("- -a b- a--b"), "- -a b- a ##AT##-##AT## -b");
  EXPECT_EQ(split_compounds("a-b--c"), "a ##AT##-##AT## b- ##AT##-##AT## c");
  EXPECT_EQ(split_compounds("\xC3\xA4-\xC3\xB6-\xC3\xBC"), "\xC3\xA4 ##AT##-##AT## \xC3\xB6-\xC3\xBC");
  EXPECT_EQ(split_compounds(""), "");
}

}  // namespace
}  // namespace dragoman::eval
