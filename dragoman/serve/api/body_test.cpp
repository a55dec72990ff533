#include "dragoman/serve/api/body.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields_json.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

Json fields(const std::string& type, const std::string& body) {
  HttpRequest request;
  if (!type.empty()) request.headers["content-type"] = type;
  request.body = body;
  return fields_of(request);
}

// The status of the refusal; 200 if the body is accepted.
int status_of(const std::string& type, const std::string& body) {
  try {
    fields(type, body);
    return 200;
  } catch (const Refusal& refusal) {
    EXPECT_TRUE(std::string(refusal.what()).ends_with('.')) << refusal.what();
    return refusal.status;
  }
}

TEST(Body, JsonIsTakenAsItIs) {
  EXPECT_EQ(fields("application/json", R"({"q":["a","b"],"n":3})"), Json({{"q", {"a", "b"}}, {"n", 3}}));
  EXPECT_EQ(fields("Application/JSON; charset=utf-8", R"({"q":"ü"})"), Json({{"q", "ü"}}));
  EXPECT_EQ(fields("", R"({"q":"a"})"), Json({{"q", "a"}}));
  EXPECT_EQ(fields("application/json", ""), Json::object());
}

TEST(Body, FormsAreDecoded) {
  const std::string form = "application/x-www-form-urlencoded";
  EXPECT_EQ(fields(form, "q=a+b%21&source=en&target="), Json({{"q", "a b!"}, {"source", "en"}, {"target", ""}}));
  EXPECT_EQ(fields(form, "q=%C3%BC&q=x&q=y&&z"), Json({{"q", {"ü", "x", "y"}}, {"z", ""}}));
  EXPECT_EQ(fields("", "q=a"), Json({{"q", "a"}}));
}

TEST(Body, MultipartBodiesAreSplit) {
  const std::string type = "multipart/form-data; boundary=\"x y\"";
  EXPECT_EQ(fields(type,
                   "--x y\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nline\r\n--x\r\n--x y\r\n"
                   "Content-Type: text/plain\r\ncontent-disposition: form-data; filename=f; name=target\r\n\r\n"
                   "de\r\n--x y--\r\nrest"),
            Json({{"q", "line\r\n--x"}, {"target", "de"}}));
  EXPECT_EQ(fields(type, "before\r\n--x y--"), Json::object());
}

TEST(Body, TheQueryFillsInWhatTheBodyLeavesOut) {
  HttpRequest request;
  request.headers["content-type"] = "application/json";
  request.body = R"({"q":"a"})";
  request.query = {{"q", "b"}, {"source", "en"}};
  EXPECT_EQ(fields_of(request), Json({{"q", "a"}, {"source", "en"}}));
}

// The time to find one field is proportional to the number of fields, so reading a million of them would take hours.
TEST(Body, AnObjectHasAHundredFieldsAtMost) {
  const auto object = [](int fields) {
    Json made = Json::object();
    for (int i = 0; i < fields; ++i) made[std::to_string(i)] = "";
    return made;
  };
  const auto form = [](int fields) {
    std::string text;
    for (int i = 0; i < fields; ++i) text += std::to_string(i) + "&";
    return text;
  };
  EXPECT_EQ(fields("application/json", object(100).dump()), object(100));
  EXPECT_EQ(status_of("application/json", object(101).dump()), 400);
  EXPECT_EQ(fields("", form(100)), object(100));
  EXPECT_EQ(status_of("", form(101)), 400);
  const Json several = {
      {"a", Json::array({object(99), object(99), {{"b", object(99)}}})}};  // the limit holds for each object
  EXPECT_EQ(fields("application/json", several.dump()), several);
  EXPECT_EQ(status_of("application/json", Json({{"a", Json::array({1, object(101)})}}).dump()), 400);
}

TEST(Body, TheTimeForManyObjectsIsProportionalToTheirBytes) {
  std::string body = "{\"a\":[{}";
  for (int i = 0; i < 300000; ++i) body += ",{}";
  EXPECT_EQ(fields("application/json", body + "]}")["a"].size(), 300001u);  // minutes, if it were quadratic
  EXPECT_EQ(fields("application/json", R"({"a\"{[:":"\\","b":["}"]})"), Json({{"a\"{[:", "\\"}, {"b", {"}"}}}));
}

TEST(Body, CompressedBodiesAreRefused) {
  HttpRequest request;
  request.headers = {{"content-type", "application/json"}, {"content-encoding", "gzip"}};
  request.body = "\x1F\x8B";
  try {
    fields_of(request);
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status, 415);
    EXPECT_NE(std::string(refusal.what()).find("gzip"), std::string::npos) << refusal.what();
  }
}

TEST(Body, MalformedBodiesAreRefused) {
  const std::string form = "application/x-www-form-urlencoded", parts = "multipart/form-data; boundary=x";
  EXPECT_EQ(status_of("text/plain", "a"), 415);
  for (const char* body : {"{", "[1]", "3", "{\"q\":\"\xFF\"}", "{\"q\":1}}", "nonsense"}) {
    EXPECT_EQ(status_of("application/json", body), 400) << body;
  }
  EXPECT_EQ(status_of("application/json", "{\"q\":" + std::string(100000, '[') + std::string(100000, ']') + "}"), 400);
  for (const char* body : {"q=%", "q=%4", "q=%zz", "q=%FF"}) EXPECT_EQ(status_of(form, body), 400) << body;
  for (const char* body : {"", "--x\r\n", "--x\r\n--x--", "--x\r\n\r\n--x--", "--x\r\n\r\nno name\r\n--x--",
                           "--x\r\nContent-Disposition: form-data\r\n\r\na"}) {
    EXPECT_EQ(status_of(parts, std::string(body) + (*body == 0 ? "--y" : "")), 400) << body;
  }
  EXPECT_EQ(status_of("multipart/form-data", "--x--"), 400);
}

}  // namespace
}  // namespace dragoman::serve
