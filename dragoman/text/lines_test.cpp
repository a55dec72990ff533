#include "dragoman/text/lines.h"

#include <unistd.h>

#include <stop_token>
#include <thread>

#include "dragoman/text/lines_testing.h"

namespace dragoman::text {
namespace {

TEST_F(LinesTest, EndInNewlinesOrWithTheFile) {
  EXPECT_EQ(read(""), Lines{});
  EXPECT_EQ(read("\n"), Lines{""});
  EXPECT_EQ(read("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(read("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(read("a\r\nb\r\n\r\n"), (Lines{"a", "b", ""}));
  EXPECT_EQ(read("a\rb\r"), Lines{"a\rb\r"});
}

TEST_F(LinesTest, ArriveFromAPipeOneByOneUntilStopIsRequested) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "(\n", 2), 2);  // a packed file may begin with the same first byte
  LineReader reader(join("/dev/fd/", ends[0]));
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "(");
  std::stop_source stop;
  std::thread stopping([&] { stop.request_stop(); });
  EXPECT_FALSE(reader.next(line, stop.get_token()));
  stopping.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(LinesTest, AByteOrderMarkIsLeftOutAtTheStartOnly) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a\n\xEF\xBB\xBF"
                 "b\n"),
            (Lines{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
  EXPECT_EQ(read("\xEF\xBB\xBF"), Lines{});
}

TEST_F(LinesTest, TellHowTheyEndAndWhetherTheFileBeginsWithAByteOrderMark) {
  replace_file(path, "\xEF\xBB\xBFone\r\ntwo\nthree\r");
  LineReader reader(path);
  EXPECT_FALSE(reader.has_byte_order_mark());
  std::vector<bool> crlf;
  for (std::string line; reader.next(line);) crlf.push_back(reader.ends_in_crlf());
  EXPECT_EQ(crlf, (std::vector<bool>{true, false, false}));
  EXPECT_TRUE(reader.has_byte_order_mark());
  replace_file(path, "one\n\xEF\xBB\xBFtwo\n");
  LineReader other(path);
  for (std::string line; other.next(line);) EXPECT_FALSE(other.has_byte_order_mark());
}

TEST_F(LinesTest, MayHoldAnyCharacter) {
  const std::string odd("a\0b\x01\xE2\x80\xA8", 7);  // U+2028 does not end a line
  EXPECT_EQ(read(odd + "\n"), Lines{odd});
}

TEST_F(LinesTest, CrossTheReadersBuffer) {
  Lines lines;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    lines.emplace_back(static_cast<std::size_t>(i * 7), static_cast<char>('a' + i % 26));
    text += lines.back() + "\r\n";
  }
  EXPECT_EQ(read(text), lines);
}

TEST_F(LinesTest, InvalidUtf8IsReportedWithLineAndColumn) {
  EXPECT_EQ(
      error_message("a\n\xC3\xA4"
                    "bc\xFF\n"),
      "'" + path +
          "' line 2 is not UTF-8 text (byte 0xFF at column 4); correct or remove that line; if the file is in Latin-1 "
          "or Windows-1252, convert it with 'iconv -f WINDOWS-1252 -t UTF-8 " +
          path + " > NEW'.");
  EXPECT_NE(error_message("caf\xE9\n"), "");
  EXPECT_NE(error_message("\xED\xA0\x80\n"), "");
}

TEST_F(LinesTest, ALineBeyondAMebibyteIsRefused) {
  const std::string longest(1 << 20, 'x');
  EXPECT_EQ(read(longest + "\n"), Lines{longest});
  EXPECT_EQ(error_message("a\n" + longest + "x\n"),
            "'" + path + "' line 2 is longer than 1 MiB; text must have one sentence per line.");
}

// Each line as the list of its parts.
std::vector<Lines> parts_of(const std::string& path, std::size_t max_bytes) {
  LineReader reader(path, {.any_bytes = true, .max_bytes = 1000});
  std::vector<Lines> lines;
  bool continues = false;
  for (std::string part; reader.next_part(part, max_bytes); continues = reader.continues()) {
    if (!continues) lines.emplace_back();
    lines.back().push_back(part);
    EXPECT_EQ(reader.line(), static_cast<std::int64_t>(lines.size()));
  }
  EXPECT_FALSE(continues);
  return lines;
}

TEST_F(LinesTest, ComeInPartsIfTheyAreLong) {
  replace_file(path,
               "\xEF\xBB\xBF"
               "abcdefghij\r\nkl mn opqr\n\nabcd\r\n"
               "\xFF\xFF\xFF\xFF\xFF");
  EXPECT_EQ(parts_of(path, 4),
            (std::vector<Lines>{
                {"abcd", "efgh", "ij"}, {"kl ", "mn ", "opqr"}, {""}, {"abcd", ""}, {"\xFF\xFF\xFF\xFF", "\xFF"}}));
  EXPECT_EQ(parts_of(path, 10),
            (std::vector<Lines>{{"abcdefghij", ""}, {"kl mn opqr"}, {""}, {"abcd"}, {"\xFF\xFF\xFF\xFF\xFF"}}));
}

TEST_F(LinesTest, TooLongLinesAreRefusedWhenReadInParts) {
  replace_file(path, "a\n" + std::string(1001, 'b'));
  LineReader reader(path, {.max_bytes = 1000});
  std::string part;
  const auto read_all = [&] {
    while (reader.next_part(part, 100)) continue;
  };
  EXPECT_THROW(read_all(), UsageError);
  EXPECT_EQ(reader.line(), 2);
}

TEST_F(LinesTest, AnUnreadableFileIsNamed) {
  EXPECT_THROW(LineReader("/no/such/file"), Error);
  try {
    LineReader reader(::testing::TempDir());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("(is a directory)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dragoman::text
