#include "dragoman/text/stretches.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::text {
namespace {

std::string first(const std::string& text, std::size_t max_bytes) {
  return text.substr(0, first_stretch(text, max_bytes));
}

TEST(FirstStretch, EndsAfterASentenceIfItIsNotTooShort) {
  EXPECT_EQ(first("One two. Three four five", 16), "One two. ");
  EXPECT_EQ(first("One. Two three four five", 16), "One. Two three ");
}

TEST(FirstStretch, OtherwiseEndsBetweenWords) {
  EXPECT_EQ(first("one two three", 9), "one two ");
  EXPECT_EQ(first("one abcdefghijklmnop", 12), "one ");
  EXPECT_EQ(first("one\tabcdefghijklmnop", 12), "one\t");
}

TEST(FirstStretch, EndsAfterAFullStopWhereThereAreNoSpaces) {
  EXPECT_EQ(first("\u4F60\u597D\u3002\u4F60\u597D", 12), "\u4F60\u597D\u3002");
}

TEST(FirstStretch, CutsALongWordBetweenCharacters) {
  EXPECT_EQ(first("abcdefgh", 5), "abcde");
  EXPECT_EQ(first("\u00E4\u00E4\u00E4\u00E4", 5), "\u00E4\u00E4");
  EXPECT_EQ(first("\U0001F600\U0001F600", 7), "\U0001F600");
  EXPECT_EQ(first(std::string(10, '\x80'), 5).size(), 5u);  // not UTF-8
}

}  // namespace
}  // namespace dragoman::text
