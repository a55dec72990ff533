#include "dragoman/model/foreign/zip.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/inflate.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;

ZipFile zip_file(const std::string& bytes) { return ZipFile(memory_bytes(bytes, "a.zip")); }
std::string contents(const ZipFile& zip, const std::string& name) {
  const Bytes member = zip.open(name);
  return member->text(0, member->size());
}

// "abc" a hundred times, packed by zlib at its highest level.
const std::string kPacked("\x4B\x4C\x4A\x4E\x1C\x45\xC4\x21\x00", 9);
std::string hundred_times(const std::string& text) {
  std::string all;
  for (int i = 0; i < 100; ++i) all += text;
  return all;
}

TEST(Zip, ReadsStoredMembers) {
  for (const bool large : {false, true}) {
    const ZipFile zip = zip_file(zip_of({{"b/c", "two"}, {"a", "one"}, {"empty", ""}, {"b/", ""}}, large));
    EXPECT_EQ(zip.names(), (std::vector<std::string>{"a", "b/c", "empty"}));
    EXPECT_EQ(contents(zip, "a"), "one");
    EXPECT_EQ(contents(zip, "b/c"), "two");
    EXPECT_EQ(contents(zip, "empty"), "");
    EXPECT_THROW(zip.open("b"), Error);
  }
}

TEST(Zip, ReadsPackedMembers) {
  if (!can_inflate()) GTEST_SKIP() << "This build is without zlib.";
  const ZipFile zip = zip_file(zip_of({{"a", "one", deflated("one")}, {"b", hundred_times("abc"), kPacked}}));
  EXPECT_EQ(contents(zip, "a"), "one");
  EXPECT_EQ(contents(zip, "b"), hundred_times("abc"));
}

// The letter a, m + 258 n times, packed with the fixed code of deflate: the letter m times, n times "the last byte 258
// times again", and the end.
std::string packed_letters(int m, int n) {
  std::string bits = "110";  // the last block, with the fixed code
  for (int i = 0; i < m; ++i) bits += "10010001";
  for (int i = 0; i < n; ++i) bits += "1100010100000";
  bits += "0000000";
  std::string bytes((bits.size() + 7) / 8, '\0');
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bytes[i / 8] = static_cast<char>(bytes[i / 8] | (bits[i] - '0') << i % 8);
  }
  return bytes;
}

// In the first case zlib has taken all input when it has filled 65,536 bytes, and still has output to give: the end is
// in the last byte of the last repetition.
TEST(Zip, ReadsMembersThatAreMuchLargerThanTheirBytes) {
  if (!can_inflate()) GTEST_SKIP() << "This build is without zlib.";
  for (const auto& [m, n] : {std::pair(100, 254), std::pair(1, 1000)}) {
    const std::string letters(static_cast<std::size_t>(m + 258 * n), 'a');
    EXPECT_EQ(contents(zip_file(zip_of({{"a", letters, packed_letters(m, n)}})), "a"), letters);
  }
}

// A small file must not take much memory.
TEST(Zip, RefusesWeightsThatUnpackToFarMore) {
  if (!can_inflate()) GTEST_SKIP() << "This build is without zlib.";
  const std::string letters(1 + 258 * 10'000, 'a');
  const ZipFile zip = zip_file(zip_of({{"a", letters, packed_letters(1, 10'000)}}));
  EXPECT_NE(error_message_of([&] { zip.open("a"); }).find("2580001 bytes when it is unpacked"), std::string::npos);
  EXPECT_EQ(zip.text("a", letters.size()), letters);
  EXPECT_THROW(zip.text("a", letters.size() - 1), Error);
}

TEST(Zip, RefusesPackedMembersWhereNoneAreWritten) {
  const ZipFile zip = zip_file(zip_of({{"a", "one", deflated("one")}, {"b", "two"}}));
  EXPECT_NE(error_message_of([&] { zip.open_stored("a"); }).find("is packed"), std::string::npos);
  EXPECT_EQ(zip.open_stored("b")->size(), 3u);
}

TEST(Zip, ReadsAFileWithAComment) {
  std::string bytes = zip_of({{"a", "one"}});
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(contents(zip_file(bytes + bytes_of(std::uint16_t{9}) + "PK\5\6 test"), "a"), "one");
}

TEST(Zip, RefusesNamesThatLeaveTheDirectory) {
  for (const std::string name : {"../a", "a/../../b", "/a", "a/..", "c:a", "a\\b", ".."}) {
    const std::string message = error_message_of([&] { zip_file(zip_of({{name, "one"}})); });
    EXPECT_NE(message.find("leaves the directory"), std::string::npos) << name;
  }
  EXPECT_NO_THROW(zip_file(zip_of({{"a/..b/c..", "one"}})));
}

TEST(Zip, RefusesAMemberWithAnotherChecksum) {
  std::string bytes = zip_of({{"a", "one"}});
  bytes[bytes.find("one")] = 'O';
  const ZipFile zip = zip_file(bytes);
  EXPECT_NE(error_message_of([&] { zip.open("a"); }).find("checksum"), std::string::npos);
}

TEST(Zip, RefusesTwoMembersOfOneName) { EXPECT_THROW(zip_file(zip_of({{"a", "one"}, {"a", "two"}})), Error); }

// The sizes are checked before memory is taken: a member that claims more than its bytes can give is refused.
TEST(Zip, RefusesSizesThatDoNotFit) {
  const auto with_size = [](std::string bytes, std::uint32_t size) {
    // The size is 24 bytes behind the beginning of the entry in the list of members.
    return bytes.replace(bytes.find("PK\1\2") + 24, 4, bytes_of(size));
  };
  EXPECT_THROW(zip_file(with_size(zip_of({{"a", "one"}}), 4)), Error);
  const std::string packed = zip_of({{"a", "one", deflated("one")}});
  EXPECT_THROW(zip_file(with_size(packed, 1u << 30)), Error);
  if (!can_inflate()) return;
  for (const std::uint32_t size : {2u, 4u, 1000u}) {
    const ZipFile zip = zip_file(with_size(packed, size));
    EXPECT_THROW(zip.open("a"), Error) << size;
  }
}

TEST(Zip, RefusesMembersThatShareTheirBytes) {
  std::string bytes = zip_of({{"a", std::string(100, 'x')}, {"b", std::string(100, 'x')}, {"c", "y"}});
  // Makes "c" the same member as "a": its sizes and its place.
  const std::size_t entry = bytes.rfind("PK\1\2");
  bytes.replace(entry + 20, 8, bytes_of(std::uint32_t{250}) + bytes_of(std::uint32_t{250}));
  bytes.replace(entry + 42, 4, bytes_of(std::uint32_t{0}));
  EXPECT_NE(error_message_of([&] { zip_file(bytes); }).find("larger than the file"), std::string::npos);
}

TEST(Zip, SurvivesDamage) {
  for (const bool large : {false, true}) {
    const std::string whole = zip_of({{"a", "one", deflated("one")}, {"b/c", std::string(200, 'x')}}, large);
    expect_survives_damage(whole, [](const std::string& bytes) {
      const ZipFile zip = zip_file(bytes);
      for (const std::string& name : zip.names()) {
        if (can_inflate() || name != "a") zip.open(name);
      }
    });
  }
}

}  // namespace
}  // namespace dragoman::model::foreign
