#include "dragoman/base/fields.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <locale>

namespace dragoman {
namespace {

enum class Colour { kRed, kGreen };
constexpr std::array<std::string_view, 2> names(Colour) { return {"red", "green"}; }

struct Paint {
  int coats = 2;
  double gloss = 0.5;
  bool lead = false;
  Colour colour = Colour::kRed;
  OptionalSize litres = 0;
  std::vector<std::string> rooms{};
  int left = 1, right = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("coats", coats, "");
    field("gloss", gloss, "");
    field("lead", lead, "");
    field("colour", colour, "");
    field("litres", litres, "");
    field("rooms", rooms, "");
    field("left", left, "");
    field("right", right, "");
  }
  template <class Visitor>
  void shorthands(Visitor&& field) {
    field("sides", FieldPair{left, right}, "");
  }
};

// The error message of set() for a value, or nothing if it accepts the value.
std::string error_message(std::string_view key, std::string_view value) {
  Paint paint;
  try {
    set(paint, key, value);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Set, ReadsEveryKindOfField) {
  Paint paint;
  set(paint, "coats", "3");
  set(paint, "gloss", "0.25");
  set(paint, "lead", "true");
  set(paint, "colour", "green");
  set(paint, "litres", "7");
  set(paint, "rooms", "hall,bath");
  EXPECT_EQ(paint.coats, 3);
  EXPECT_EQ(paint.gloss, 0.25);
  EXPECT_TRUE(paint.lead);
  EXPECT_EQ(paint.colour, Colour::kGreen);
  EXPECT_EQ(paint.litres, 7);
  EXPECT_EQ(paint.rooms, (std::vector<std::string>{"hall", "bath"}));
}

TEST(Set, AShorthandSetsBothFields) {
  Paint paint;
  set(paint, "sides", "4");
  EXPECT_EQ(paint.left, 4);
  EXPECT_EQ(paint.right, 4);
}

TEST(Set, RefusesATextThatIsNotAWholeNumber) {
  for (const char* text : {"8x", "", " 8", "8 ", "1e3", "0x8", "four", "8.0"}) {
    EXPECT_EQ(error_message("coats", text), "coats: '" + std::string(text) + "' is not a whole number, such as 4.");
  }
  EXPECT_EQ(error_message("coats", "99999999999"),
            "coats: '99999999999' is too large; the largest possible number is 2147483647.");
}

TEST(Set, RefusesATextThatIsNotAFiniteNumber) {
  for (const char* text : {"nan", "inf", "-inf", "1e999", "0,5", "x", ""}) {
    EXPECT_EQ(error_message("gloss", text), "gloss: '" + std::string(text) + "' is not a finite number, such as 0.1.");
  }
}

TEST(Set, RefusesAnOptionalSizeThatIsNotAboveZero) {
  for (const char* text : {"0", "-3", "two"}) EXPECT_NE(error_message("litres", text), "");
  EXPECT_EQ(error_message("litres", "none"), "");
}

TEST(Set, NamesTheNearestKeyAndTheNearestValue) {
  EXPECT_EQ(error_message("coast", "1"), "there is no setting 'coast'. Did you mean 'coats'?");
  EXPECT_EQ(error_message("colour", "gren"), "colour: 'gren' is not one of red, green. Did you mean 'green'?");
}

enum class Device { kCpu, kCuda };
constexpr std::array<std::string_view, 2> names(Device) { return {"cpu", "cuda"}; }

// "cpu" is only one letter away, and wrong.
TEST(Set, UnderstandsThatAGpuIsMeant) {
  Device device{};
  try {
    read_value(device, "gpu", "--device");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--device: 'gpu' is not one of cpu, cuda. Did you mean 'cuda'?");
  }
}

TEST(Set, ErrorsNameThePlaceOfTheValue) {
  Paint paint;
  try {
    set(paint, "lead", "perhaps", "--lead");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--lead: 'perhaps' is neither true nor false.");
  }
}

TEST(RequireBetween, WritesWholeNumbersInFull) {
  EXPECT_NO_THROW(require_between("queue", 5, 1, 5));
  const auto message = [](double value, double least, double most) -> std::string {
    try {
      require_between("queue", value, least, most);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(0, 1, 1e9), "queue is 0; it must be from 1 to 1000000000.");
  EXPECT_EQ(message(0.5, 1, 2.5), "queue is 0.5; it must be from 1 to 2.5.");
  EXPECT_EQ(message(1e99, 0, 10), "queue is 1e+99; it must be from 0 to 10.");
  EXPECT_NE(message(std::nan(""), 0, 10), "");
}

TEST(WriteValue, ReadsBackAsTheSameValue) {
  Paint written{.coats = -1, .gloss = 0.1, .lead = true, .colour = Colour::kGreen, .litres = 9, .left = 3, .right = 4};
  Paint read;
  written.fields([&](std::string_view key, auto& value, std::string_view) { set(read, key, write_value(value)); });
  EXPECT_EQ(read.coats, written.coats);
  EXPECT_EQ(read.gloss, written.gloss);
  EXPECT_EQ(read.lead, written.lead);
  EXPECT_EQ(read.colour, written.colour);
  EXPECT_EQ(read.litres, written.litres);
  EXPECT_EQ(read.right, written.right);
}

TEST(WriteValue, IsTheShortestText) {
  EXPECT_EQ(write_value(0.1f), "0.1");
  EXPECT_EQ(write_value(OptionalSize{}), "none");
}

// A locale that writes numbers like 1.234,5, as German does.
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(WriteValue, IsTheSameInEveryLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::string real = write_value(1234.5), whole = write_value(1234);
  const std::string refused = error_message("gloss", "1234,5"), taken = error_message("gloss", "1234.5");
  std::locale::global(before);
  EXPECT_EQ(real, "1234.5");
  EXPECT_EQ(whole, "1234");
  EXPECT_NE(refused, "");
  EXPECT_EQ(taken, "");
}

TEST(Set, RefusesAnEmptyItemInAList) {
  EXPECT_EQ(error_message("rooms", ""), "");
  for (const char* text : {",", "hall,", ",hall", "hall,,bath"}) EXPECT_NE(error_message("rooms", text), "") << text;
  EXPECT_EQ(write_value(std::vector<std::string>{"hall", "bath"}), "hall,bath");
  EXPECT_EQ(write_value(std::vector<std::string>{"", "bath"}), ",bath");
}

}  // namespace
}  // namespace dragoman
