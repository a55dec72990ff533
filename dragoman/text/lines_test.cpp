#include "dragoman/text/lines.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <filesystem>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman::text {
namespace {

namespace io = boost::iostreams;
using Lines = std::vector<std::string>;

template <class Compressor>
std::string packed(const std::string& text) {
  std::string result;
  io::filtering_ostreambuf out;
  out.push(Compressor());
  out.push(io::back_inserter(result));
  io::copy(io::array_source(text.data(), text.size()), out);
  return result;
}

struct Format {
  const char* name;
  std::string (*pack)(const std::string&);
  std::size_t magic_bytes;
};
const std::vector<Format> kFormats{{"gzip", packed<io::gzip_compressor>, 2},
                                   {"zstd", packed<io::zstd_compressor>, 4},
                                   {"xz", packed<io::lzma_compressor>, 6}};

class LinesTest : public ::testing::Test {
 protected:
  ~LinesTest() override { std::filesystem::remove(path); }

  Lines read(const std::string& bytes) {
    replace_file(path, bytes);
    LineReader reader(path);
    Lines lines;
    for (std::string line; reader.next(line);) {
      lines.push_back(line);
      EXPECT_EQ(reader.line(), static_cast<std::int64_t>(lines.size()));
    }
    return lines;
  }

  std::string complaint(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::string path = ::testing::TempDir() + "dragoman_lines_" + std::to_string(::getpid());
};

TEST_F(LinesTest, EndInNewlinesOrWithTheFile) {
  EXPECT_EQ(read(""), Lines{});
  EXPECT_EQ(read("\n"), Lines{""});
  EXPECT_EQ(read("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(read("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(read("a\r\nb\r\n\r\n"), (Lines{"a", "b", ""}));
  EXPECT_EQ(read("a\rb\r"), Lines{"a\rb\r"});
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

TEST_F(LinesTest, MayHoldAnyCharacter) {
  const std::string odd("a\0b\x01\xE2\x80\xA8", 7);  // U+2028 ends no line
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
  for (const Format& format : kFormats) EXPECT_EQ(read(format.pack(text)), lines) << format.name;
}

TEST_F(LinesTest, PackedFilesMayBeJoined) {
  for (const Format& format : kFormats) {
    EXPECT_EQ(read(format.pack("")), Lines{}) << format.name;
    EXPECT_EQ(read(format.pack("a\nb") + format.pack("") + format.pack("c\nd\n")), (Lines{"a", "bc", "d"}))
        << format.name;
  }
}

TEST_F(LinesTest, APackedFileCutShortNeverReadsAsAWholeOne) {
  for (const Format& format : kFormats) {
    const std::string first = format.pack("one line\nand another\n"), both = first + format.pack("more\n");
    for (std::size_t size = format.magic_bytes; size < both.size(); ++size) {
      if (size == first.size()) continue;
      EXPECT_NE(complaint(both.substr(0, size)).find("damaged or cut short"), std::string::npos)
          << format.name << " cut to " << size << " of " << both.size();
    }
  }
}

TEST_F(LinesTest, ADamagedPackedFileIsRefused) {
  for (const Format& format : kFormats) {
    std::string bytes = format.pack("one line\nand another\n");
    bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
    EXPECT_NE(complaint(bytes), "") << format.name;
    EXPECT_NE(complaint(format.pack("a\n") + "garbage").find("damaged or cut short"), std::string::npos);
  }
}

TEST_F(LinesTest, WhatIsNotUtf8IsNamedByLineAndColumn) {
  EXPECT_EQ(complaint("a\n\xC3\xA4"
                      "bc\xFF\n"),
            "'" + path + "' line 2 is not UTF-8 text (byte 0xFF at column 4); mend or remove that line.");
  EXPECT_NE(complaint("caf\xE9\n"), "");
  EXPECT_NE(complaint("\xED\xA0\x80\n"), "");
}

TEST_F(LinesTest, ALineBeyondAMebibyteIsRefused) {
  const std::string longest(1 << 20, 'x');
  EXPECT_EQ(read(longest + "\n"), Lines{longest});
  EXPECT_EQ(complaint("a\n" + longest + "x\n"),
            "'" + path + "' line 2 is longer than 1 MiB; text has one sentence on a line.");
}

TEST_F(LinesTest, WhatCannotBeReadIsNamed) {
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
