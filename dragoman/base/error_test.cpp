#include "dragoman/base/error.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dragoman {
namespace {

TEST(Error, AZeroByteDoesNotEndTheMessage) {
  const std::string_view name("x\0y", 3);
  EXPECT_STREQ(UsageError(join("there is no '", name, "'; there is 'z'.")).what(),
               "there is no 'x\\u0000y'; there is 'z'.");
}

}  // namespace
}  // namespace dragoman
