#include "dragoman/eval/unicode.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

TEST(Unicode, LowerCaseEqualsPythons) {
  EXPECT_EQ(lower_case("ABC \xC3\x84\xC3\x9F 12"), "abc \xC3\xA4\xC3\x9F 12");
  EXPECT_EQ(lower_case("\xC4\xB0"), "i\xCC\x87");  // a dotted capital I becomes i and a combining dot
}

TEST(Unicode, ASigmaAtTheEndOfAWordIsFinal) {
  EXPECT_EQ(lower_case("\xCE\xA3\xCE\x91\xCE\xA3."), "\xCF\x83\xCE\xB1\xCF\x82.");
}

TEST(Unicode, CharactersHaveKinds) {
  EXPECT_EQ(kind_of(U'.'), CharacterKind::kPunctuation);
  EXPECT_EQ(kind_of(U'\u3002'), CharacterKind::kPunctuation);  // ideographic full stop
  EXPECT_EQ(kind_of(U'$'), CharacterKind::kSymbol);
  EXPECT_EQ(kind_of(U'\u20AC'), CharacterKind::kSymbol);  // euro sign
  EXPECT_EQ(kind_of(U'\u0664'), CharacterKind::kNumber);  // Arabic-Indic four
  EXPECT_EQ(kind_of(U'\u00BD'), CharacterKind::kNumber);  // one half
  EXPECT_EQ(kind_of(U'a'), CharacterKind::kOther);
}

}  // namespace
}  // namespace dragoman::eval
