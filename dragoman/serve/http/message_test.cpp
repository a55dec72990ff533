#include "dragoman/serve/http/message.h"

#include <gtest/gtest.h>

namespace dragoman::serve {
namespace {

using Query = std::map<std::string, std::string>;

TEST(ParseTarget, DecodesPathAndQuery) {
  const auto target = parse_target("/a%20b+c/%C3%a9?x=1&y=a+b%26&flag&x=2&&=lost");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a b+c/\xc3\xa9");
  EXPECT_EQ(target->query, (Query{{"x", "2"}, {"y", "a b&"}, {"flag", ""}}));
}

TEST(ParseTarget, AcceptsWholeUrlsAndTheStar) {
  EXPECT_EQ(parse_target("http://host:80/a/b?c=d")->path, "/a/b");
  EXPECT_EQ(parse_target("http://host")->path, "/");
  EXPECT_EQ(parse_target("http://host?next=/a")->path, "/");
  EXPECT_EQ(parse_target("/?next=http://host/")->query.at("next"), "http://host/");
  EXPECT_EQ(parse_target("*")->path, "*");
}

TEST(ParseTarget, RefusesMalformedTargets) {
  for (const char* target : {"", "a", "host:80", "/%", "/%2", "/%zz", "/%00", "/?a=%", "/?%4=b", "/?a=%00", "?a=b",
                             "/%FF", "/\xC3?a", "/?a=%C3", "/?%ED%A0%80"}) {
    EXPECT_FALSE(parse_target(target)) << target;
  }
}

TEST(AnswerText, AHeaderValueCannotAddAnotherHeader) {
  const std::string text = answer_text({.body = "x", .headers = {{"A", "b\r\nC: d"}}}, {});
  EXPECT_NE(text.find("A: b  C: d\r\n"), std::string::npos) << text;
}

TEST(AnswerText, NoContentHasNoBody) {
  const std::string text = answer_text({.status = 204, .body = "x"}, {});
  EXPECT_TRUE(text.starts_with("HTTP/1.1 204 No Content\r\n")) << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
  EXPECT_EQ(text.find("Content-"), std::string::npos);
}

TEST(EventText, HasALineOfDataForEachLine) {
  EXPECT_EQ(event_text("piece", "one"), "event: piece\ndata: one\n\n");
  EXPECT_EQ(event_text("", "one\ntwo\r\nthree\rfour"), "data: one\ndata: two\ndata: three\ndata: four\n\n");
  EXPECT_EQ(event_text("end", ""), "event: end\ndata: \n\n");
  EXPECT_EQ(event_text("a\nb", "c\n"), "event: a\ndata: c\ndata: \n\n");
}

TEST(Refusal, QuotesAnyBytes) {
  EXPECT_EQ(refusal(400, "no \"\xff\" here.").body, "{\"error\":\"no \\\"\xef\xbf\xbd\\\" here.\"}\n");
}

}  // namespace
}  // namespace dragoman::serve
