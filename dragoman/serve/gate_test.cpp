#include "dragoman/serve/gate.h"

#include <gtest/gtest.h>

#include "dragoman/serve/refusal.h"

namespace dragoman::serve {
namespace {

int status_of(Gate& gate, const Request& request, const std::string& in_body = "", double now = 0) {
  try {
    gate.check(request, in_body, now);
    return 200;
  } catch (const Refusal& refusal) {
    return refusal.status;
  }
}

TEST(RateLimit, FillsAgainWithTime) {
  RateLimit limit(60);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(limit.allows("a", 10));
  EXPECT_FALSE(limit.allows("a", 10));
  EXPECT_TRUE(limit.allows("b", 10));
  EXPECT_TRUE(limit.allows("a", 11.1));
  EXPECT_FALSE(limit.allows("a", 11.2));
  EXPECT_TRUE(RateLimit(0).allows("a", 0));
}

TEST(RateLimit, RemembersBoundedlyMany) {
  RateLimit limit(2);
  for (int i = 0; i < 250000; ++i) EXPECT_TRUE(limit.allows(std::to_string(i), 0));
}

TEST(Gate, AsksForAKeyWhereThereAreSome) {
  Gate open({}), closed({.keys = {"secret"}});
  Request plain, bearer, header;
  bearer.headers["authorization"] = "Bearer secret";
  header.headers["x-api-key"] = "secret";
  EXPECT_EQ(status_of(open, plain), 200);
  EXPECT_EQ(status_of(closed, plain), 401);
  EXPECT_EQ(status_of(closed, plain, "wrong"), 403);
  EXPECT_EQ(status_of(closed, plain, "secret"), 200);
  EXPECT_EQ(status_of(closed, bearer), 200);
  EXPECT_EQ(status_of(closed, header), 200);
}

TEST(Gate, LimitsEachAskerByHimself) {
  Gate gate({.requests_per_minute = 2});
  Request one, other;
  one.client = "10.0.0.1";
  other.client = "10.0.0.2";
  EXPECT_EQ(status_of(gate, one), 200);
  EXPECT_EQ(status_of(gate, one), 200);
  EXPECT_EQ(status_of(gate, one), 429);
  EXPECT_EQ(status_of(gate, other), 200);
  EXPECT_EQ(status_of(gate, one, "", 40), 200);
}

TEST(Gate, NamesOriginsThatMayAsk) {
  Request request;
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(Gate({.origins = {"*"}}).headers(request), Headers{});
  request.headers["origin"] = "https://a.example";
  EXPECT_EQ(Gate({}).headers(request), Headers{});
  EXPECT_EQ(Gate({.origins = {"*"}}).headers(request), (Headers{{"Access-Control-Allow-Origin", "*"}}));
  const Gate listed({.origins = {"https://a.example"}});
  EXPECT_EQ(listed.headers(request)[0].second, "https://a.example");
  request.headers["origin"] = "https://b.example";
  EXPECT_EQ(listed.headers(request), (Headers{{"Vary", "Origin"}}));
}

}  // namespace
}  // namespace dragoman::serve
