// Runs `dragoman serve` as a process and sends short requests that ask for a lot of work: each is refused, or bounded
// in memory and in the delay of other clients.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "tests/serving.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

const bool kMemoryIsMeaningful = !tests_with_sanitizers();
constexpr std::int64_t kMaxKib = 200 << 10;  // most memory that a request under 10 kB may take
constexpr double kMaxSeconds = 5;            // longest wait of another client for a word, even on a busy machine

class ServeCost : public ServeTest {
 protected:
  // Another client, from another address, asks for a word. Returns the seconds that it took, or 1000 if the answer is
  // wrong.
  double seconds_for_another(const ServerProcess& server, const char* from = "127.0.0.2") const {
    const auto begin = std::chrono::steady_clock::now();
    Client client(server.port(), 0, from);
    return is_right(client, 0) ? serve::seconds_since(begin) : 1000;
  }
  // Sends a request that must be refused with 413; returns the error message.
  static std::string refused(const ServerProcess& server, const Json& body, const std::string& path = "/v1/translate") {
    Client client(server.port());
    const auto answer = client.ask(posted(path, body));
    EXPECT_EQ(answer.status, 413) << answer.body.substr(0, 200);
    return parse_json(answer.body, "the answer").value("error", "");
  }
  // Lines whose translations are searched up to the length limit.
  static Json long_lines(int lines, int length) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "one\n";
    return {{"q", text}, {"min_length", length}, {"max_extra", length}};
  }
  // The number of sentences that are being translated.
  static std::int64_t under_way(Client& client) {
    return metric(client, R"(dragoman_batch_sentences{source="en",target="de"})");
  }
};

TEST_F(ServeCost, SettingsThatAskForTooMuchAreRefusedBeforeAnyWork) {
  ServerProcess server(flags());
  ASSERT_LT(seconds_for_another(server), kMaxSeconds);
  const std::int64_t memory = server.figure("VmHWM");
  const Json base{{"q", "one"}, {"beam", 1}};
  const auto with = [&](const Json& more) {
    Json body = base;
    body.update(more);
    return body;
  };
  EXPECT_NE(refused(server, with({{"trace", true}, {"min_length", 6000}, {"max_extra", 6000}})).find("max_extra"),
            std::string::npos);
  EXPECT_NE(refused(server, with({{"min_length", 29100}, {"max_extra", 29176}})).find("max_extra"), std::string::npos);
  EXPECT_NE(refused(server, with({{"trace", true}, {"min_length", 2000}, {"max_extra", 2000}})).find("layers"),
            std::string::npos);
  EXPECT_NE(refused(server, with({{"beam", 32}, {"max_extra", 1000}})).find("beam"), std::string::npos);
  if (kMemoryIsMeaningful) {
    EXPECT_LT(server.figure("VmHWM") - memory, 20 << 10);
  }
  EXPECT_LT(seconds_for_another(server), kMaxSeconds);
}

TEST_F(ServeCost, AllowedRequestsStayWithinTheirMemory) {
  std::string html, words, lines;
  while (html.size() < 9500) html += "<p>one <b>two three</b> four <i>five</i> six</p>";
  while (words.size() < 3000) words += "<b>one</b> two ";
  while (lines.size() < 7600) lines += "one\n";
  const Json html_fields{{"source", "en"}, {"target", "de"}, {"format", "html"}, {"alternatives", 4}};
  const auto as_html = [&](const std::string& text) {
    Json body = html_fields;
    body["q"] = text;
    return body;
  };
  const std::vector<std::pair<std::string, Json>> shapes = {
      {"/translate", as_html(html)},
      {"/translate", as_html(words)},
      {"/v1/translate", {{"q", "one two"}, {"trace", true}, {"min_length", 700}, {"max_extra", 700}, {"beam", 1}}},
      {"/v1/translate", {{"q", lines}, {"trace", true}, {"beam", 16}, {"min_length", 50}}},
      {"/v1/translate", {{"q", "one two"}, {"beam", 32}, {"n_best", 32}, {"trace", true}, {"max_extra", 120}}},
      {"/v1/translate", {{"q", data::words(200)}, {"trace", true}, {"packed", true}, {"projections", "all"}}},
      {"/v1/translate", {{"q", data::words(400)}, {"alignment", true}, {"beam", 8}}}};
  for (const auto& [path, body] : shapes) {
    ServerProcess server(flags());
    ASSERT_LT(seconds_for_another(server), kMaxSeconds);
    const std::int64_t memory = server.figure("VmRSS");
    std::atomic<bool> answered = false;
    std::thread attack([&, path = path, body = body] {
      Client client(server.port());
      client.wait_at_most(60);
      const int status = client.ask(posted(path, body)).status;
      EXPECT_TRUE(status == 200 || status == 413) << status << " for " << body.dump().substr(0, 100);
      answered = true;
    });
    double worst = 0;
    do worst = std::max(worst, seconds_for_another(server));
    while (!answered);
    attack.join();
    EXPECT_LT(worst, kMaxSeconds) << body.dump().substr(0, 100);
    if (kMemoryIsMeaningful) {
      EXPECT_LT(server.figure("VmHWM") - memory, kMaxKib) << body.dump().substr(0, 100);
    }
  }
}

TEST_F(ServeCost, LongSearchesOfOneClientDelayNobodyElse) {
  ServerProcess server(flags());
  Client watching(server.port(), 0, "127.0.0.3");
  std::vector<Client> demanding;
  for (int i = 0; i < 4; ++i) {
    demanding.emplace_back(server.port()).send(posted("/v1/translate", long_lines(400, 1800)));
  }
  ASSERT_TRUE(eventually([&] { return under_way(watching) > 1; }));
  for (int i = 0; i < 5; ++i) {
    EXPECT_LT(seconds_for_another(server), kMaxSeconds);
    EXPECT_GT(under_way(watching), 0);  // it was answered while the other searches were still running
  }
  demanding.clear();
  EXPECT_TRUE(eventually([&] { return under_way(watching) == 0; }));
}

TEST_F(ServeCost, AClientWithHundredsOfRequestsDoesNotBlockOthers) {
  ServerProcess server(flags({"--queue", "50", "--connections", "300"}));
  Client watching(server.port(), 0, "127.0.0.3");
  const std::string request = posted("/v1/translate", long_lines(1, 900));
  std::vector<Client> many;
  for (int i = 0; i < 400; ++i) {
    try {
      many.emplace_back(server.port()).send(request);
    } catch (const std::runtime_error&) {  // the connection was refused
    }
  }
  ASSERT_TRUE(eventually([&] { return under_way(watching) > 1; }));
  int served = 0;
  for (int i = 0; i < 8; ++i) served += seconds_for_another(server) < kMaxSeconds ? 1 : 0;
  EXPECT_EQ(served, 8);
  for (std::size_t i = 1; i <= 10; ++i) EXPECT_EQ(many[many.size() - i].answer().status, 503);  // the last ones
}

TEST_F(ServeCost, ARequestEndsAtItsTimeLimit) {
  ServerProcess server(flags({"--request-seconds", "1"}));
  Client client(server.port()), watching(server.port());
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = client.ask(posted("/v1/translate", long_lines(500, 1800)));
  EXPECT_EQ(answer.status, 503) << answer.body.substr(0, 100);
  EXPECT_LT(serve::seconds_since(begin), 5);
  EXPECT_TRUE(eventually([&] { return under_way(watching) == 0; }));  // the work has stopped, too
}

TEST_F(ServeCost, BehindATrustedProxyClientsAreDistinguished) {
  ServerProcess server(flags({"--trusted-proxy", "127.0.0.1", "--requests-per-minute", "2"}));
  const auto ask_as = [&](const std::string& client) {
    std::string request = posted("/translate", {{"q", "one"}, {"source", "en"}, {"target", "de"}});
    request.insert(request.find("Host:"), "X-Forwarded-For: " + client + "\r\n");
    Client proxy(server.port());
    return proxy.ask(request).status;
  };
  EXPECT_EQ(ask_as("10.1.1.1"), 200);
  EXPECT_EQ(ask_as("10.1.1.1"), 200);
  EXPECT_EQ(ask_as("10.1.1.1"), 429);
  EXPECT_EQ(ask_as("10.1.1.2"), 200);
  EXPECT_EQ(ask_as("10.1.1.2, 10.1.1.1"), 429);  // only the address that the proxy appended counts
}

}  // namespace
}  // namespace dragoman
