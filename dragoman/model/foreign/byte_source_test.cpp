#include "dragoman/model/foreign/byte_source.h"

#include <gtest/gtest.h>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

class ByteSourceTest : public data::CorpusTest {};

TEST_F(ByteSourceTest, AFileMemoryAndAPartGiveTheSameBytes) {
  replace_file(directory / "file", "0123456789");
  for (const Bytes& bytes : {file_bytes(directory / "file"), memory_bytes("0123456789", "file"),
                             part_of(memory_bytes("..0123456789..", "file"), 2, 10)}) {
    EXPECT_EQ(bytes->size(), 10u);
    EXPECT_EQ(bytes->text(3, 4), "3456");
    EXPECT_EQ(bytes->text(10, 0), "");
    EXPECT_THROW(bytes->text(3, 8), Error);
    EXPECT_THROW(bytes->text(11, 0), Error);
    EXPECT_THROW(bytes->text(1, ~std::uint64_t{0}), Error);
  }
}

TEST_F(ByteSourceTest, ACursorReadsOneThingAfterTheOther) {
  // The number after the first 65,536 bytes, which the cursor reads at once, is in two reads.
  const std::string start = bytes_of(std::uint16_t{513}) + std::string(65533, 'x');
  ByteCursor cursor(memory_bytes(start + bytes_of(-2.5) + "end", "file"));
  EXPECT_EQ(cursor.number<std::uint16_t>(), 513);
  cursor.skip(65533);
  EXPECT_EQ(cursor.number<double>(), -2.5);
  EXPECT_EQ(cursor.remaining(), 3u);
  EXPECT_THROW(cursor.number<std::uint32_t>(), Error);
  EXPECT_EQ(cursor.text(3), "end");
  EXPECT_THROW(cursor.skip(1), Error);
}

}  // namespace
}  // namespace dragoman::model::foreign
