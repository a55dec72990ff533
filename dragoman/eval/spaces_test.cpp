#include "dragoman/eval/spaces.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

TEST(Spaces, AllKindsOfSpacesSeparateWords) {
  const std::vector<std::string_view> words{"a", "b", "c", "d"};
  EXPECT_EQ(split_words("  a\t\x1F"
                        "b\xC2\xA0"
                        "c\xE2\x80\x89"
                        "d\xE3\x80\x80 "),
            words);
  EXPECT_TRUE(split_words(" \n ").empty());
  EXPECT_TRUE(split_words("").empty());
}

TEST(Spaces, AZeroWidthSpaceIsPartOfAWord) { EXPECT_EQ(split_words("a\xE2\x80\x8B").size(), 1); }

TEST(Spaces, AreTrimmedAndReduced) {
  EXPECT_EQ(trimmed_right(" a b \xC2\x85"), " a b");
  EXPECT_EQ(trimmed(" a b \xC2\x85"), "a b");
  EXPECT_EQ(trimmed_right("  "), "");
  EXPECT_EQ(single_spaced(" a  b "), "a b");
  EXPECT_EQ(without_spaces(" a  b "), "ab");
}

}  // namespace
}  // namespace dragoman::eval
