#include "dragoman/train/report/events.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "dragoman/base/fields_json.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::train {
namespace {

// The bytes that these hexadecimal digits stand for; spaces are ignored.
std::string bytes(std::string digits) {
  std::erase(digits, ' ');
  std::string result;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    result += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return result;
}

// The event with which every event file begins, at the time 0: wall_time, then "brain.Event:2".
const std::string kVersion = bytes("09 0000000000000000  1a 0d 627261696e2e4576656e743a32");

TEST(Events, TheVersionHasTheBytesThatTensorBoardWrites) {
  EXPECT_EQ(version_event(0), kVersion);
  // 1.5 is 0x3ff8000000000000.
  EXPECT_EQ(version_event(1.5).substr(0, 9), bytes("09 000000000000f83f"));
}

// The masked checksums are worked out by hand: that of the length 24 is a3 7f 4b 22 in every event file.
TEST(Events, ARecordIsFramedByItsLengthAndChecksums) {
  const std::string record = tf_record(kVersion);
  ASSERT_EQ(record.size(), 12 + kVersion.size() + 4);
  EXPECT_EQ(record.substr(0, 12), bytes("1800000000000000 a37f4b22"));
  EXPECT_EQ(record.substr(12, kVersion.size()), kVersion);
  // The CRC-32C of "123456789" is e3069283; rotated by 15 bits to the right it is 2507c60d, and with a282ead8 added
  // c78ab0e5.
  EXPECT_EQ(tf_record("123456789").substr(12 + 9), bytes("e5b08ac7"));
}

TEST(Events, EachNumberOfARecordIsAScalar) {
  const Json record =
      to_json(Validation{.step = 300, .scores = {{"nll", 1.5}}, .samples = {{"a", "b", "c"}}, .time = 2});
  // wall_time 2, step 300 as a varint, and two values: tag and simple_value.
  const std::string nll = bytes("0a 0e") + "validation/nll" + bytes("15 0000c03f");
  const std::string seconds = bytes("0a 12") + "validation/seconds" + bytes("15 00000000");
  EXPECT_EQ(record_event(record, 7),
            bytes("09 0000000000000040  10 ac02  2a 32  0a 15") + nll + bytes("0a 19") + seconds);
  EXPECT_EQ(record_event(to_json(Validation{}), 1.5).substr(0, 9), bytes("09 000000000000f83f"));
}

TEST(Events, ALossThatIsNotFiniteIsNan) {
  const std::string event = record_event(to_json(ProgressRecord{.losses = {{"loss", INFINITY}}}), 0);
  EXPECT_NE(event.find("train/loss" + bytes("15 0000c07f")), std::string::npos);
}

class EventFileTest : public ::testing::Test {
 protected:
  ~EventFileTest() override { std::filesystem::remove_all(directory); }

  // The contents of the only event file of dragoman.
  std::string contents() const {
    std::string text;
    for (const std::filesystem::path& path : list_directory(directory)) {
      if (!path.string().ends_with(".dragoman")) continue;
      EXPECT_EQ(text, "") << "there are two files";
      EXPECT_NE(path.filename().string().find("tfevents"), std::string::npos);
      text = read_file(path);
    }
    return text;
  }

  std::filesystem::path directory = ::testing::TempDir() + "dragoman_events_" + std::to_string(::getpid());
};

TEST_F(EventFileTest, ANewFileTakesTheRecordsSoFarAndReplacesOlderFiles) {
  const Json one = to_json(ProgressRecord{.step = 1, .time = 5}), two = to_json(ProgressRecord{.step = 2, .time = 6});
  { EventFile(directory, {}).add(one); }
  replace_file(directory / "events.out.tfevents.1234567890.other", "of another program");
  replace_file(directory / "events.out.tfevents.1234567890.dragoman", "old");
  const std::vector<Json> before{one};
  EventFile file(directory, before);
  const std::string begun = contents();
  EXPECT_TRUE(begun.ends_with(tf_record(record_event(one, 0))));
  EXPECT_EQ(begun.size(), tf_record(kVersion).size() + tf_record(record_event(one, 0)).size());
  file.add(two);
  EXPECT_EQ(contents(), begun + tf_record(record_event(two, 0)));
  EXPECT_EQ(read_file(directory / "events.out.tfevents.1234567890.other"), "of another program");
}

}  // namespace
}  // namespace dragoman::train
