// Runs `dragoman serve` as a process with clients that misbehave: other clients are served, and each refusal says why.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/data/testing.h"
#include "tests/serving.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

const bool kMemoryIsMeaningful = !tests_with_sanitizers();

class ServeFaults : public ServeTest {
 protected:
  // Checks that the answer has this status and one sentence that contains `part`.
  static void expect_refused(Client& client, int status, const std::string& part) {
    const Client::Answer answer = client.answer();
    EXPECT_EQ(answer.status, status);
    const std::string sentence = parse_json(answer.body, "the answer").at("error");
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    EXPECT_TRUE(sentence.ends_with('.')) << sentence;
  }
  // Whether a new client is served within five seconds, which is enough even on a busy machine.
  bool serves(const ServerProcess& server) const {
    const auto begin = std::chrono::steady_clock::now();
    Client client(server.port());
    return is_right(client, 0) && serve::seconds_since(begin) < 5;
  }
  // Whether no other connection is open.
  static bool is_alone(Client& client) {
    return eventually([&] { return metric(client, "dragoman_connections") == 1; });
  }
};

std::string with_body(const std::string& headers, const std::string& body) {
  return "POST /translate HTTP/1.1\r\nHost: a\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string without_last_byte(const std::string& request) { return request.substr(0, request.size() - 1); }

TEST_F(ServeFaults, TenThousandIdleConnectionsTakeNoThreadAndLittleMemory) {
  constexpr int kConnections = 10000;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < kConnections + 500) {
    GTEST_SKIP() << "The system allows " << limit.rlim_max << " descriptors; this needs " << kConnections + 500;
  }
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  ServerProcess server(flags());
  ASSERT_TRUE(serves(server));
  const std::int64_t threads = server.figure("Threads"), memory = server.figure("VmRSS");
  std::vector<Client> idle;
  for (int i = 0; i < kConnections; ++i) idle.emplace_back(server.port());
  Client client(server.port());
  EXPECT_TRUE(eventually([&] { return metric(client, "dragoman_connections") == kConnections + 1; }));
  EXPECT_EQ(server.figure("Threads"), threads);
  if (kMemoryIsMeaningful) {
    EXPECT_LT(server.figure("VmRSS") - memory, 4 * kConnections);
  }
  EXPECT_TRUE(serves(server));
  idle.clear();
  EXPECT_TRUE(is_alone(client));
}

TEST_F(ServeFaults, SlowSendersAreRefusedAndDelayNobody) {
  ServerProcess server(flags({"--read-seconds", "0.3"}));
  const std::string begun = with_body("", std::string(100000, 'x')).substr(0, 100);
  std::vector<Client> slow;
  for (int i = 0; i < 50; ++i) slow.emplace_back(server.port()).send(i % 2 == 0 ? "" : begun);
  const auto begin = std::chrono::steady_clock::now();
  while (serve::seconds_since(begin) < 0.5) {
    for (const Client& client : slow) client.send("G");
    EXPECT_TRUE(serves(server));
  }
  for (Client& client : slow) expect_refused(client, 408, "0.3 s");
}

TEST_F(ServeFaults, AClientThatStopsSendingGetsTheAnswerToAWholeRequest) {
  ServerProcess server(flags());
  for (int i = 0; i < 20; ++i) {
    Client client(server.port());
    client.send(posted("/translate", {{"q", texts[2]}, {"source", "en"}, {"target", "de"}}));
    client.stop_sending();
    const auto answer = client.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(parse_json(answer.body, "the answer")["translatedText"], expected[2]);
    EXPECT_TRUE(client.is_closed());
  }
  Client half(server.port());
  half.send(without_last_byte(with_body("", "{}")));
  half.stop_sending();
  expect_refused(half, 400, "before it was complete");
  std::vector<Client> silent;
  for (int i = 0; i < 200; ++i) silent.emplace_back(server.port()).stop_sending();
  for (Client& client : silent) EXPECT_TRUE(client.is_closed());
  Client client(server.port());
  EXPECT_TRUE(is_alone(client));
}

TEST_F(ServeFaults, ABodyOfAHundredMegabytesIsRefusedUnread) {
  ServerProcess server(flags());
  ASSERT_TRUE(serves(server));
  const std::int64_t memory = server.figure("VmHWM");
  const auto begin = std::chrono::steady_clock::now();
  const std::string megabyte(1000000, 'x'), chunk = "f4240\r\n" + megabyte + "\r\n";
  Client asking(server.port());  // a client that waits for permission before it sends the body
  asking.send("POST /translate HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100000000\r\n\r\n");
  expect_refused(asking, 413, "longer than 1048576 bytes");
  for (const bool announced : {true, false}) {
    Client client(server.port());
    client.send("POST /translate HTTP/1.1\r\nHost: a\r\n");
    client.send(announced ? "Content-Length: 100000000\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n");
    int sent = 0;
    while (sent < 100 && client.send(announced ? megabyte : chunk)) ++sent;
    EXPECT_LT(sent, 50);
    expect_refused(client, 413, "longer than 1048576 bytes");
  }
  EXPECT_LT(serve::seconds_since(begin), 5);
  if (kMemoryIsMeaningful) {
    EXPECT_LT(server.figure("VmHWM") - memory, 10 << 10);
  }
  EXPECT_TRUE(serves(server));
}

TEST_F(ServeFaults, InvalidJsonAndUtf8AreRefusedWithASentence) {
  const std::string json = "Content-Type: application/json\r\n";
  const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
  const std::string parts = "Content-Type: multipart/form-data; boundary=x\r\n";
  struct Case {
    std::string request, part;
  };
  const std::vector<Case> cases = {
      {with_body(json, "{\"q\": \"one\""), "not valid JSON"},
      {with_body(json, "{\"q\": \"one\",}"), "not valid JSON"},
      {with_body(json, "{\"q\": \"\\ud800\"}"), "not valid JSON"},
      {with_body(json, "[\"one\"]"), "not an object"},
      {with_body(json, "{\"q\": " + std::string(500000, '[')), "deeper"},
      {with_body(json, "{\"q\": \"\xFF\"}"), "not UTF-8"},
      {with_body(json, "{\"q\": \"\xC0\x80\"}"), "not UTF-8"},
      {with_body(form, "q=%FF&target=de"), "not UTF-8"},
      {with_body(form, "q=\xE4\xB8&target=de"), "not UTF-8"},
      {with_body(form, "q=%zz"), "hexadecimal"},
      {with_body(parts, "--x\r\nContent-Disposition: form-data; name=q\r\n\r\n\xFF\r\n--x--\r\n"), "not UTF-8"},
      {with_body(parts, "--x\r\nContent-Disposition: form-data; name=q\r\n\r\none"), "no boundary after it"},
      {with_body(parts, "--x\r\n--x--"), "no boundary after it"},
      {"GET /%FF HTTP/1.1\r\nHost: a\r\n\r\n", "UTF-8"},
      {"GET /\xFF HTTP/1.1\r\nHost: a\r\n\r\n", "UTF-8"},
      {"GET /health?x=%C3 HTTP/1.1\r\nHost: a\r\n\r\n", "UTF-8"},
      {"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "escape"}};
  ServerProcess server(flags());
  for (const Case& wrong : cases) {
    SCOPED_TRACE(wrong.request.substr(0, 200));
    Client client(server.port());
    client.send(wrong.request);
    expect_refused(client, 400, wrong.part);
  }
  EXPECT_TRUE(serves(server));
}

TEST_F(ServeFaults, AMegabyteOfTinyFieldsDelaysNobody) {
  std::string fields = "{\"q\": \"one\"", objects = "{\"q\": [{}", form = "q=one";
  for (int i = 0; fields.size() < 1000000; ++i) fields += ",\"" + std::to_string(i) + "\":1";
  for (int i = 0; form.size() < 1000000; ++i) form += "&" + std::to_string(i);
  while (objects.size() < 1000000) objects += ",{}";
  ServerProcess server(flags());
  const auto expect_quick = [&](const std::string& body, const std::string& part) {
    Client client(server.port());
    client.send(with_body("", body));
    EXPECT_TRUE(serves(server));
    expect_refused(client, 400, part);
  };
  expect_quick(fields + "}", "fields");
  expect_quick(form, "fields");
  expect_quick(objects + "]}", "not a string");
}

TEST_F(ServeFaults, TheWorkOfAThousandClientsThatLeaveIsDropped) {
  ServerProcess server(flags({"--queue", "100000"}));
  const std::string of_model = R"({source="en",target="de"})";
  const std::vector<std::string> lines(20, data::words(9));
  const std::string request = posted("/v1/translate", {{"q", lines}, {"max_extra", 300}, {"beam", 8}});
  Client client(server.port());
  for (int round = 0; round < 10; ++round) {
    std::vector<Client> leaving;
    for (int c = 0; c < 100; ++c) leaving.emplace_back(server.port()).send(request);
    EXPECT_TRUE(eventually([&] { return metric(client, "dragoman_batch_sentences" + of_model) > 0; }));
    for (std::size_t c = 0; c < leaving.size(); ++c) c % 2 == 0 ? leaving[c].reset() : leaving[c].close();
  }
  EXPECT_TRUE(eventually([&] {
    return metric(client, "dragoman_batch_sentences" + of_model) == 0 &&
           metric(client, "dragoman_queue_sentences" + of_model) == 0;
  }));
  EXPECT_LT(metric(client, "dragoman_sentences_total" + of_model), 1000 * 20 / 2);
  EXPECT_TRUE(is_alone(client));
  EXPECT_TRUE(serves(server));
}

}  // namespace
}  // namespace dragoman
