#include "dragoman/base/path_names.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

namespace dragoman {
namespace {

using Names = std::vector<std::string>;

TEST(DistinctNames, AreTheLastPartsOfThePaths) {
  EXPECT_EQ(distinct_names({"/runs/small", "/runs/large/", "/runs/x/.."}), (Names{"small", "large", "runs"}));
}

TEST(DistinctNames, AreLongerWhereTheLastPartsAreTheSame) {
  EXPECT_EQ(distinct_names({"/r/a/model", "/r/b/model", "/r/other"}), (Names{"a/model", "b/model", "other"}));
  EXPECT_EQ(distinct_names({"/model", "/r/model"}), (Names{"model", "r/model"}));
  EXPECT_EQ(distinct_names({"/x/a/model", "/y/a/model", "/y/model"}), (Names{"x/a/model", "y/a/model", "y/model"}));
}

TEST(DistinctNames, RefuseTheSameDirectoryTwice) {
  EXPECT_THROW(distinct_names({"/runs/small", "/runs/../runs/small/"}), UsageError);
}

}  // namespace
}  // namespace dragoman
