#include "dragoman/text/language_tag.h"

#include <gtest/gtest.h>

namespace dragoman::text {
namespace {

TEST(LanguageTag, HasALanguageAndSubtags) {
  for (const char* tag : {"en", "DE", "gsw", "zh-Hans-CN", "es-419", "de-1996", "en-x-a"}) {
    EXPECT_TRUE(is_language_tag(tag)) << tag;
  }
  for (const char* tag : {"", "e", "english", "en-", "-en", "en--US", "en_US", "e1", "en-toolongsubtag"}) {
    EXPECT_FALSE(is_language_tag(tag)) << tag;
  }
}

TEST(LanguageTag, HasCapitalsWhereTheyAreUsual) {
  EXPECT_EQ(canonical_tag("DE"), "de");
  EXPECT_EQ(canonical_tag("ZH-HANS-cn"), "zh-Hans-CN");
  EXPECT_EQ(canonical_tag("EN-us"), "en-US");
  EXPECT_EQ(canonical_tag("es-419"), "es-419");
  EXPECT_EQ(canonical_tag("SL-ROZAJ-Biske-1994"), "sl-rozaj-biske-1994");
  EXPECT_EQ(canonical_tag("EN-ca-X-CA-PRIV"), "en-CA-x-ca-priv");
  EXPECT_EQ(canonical_tag(""), "");
}

}  // namespace
}  // namespace dragoman::text
