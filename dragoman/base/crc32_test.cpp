#include "dragoman/base/crc32.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman {
namespace {

TEST(Crc32, HasTheKnownValues) {
  EXPECT_EQ(crc32(""), 0u);
  EXPECT_EQ(crc32("123456789"), 0xCBF43926);  // the check value in catalogues of checksums
}

TEST(Crc32, ContinuesAfterAPart) { EXPECT_EQ(crc32("456789", crc32("123")), crc32("123456789")); }

TEST(Crc32c, HasTheKnownValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283);  // the check value in catalogues of checksums
  // The examples of RFC 3720, section B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AA);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43);
}

}  // namespace
}  // namespace dragoman
