#include "dragoman/base/printable.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable("GET /translate"), "GET /translate");
  EXPECT_EQ(printable("Grüße, 你好 🙂 \\ \""), "Grüße, 你好 🙂 \\ \"");
}

TEST(Printable, EscapesLineEndsAndTerminalControls) {
  EXPECT_EQ(printable("a\nb\r\tc\x1b[2J\x7f"), "a\\u000Ab\\u000D\\u0009c\\u001B[2J\\u007F");
  EXPECT_EQ(printable("a\u0085b\u2028c\u2029d\u009b"), "a\\u0085b\\u2028c\\u2029d\\u009B");
  EXPECT_EQ(printable("\u202Eright to left\u2066"), "\\u202Eright to left\\u2066");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xFF\xC2"), "a\\xFF\\xC2");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
}

TEST(InQuotes, EscapesQuotesAndBackslashesInside) {
  EXPECT_EQ(in_quotes("a \"b\" \\ c\n"), "\"a \\\"b\\\" \\\\ c\\u000A\"");
}

}  // namespace
}  // namespace dragoman
