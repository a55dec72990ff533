#include "dragoman/base/printable.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"

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

TEST(InQuotes, AreShort) {
  const std::string begin(60, 'a'), end(20, 'z'), long_text = begin + std::string(1 << 20, 'm') + end;
  EXPECT_EQ(in_quotes(begin + end), "\"" + begin + end + "\"");
  EXPECT_EQ(in_quotes(long_text), "\"" + begin + "..." + end + "\"");
  EXPECT_EQ(whole_in_quotes(long_text), "\"" + long_text + "\"");
  EXPECT_EQ(shortened("ü" + long_text + "ü"), "ü" + begin.substr(1) + "..." + end.substr(1) + "ü");
}

// A file of a model may name the same long text many times.
TEST(InQuotes, TakeNoLongerForALongerText) {
  const std::string endless(std::size_t{1} << 26, 'x');
  std::size_t bytes = 0;
  for (int i = 0; i < 10'000; ++i) bytes += in_quotes(endless).size();  // 640 GB, if it read all
  EXPECT_EQ(bytes, 10'000u * (60 + 3 + 20 + 2));
}

TEST(ShortQuotes, LeaveTheRestOfAMessage) {
  const std::string value(1 << 20, 'x'), shown = shortened(value);
  for (const std::string quote : {"'", "\""}) {
    const auto in = [&](const std::string& text) { return quote + text + quote; };
    EXPECT_EQ(with_short_quotes("--beam: " + in(value) + " is not the model's " + in("number") + ", such as 4."),
              "--beam: " + in(shown) + " is not the model's " + in("number") + ", such as 4.");
    EXPECT_EQ(with_short_quotes(in(value)), in(shown));
  }
  const std::string list = "it must be one of " + std::string(2000, 'a') + ".";
  EXPECT_EQ(with_short_quotes(list), list);
}

// Quotes inside a value may hide its end.
TEST(ShortQuotes, MakeAnyMessageShort) {
  std::string quotes;
  while (quotes.size() < 1 << 20) quotes += " 'a \"b";
  EXPECT_LE(with_short_quotes("'" + quotes + "' is no file").size(), 4003u);
  EXPECT_LE(std::string(Error("a '" + quotes).what()).size(), 4003u);
}

}  // namespace
}  // namespace dragoman
