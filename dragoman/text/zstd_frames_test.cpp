#include "dragoman/text/zstd_frames.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::text {
namespace {

// A frame with a checksum and a window: a block of three raw bytes, then a block of one byte repeated five times.
const std::string kFrame(
    "\x28\xB5\x2F\xFD"
    "\x04\x00"
    "\x18\x00\x00"
    "abc"
    "\x2B\x00\x00"
    "d"
    "sums",
    20);
// A skippable frame with two bytes of content.
const std::string kSkippable(
    "\x50\x2A\x4D\x18"
    "\x02\x00\x00\x00"
    "zz",
    10);

TEST(ZstdFrames, AFrameEndsAfterItsLastBlockAndItsChecksum) {
  ZstdFrames frames;
  for (const std::string& frame : {kFrame, kSkippable, kFrame}) {
    for (const char& byte : frame) {
      frames.consume({&byte, 1});
      EXPECT_EQ(frames.at_end_of_frame(), &byte == &frame.back());
    }
  }
}

TEST(ZstdFrames, OneCallMayHoldSeveralFrames) {
  ZstdFrames frames;
  EXPECT_TRUE(frames.at_end_of_frame());
  frames.consume(kFrame + kSkippable + kFrame);
  EXPECT_TRUE(frames.at_end_of_frame());
  frames.consume("\x28");
  EXPECT_FALSE(frames.at_end_of_frame());
}

// The first byte of a header, its descriptor, says how many bytes follow: two of its bits are for the dictionary, two
// for the size of the content and one for the window.
TEST(ZstdFrames, TheDescriptorSaysHowLongTheHeaderIs) {
  struct Header {
    int descriptor;
    std::size_t following;  // bytes of the header after the descriptor
  };
  for (const auto& [descriptor, following] : {Header{0x00, 1}, {0x20, 1}, {0x01, 2}, {0x03, 5}, {0x60, 2}, {0xC0, 9}}) {
    ZstdFrames frames;
    frames.consume("\x28\xB5\x2F\xFD");
    frames.consume(std::string(1, static_cast<char>(descriptor)) + std::string(following, 'h'));
    frames.consume(std::string("\x01\x00", 2));
    EXPECT_FALSE(frames.at_end_of_frame()) << descriptor;
    frames.consume(std::string("\x00", 1));
    EXPECT_TRUE(frames.at_end_of_frame()) << descriptor;
  }
}

}  // namespace
}  // namespace dragoman::text
