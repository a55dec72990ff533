#include "dragoman/base/fields_json.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace dragoman {
namespace {

struct Example {
  int count = 3;
  float share = 0.1f;
  bool wanted = true;
  OptionalSize width = 0;
  std::string name = "a, b";
  std::vector<std::string> files;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("count", count, "");
    field("share", share, "");
    field("wanted", wanted, "");
    field("width", width, "");
    field("name", name, "");
    field("files", files, "");
  }
};

std::string error_message(const Json& object) {
  Example example;
  try {
    settings_from_json(object, example, "x");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FieldsJson, HasOneJsonValuePerField) {
  EXPECT_EQ(settings_to_json(Example{}).dump(),
            R"({"count":3,"share":0.1,"wanted":true,"width":null,"name":"a, b","files":[]})");
}

TEST(FieldsJson, SettingsSurviveARoundTrip) {
  Example example{.count = -7, .share = 1.0f / 3, .wanted = false, .width = 5, .name = "", .files = {"a", "b"}};
  const Json object = settings_to_json(example);
  Example read;
  settings_from_json(parse_json(object.dump(), "x"), read, "x");
  EXPECT_EQ(settings_to_json(read), object);
  EXPECT_EQ(read.share, example.share);
  settings_from_json(settings_to_json(Example{}), read, "x");
  EXPECT_EQ(settings_to_json(read), settings_to_json(Example{}));
}

TEST(FieldsJson, ErrorsStartWithThePlace) {
  EXPECT_TRUE(error_message({{"cuont", 1}}).starts_with("x: there is no setting 'cuont'. Did you mean 'count'?"));
  EXPECT_TRUE(error_message({{"count", 1.5}}).starts_with("x: "));
  EXPECT_TRUE(error_message({{"count", {{"a", 1}}}}).starts_with("x: "));
  EXPECT_TRUE(error_message({{"files", {1, 2}}}).starts_with("x: "));
  EXPECT_EQ(error_message(Json::array()), "x: the settings are not a JSON object.");
}

TEST(JsonEntry, RefusesAMissingEntryOrOneOfAnotherType) {
  const Json object{{"whole", 3}, {"negative", -3}, {"real", 1.5}, {"text", "a"}, {"yes", true}};
  EXPECT_EQ(json_entry<std::int64_t>(object, "negative", "x"), -3);
  EXPECT_EQ(json_entry<double>(object, "whole", "x"), 3.0);
  EXPECT_EQ(json_entry<std::string>(object, "text", "x"), "a");
  EXPECT_TRUE(json_entry<bool>(object, "yes", "x"));
  EXPECT_THROW(json_entry<std::uint64_t>(object, "negative", "x"), Error);
  EXPECT_THROW(json_entry<std::int64_t>(object, "real", "x"), Error);
  EXPECT_THROW(json_entry<double>(object, "text", "x"), Error);
  EXPECT_THROW(json_entry<bool>(object, "whole", "x"), Error);
  EXPECT_THROW(json_entry<std::string>(object, "missing", "x"), Error);
  EXPECT_THROW(json_entry<std::int64_t>(parse_json(R"({"a":18446744073709551615})", "x"), "a", "x"), Error);
  EXPECT_THROW(json_entry<std::int32_t>(parse_json(R"({"a":-3000000000})", "x"), "a", "x"), Error);
}

TEST(ParseJson, RefusesTextThatIsNotJson) {
  for (const char* text : {"", "{", "{\"a\":}", "\"\xFF\"", "1 2"}) {
    EXPECT_THROW(parse_json(text, "x"), Error) << text;
    EXPECT_TRUE(try_parse_json(text).is_discarded()) << text;
  }
  EXPECT_THROW(parse_json(std::string(1'000'000, '['), "x"), Error);
  EXPECT_TRUE(try_parse_json(std::string(1'000'000, '[')).is_discarded());
}

// Copying such a value would overflow the stack.
TEST(ParseJson, RefusesDeepNesting) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(Json(parse_json(nested(100), "x")).dump(), nested(100));
  EXPECT_THROW(Json(parse_json(nested(500'000), "x")), Error);
  const std::string brackets(200, '[');
  EXPECT_EQ(parse_json(R"(["\\", "\"\\\"", ")" + brackets + "\"]", "x")[2], brackets);
}

TEST(ParseJson, AnObjectWithManyKeysTakesLinearTime) {
  constexpr int kKeys = 200'000;
  std::string text = "{";
  for (int i = 0; i < kKeys; ++i) text += join("\"tensor.", i, "\":[", i, "],");
  text.back() = '}';
  const std::clock_t begin = std::clock();
  const Json document = parse_json(text, "a document");
  // This takes less than a second. Comparing each key with all keys before it would take more than a minute.
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 15.0);
  ASSERT_EQ(document.size(), static_cast<std::size_t>(kKeys));
  EXPECT_EQ(document.back(), Json::array({kKeys - 1}));
}

TEST(ParseJson, GivesTheSameDocumentAsTheLibrary) {
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += join("\"k", i % 30, "\":{\"a\":", i, ",\"a\":[", i, ",{}]},");
  many.back() = '}';
  for (const std::string& text :
       {std::string(R"({"b":1,"a":-2,"b":{"c":[1.5,true,null,"x"]},"":""})"), std::string("[]"), std::string(" 7 "),
        std::string(R"("\u00e4")"), std::string("[[[]],{}]"), std::string("[18446744073709551615,1e3]"), many}) {
    EXPECT_EQ(parse_json(text, "a document").dump(), Json::parse(text).dump()) << text;
  }
  for (const char* text : {"", "{", "[1,]", "{\"a\"}", "1 2", "1e999", "\"\xFF\"", "nul"}) {
    EXPECT_TRUE(try_parse_json(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace dragoman
