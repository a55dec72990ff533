#include "dragoman/data/joined_lines.h"

#include <gtest/gtest.h>

namespace dragoman::data {
namespace {

using Lines = std::vector<std::string>;

TEST(JoinedLines, AreGroupsOfNeighboursWithTheRestAtTheEnd) {
  EXPECT_EQ(joined_lines({"a", "b c", "d", "e", "f"}, 2), (Lines{"a b c", "d e", "f"}));
  EXPECT_EQ(joined_lines({"a", "b", "c"}, 3), (Lines{"a b c"}));
  EXPECT_EQ(joined_lines({"a", "b"}, 5), (Lines{"a b"}));
}

TEST(JoinedLines, AreUnchangedOneByOne) { EXPECT_EQ(joined_lines({" a ", "", "b"}, 1), (Lines{" a ", "", "b"})); }

TEST(JoinedLines, GetNothingFromEmptyLines) {
  EXPECT_EQ(joined_lines({"", "a", "", "b", "", ""}, 3), (Lines{"a", "b"}));
  EXPECT_EQ(joined_lines({"", "", "a"}, 2), (Lines{"", "a"}));
  EXPECT_TRUE(joined_lines({}, 2).empty());
}

}  // namespace
}  // namespace dragoman::data
