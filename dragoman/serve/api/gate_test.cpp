#include "dragoman/serve/api/gate.h"

#include <gtest/gtest.h>

#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

int status_of(Gate& gate, const HttpRequest& request, const std::string& key_in_body = "", double now = 0) {
  try {
    gate.check(request, key_in_body, now);
    return 200;
  } catch (const Refusal& refusal) {
    return refusal.status;
  }
}

TEST(RateLimit, AllowsMoreRequestsAsTimePasses) {
  RateLimit limit(60);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(limit.allows("a", 10));
  EXPECT_FALSE(limit.allows("a", 10));
  EXPECT_TRUE(limit.allows("b", 10));
  EXPECT_TRUE(limit.allows("a", 11.1));
  EXPECT_FALSE(limit.allows("a", 11.2));
  EXPECT_TRUE(RateLimit(0).allows("a", 0));
}

TEST(RateLimit, StillAllowsNewClientsWhenItsMemoryIsFull) {
  RateLimit limit(2);
  for (int i = 0; i < 250000; ++i) EXPECT_TRUE(limit.allows(std::to_string(i), 0));
}

TEST(Gate, RequiresAKeyIfKeysAreSet) {
  Gate open({}), closed({.keys = {"secret"}});
  HttpRequest plain, bearer, header;
  bearer.headers["authorization"] = "Bearer secret";
  header.headers["x-api-key"] = "secret";
  EXPECT_EQ(status_of(open, plain), 200);
  EXPECT_EQ(status_of(closed, plain), 401);
  EXPECT_EQ(status_of(closed, plain, "wrong"), 403);
  EXPECT_EQ(status_of(closed, plain, "secret"), 200);
  EXPECT_EQ(status_of(closed, bearer), 200);
  EXPECT_EQ(status_of(closed, header), 200);
}

HttpRequest from(const std::string& client, const std::string& key) {
  HttpRequest request;
  request.client = client;
  request.headers["x-api-key"] = key;
  return request;
}

TEST(Gate, LimitsGuessingOfKeys) {
  Gate gate({.keys = {"secret"}});
  int checked = 0;
  for (int i = 0; i < 1000; ++i) checked += status_of(gate, from("10.0.0.1", std::to_string(i)), "", i * 0.001) == 403;
  EXPECT_EQ(checked, 10);
  // Even the right key is refused now; otherwise guessing could go on as fast as before.
  EXPECT_EQ(status_of(gate, from("10.0.0.1", "secret"), "", 1), 429);
  EXPECT_EQ(status_of(gate, from("10.0.0.2", "secret"), "", 1), 200);
  EXPECT_EQ(status_of(gate, from("10.0.0.1", "secret"), "", 10), 200);  // one try in six seconds
  EXPECT_EQ(status_of(gate, from("10.0.0.1", "wrong"), "", 10), 403);
  EXPECT_EQ(status_of(gate, from("10.0.0.1", "wrong"), "", 10), 429);
}

TEST(Gate, SaysWhenTheNextKeyMayBeTried) {
  Gate gate({.keys = {"secret"}});
  for (int i = 0; i < 10; ++i) status_of(gate, from("a", "wrong"));
  try {
    gate.check(from("a", "wrong"), "", 1.5);
    ADD_FAILURE() << "it was let in";
  } catch (...) {
    const Response response = refusal(std::current_exception());
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(response.headers, (Headers{{"Retry-After", "5"}}));
  }
}

TEST(Gate, AKeyThatWasUsedAtAnAddressStaysValidWhileOthersGuessThere) {
  Gate gate({.keys = {"first", "second"}});
  EXPECT_EQ(status_of(gate, from("proxy", "first")), 200);
  for (int i = 0; i < 100; ++i) status_of(gate, from("proxy", "wrong"));
  EXPECT_EQ(status_of(gate, from("proxy", "wrong")), 429);
  EXPECT_EQ(status_of(gate, from("proxy", "second")), 429);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(status_of(gate, from("proxy", "first")), 200);
}

TEST(Gate, TreatsAnIpv6NetworkAsOneClient) {
  Gate gate({.keys = {"secret"}});
  int checked = 0;
  for (int i = 0; i < 100; ++i) checked += status_of(gate, from("2001:db8::" + std::to_string(i), "wrong")) == 403;
  EXPECT_EQ(checked, 10);
}

TEST(Gate, ComparesEveryLetterOfAKey) {
  Gate gate({.keys = {"secret", "secret-2"}, .wrong_keys_per_minute = 0});
  for (const char* wrong : {"secre", "secreT", "Secret", "secret-", "secret-3", "secret-22"}) {
    EXPECT_EQ(status_of(gate, from("a", wrong)), 403) << wrong;
  }
  EXPECT_EQ(status_of(gate, from("a", "secret-2")), 200);
}

TEST(Gate, AnswersToItsOwnNamesOnly) {
  const Gate gate({.hosts = Hosts("127.0.0.1", {})});
  HttpRequest request;
  EXPECT_NO_THROW(gate.check_host(request));
  request.headers["host"] = "localhost:8080";
  EXPECT_NO_THROW(gate.check_host(request));
  request.headers["host"] = "evil.example:8080";
  try {
    gate.check_host(request);
    ADD_FAILURE() << "it was let in";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.status, 421);
    EXPECT_NE(std::string(refusal.what()).find("--allowed-host evil.example."), std::string::npos) << refusal.what();
  }
}

TEST(Gate, LimitsEachClientSeparately) {
  Gate gate({.requests_per_minute = 2});
  HttpRequest one, other;
  one.client = "10.0.0.1";
  other.client = "10.0.0.2";
  EXPECT_EQ(status_of(gate, one), 200);
  EXPECT_EQ(status_of(gate, one), 200);
  EXPECT_EQ(status_of(gate, one), 429);
  EXPECT_EQ(status_of(gate, other), 200);
  EXPECT_EQ(status_of(gate, one, "", 40), 200);
}

TEST(Gate, AllowsListedOriginsOnly) {
  HttpRequest request;
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
