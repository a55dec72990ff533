#include "dragoman/base/json_text.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/utf8.h"

namespace dragoman {
namespace {

TEST(JsonText, HoldsNamesThatAreNotUtf8) {
  EXPECT_EQ(json_text(Json{{"name", "a\xFF"}}), "{\"name\":\"a\uFFFD\"}");
  EXPECT_EQ(json_text(Json{{"name", "ü"}}, 1), "{\n \"name\": \"ü\"\n}");
}

TEST(ValidUtf8, ComesBackAsTheSameBytes) {
  EXPECT_EQ(to_valid_utf8("a/ü.txt"), "a/ü.txt");
  std::string all_bytes;
  for (int byte = 1; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  for (const std::string& text : {std::string("a\xFF\xC3"), all_bytes, std::string("\U0010FE80 \U0010FEFF\xFF")}) {
    const std::string valid = to_valid_utf8(text);
    EXPECT_FALSE(first_invalid_utf8(valid));
    EXPECT_EQ(from_valid_utf8(valid), text);
  }
}

}  // namespace
}  // namespace dragoman
