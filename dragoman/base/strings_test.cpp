#include "dragoman/base/strings.h"

#include <gtest/gtest.h>

#include <vector>

namespace dragoman {
namespace {

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<double>("2.5e-3"), 0.0025);
  for (const char* text : {"", " 1", "1 ", "8x", "+1", "0x10", "1,5"}) EXPECT_FALSE(parse_number<int>(text)) << text;
}

TEST(ParseNumber, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parse_number<int>("2147483647"), 2147483647);
  EXPECT_FALSE(parse_number<int>("2147483648"));
  EXPECT_FALSE(parse_number<std::uint64_t>("-1"));
  EXPECT_FALSE(parse_number<float>("1e99"));
}

TEST(BytesText, ChoosesTheUnit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{21} << 28), "5.25 GiB");
  EXPECT_EQ(bytes_text(std::int64_t{5000} << 40), "5000.00 TiB");
}

TEST(WithThousands, GroupsDigitsByThree) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(63045632), "63,045,632");
  EXPECT_EQ(with_thousands(-999), "-999");
  EXPECT_EQ(with_thousands(-1000), "-1,000");
  EXPECT_EQ(with_thousands(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Counted, HasOneLineAndTwoLines) {
  EXPECT_EQ(counted(0, "line").text(), "0 lines");
  EXPECT_EQ(counted(1, "line").text(), "1 line");
  EXPECT_EQ(counted(1'200, "line").text(), "1,200 lines");
  EXPECT_EQ(counted(1, "batch", "batches").text(), "1 batch");
  EXPECT_EQ(counted(2, "batch", "batches").text(), "2 batches");
}

TEST(Listed, HasAnAndBeforeTheLast) {
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(listed(words), "a, b and c");
  EXPECT_EQ(listed(std::span(words).first(2)), "a and b");
  EXPECT_EQ(listed(std::span(words).first(1)), "a");
  EXPECT_EQ(listed({}), "");
}

TEST(BytesText, HasTheUnitThatFits) {
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{5} << 30), "5.00 GiB");
}

const std::vector<std::string> kNames{"base", "big", "heads", "d-model"};

TEST(Nearest, FindsTheWordBehindATypingError) {
  EXPECT_EQ(nearest("base", kNames), "base");
  EXPECT_EQ(nearest("bsae", kNames), "base");  // a swap of neighbours is one edit
  EXPECT_EQ(nearest("bas", kNames), "base");
  EXPECT_EQ(nearest("headz", kNames), "heads");
  EXPECT_EQ(nearest("d_model", kNames), "d-model");
}

TEST(Nearest, FindsNothingForADifferentWord) {
  EXPECT_FALSE(nearest("transformer", kNames));
  EXPECT_FALSE(nearest("xyzw", kNames));
  EXPECT_FALSE(nearest("", kNames));
  EXPECT_FALSE(nearest(std::string(100000, 'b'), kNames));
  EXPECT_FALSE(nearest("base", {}));
}

TEST(Suggestion, IsASentenceOrNothing) {
  EXPECT_EQ(suggestion("bse", kNames), " Did you mean 'base'?");
  EXPECT_EQ(suggestion("transformer", kNames), "");
}

TEST(DurationText, CountsHoursMinutesAndSeconds) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(125), "2:05");
  EXPECT_EQ(duration_text(59.7), "1:00");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(duration_text(360000), "100:00:00");
}

}  // namespace
}  // namespace dragoman
