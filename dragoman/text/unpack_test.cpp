#include "dragoman/text/unpack.h"

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

#include "dragoman/text/lines_testing.h"

namespace dragoman::text {
namespace {

namespace io = boost::iostreams;
using UnpackedLines = LinesTest;

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

TEST_F(UnpackedLines, EqualThoseOfThePlainFile) {
  std::string text;
  Lines lines;
  for (int i = 0; i < 20'000; ++i) text += lines.emplace_back("line " + std::to_string(i)) + "\n";
  for (const Format& format : kFormats) EXPECT_EQ(read(format.pack(text)), lines) << format.name;
}

TEST_F(UnpackedLines, ConcatenatedFilesReadAsOneText) {
  for (const Format& format : kFormats) {
    EXPECT_EQ(read(format.pack("")), Lines{}) << format.name;
    EXPECT_EQ(read(format.pack("a\nb") + format.pack("") + format.pack("c\nd\n")), (Lines{"a", "bc", "d"}))
        << format.name;
  }
}

TEST_F(UnpackedLines, AFileCutShortIsRefused) {
  for (const Format& format : kFormats) {
    const std::string first = format.pack("one line\nand another\n"), both = first + format.pack("more\n");
    for (std::size_t size = format.magic_bytes; size < both.size(); ++size) {
      if (size == first.size()) continue;  // a complete file, which is no error
      EXPECT_NE(error_message(both.substr(0, size)).find("damaged or cut short"), std::string::npos)
          << format.name << " cut to " << size << " of " << both.size();
    }
  }
}

TEST_F(UnpackedLines, ADamagedPackedFileIsRefused) {
  for (const Format& format : kFormats) {
    std::string bytes = format.pack("one line\nand another\n");
    bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
    EXPECT_NE(error_message(bytes), "") << format.name;
    EXPECT_NE(error_message(format.pack("a\n") + "garbage").find("damaged or cut short"), std::string::npos);
  }
}

}  // namespace
}  // namespace dragoman::text
