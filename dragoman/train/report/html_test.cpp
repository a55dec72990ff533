#include "dragoman/train/report/html.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dragoman::train {
namespace {

TEST(Escaped, LeavesNoCharacterWithAMeaningInHtml) {
  EXPECT_EQ(escaped("<a href='x'>\"&\""), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;");
  EXPECT_EQ(escaped("größer"), "größer");
  EXPECT_EQ(escaped(std::string_view("a\0b\n", 4)), "a b ");
}

TEST(Shortened, CountsCodePoints) {
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöü", 2), "äö…");
}

TEST(NumberText, IsShort) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(12.345), "12.3");
  EXPECT_EQ(number_text(12.345, 4), "12.35");
  EXPECT_EQ(number_text(999.7), "1,000");
  EXPECT_EQ(number_text(11204.4), "11,204");
  EXPECT_EQ(number_text(3.2832e18), "3.28e18");
  EXPECT_EQ(number_text(2e19), "2e19");
  EXPECT_EQ(number_text(7e-4), "7e-4");
  EXPECT_EQ(number_text(1e-10), "1e-10");
  EXPECT_EQ(number_text(std::nan("")), "–");
}

}  // namespace
}  // namespace dragoman::train
