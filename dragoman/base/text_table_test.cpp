#include "dragoman/base/text_table.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(TextTable, NamesAreAlignedOnTheLeftAndNumbersOnTheRight) {
  const TableRow rows[] = {{"layer", "n", "ms"}, {"self", "64", "1.5"}, {"größte", "4,096", "-"}};
  EXPECT_EQ(aligned_rows(rows, 1),
            "  layer       n   ms\n"
            "  self       64  1.5\n"
            "  größte  4,096    -\n");
  EXPECT_EQ(aligned_rows({}, 1), "");
}

TEST(TextTable, NoLineEndsWithSpaces) {
  const TableRow rows[] = {{"a", "long"}, {"b", ""}};
  EXPECT_EQ(aligned_rows(rows, 2), "  a  long\n  b\n");
}

}  // namespace
}  // namespace dragoman
