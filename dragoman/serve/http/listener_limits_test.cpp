// Tests of how the listener treats clients that send too much or too slowly, or that are too many.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dragoman/serve/http/listener.h"
#include "dragoman/serve/testing.h"

namespace dragoman::serve {
namespace {

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

void say_ok(const std::shared_ptr<Exchange>& exchange) { exchange->answer({.body = "ok"}); }

ListenerOptions small_limits() {
  ListenerOptions options{.port = 0, .body_bytes = 1000, .header_bytes = 1000};
  options.discard_bytes = 4 << 20;
  return options;
}

// Expects an answer with this status and an error message, and then that the connection is closed.
void expect_refused(Client& client, int status) {
  const Client::Answer answer = client.answer();
  EXPECT_EQ(answer.status, status);
  EXPECT_GT(nlohmann::json::parse(answer.body).at("error").get<std::string>().size(), 20u);
  EXPECT_EQ(answer.headers.at("Connection"), "close");
  EXPECT_TRUE(client.is_closed());
}

TEST(ListenerLimits, ABodyThatIsAnnouncedAsTooLongIsRefusedUnread) {
  Listener listener(small_limits(), say_ok);
  Client patient(listener.port());
  patient.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
  expect_refused(patient, 413);
  Client exact(listener.port());
  EXPECT_EQ(exact.ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x')).status,
            200);
}

TEST(ListenerLimits, AClientThatKeepsSendingCanReadWhyItWasRefused) {
  Listener listener(small_limits(), say_ok);
  Client announcing(listener.port());
  EXPECT_TRUE(
      announcing.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n" + std::string(3000000, 'x')));
  expect_refused(announcing, 413);
  Client in_chunks(listener.port());
  in_chunks.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "100\r\n" + std::string(256, 'x') + "\r\n";
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(in_chunks.send(chunk));
  expect_refused(in_chunks, 413);
}

TEST(ListenerLimits, AClientThatSendsWithoutEndIsCutOff) {
  Listener listener(small_limits(), say_ok);
  Client client(listener.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string piece(1 << 20, 'x');
  int pieces = 0;
  while (pieces < 100 && client.send(piece)) ++pieces;
  EXPECT_LT(pieces, 100);
}

TEST(ListenerLimits, LongHeadersAreRefused) {
  Listener listener(small_limits(), say_ok);
  const std::string fields = "A: " + std::string(90, 'x') + "\r\n";
  for (const std::string& start :
       {"GET /" + std::string(2000, 'x'), "GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(2000, 'x')}) {
    Client client(listener.port());
    client.send(start);
    expect_refused(client, 431);
  }
  Client slowly(listener.port());  // each line is short
  slowly.send("GET / HTTP/1.1\r\nHost: h\r\n");
  for (int i = 0; i < 11; ++i) {
    slowly.send(fields);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  expect_refused(slowly, 431);
  Client between(listener.port());  // the size of a chunk may be followed by extensions
  between.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;" + std::string(2000, 'x'));
  expect_refused(between, 431);
}

TEST(ListenerLimits, ARefusedHeadGetsNoBody) {
  Listener listener(small_limits(), say_ok);
  for (const char* rest : {"/?a=%ff HTTP/1.1\r\nHost: h\r\n\r\n", "/ HTTP/1.1\r\n\r\n",
                           "/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n"}) {
    Client client(listener.port());
    client.send(std::string("HEAD ") + rest);
    const Client::Answer head = client.head();
    EXPECT_GE(head.status, 400) << rest;
    EXPECT_NE(head.headers.at("Content-Length"), "0") << rest;
    EXPECT_TRUE(client.is_closed()) << rest;
  }
}

void expect_each_refused(int port, const std::vector<std::string>& requests) {
  for (const std::string& request : requests) {
    Client client(port);
    client.send(request);
    SCOPED_TRACE(request);
    expect_refused(client, 400);
  }
}

const std::string kPost = "POST / HTTP/1.1\r\nHost: h\r\n", kPostInChunks = kPost + "Transfer-Encoding: chunked\r\n";

TEST(ListenerLimits, WhatIsNotHttpIsRefused) {
  Listener listener(small_limits(), say_ok);
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n", rest = " HTTP/1.1\r\nHost: h\r\n\r\n";
  expect_each_refused(listener.port(), {"hello\r\n\r\n",
                                        "\x16\x03\x01\r\n",
                                        "GET /\r\n\r\n",
                                        "GET / HTTP/3.0\r\n\r\n",
                                        "GET / HTTP/1.1\nHost: h\n\n",
                                        get + "no colon\r\n\r\n",
                                        get + "A : b\r\n\r\n",
                                        get + "A: \x01\r\n\r\n",
                                        "GET /%zz" + rest,
                                        "GET /?a=%f" + rest,
                                        "GET /\xFF" + rest,
                                        "GET host:80" + rest,
                                        kPost + "Content-Length: -1\r\n\r\n",
                                        kPost + "Content-Length: +1\r\n\r\nx",
                                        kPost + "Content-Length: 18446744073709551617\r\n\r\nx",
                                        kPostInChunks + "\r\nxyz\r\n\r\n",
                                        kPostInChunks + "\r\n-1\r\nx\r\n0\r\n\r\n",
                                        kPostInChunks + "\r\n0x1\r\nx\r\n0\r\n\r\n",
                                        kPostInChunks + "\r\n10000000000000001\r\nx\r\n0\r\n\r\n",
                                        kPostInChunks + "\r\n1\r\nxy\r\n0\r\n\r\n"});
  Client zipped(listener.port());
  zipped.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
  expect_refused(zipped, 501);
  Client cut(listener.port());
  cut.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab");
  cut.stop_sending();
  expect_refused(cut, 400);
}

// If a proxy could read the text in another way than we do, a request could be hidden from it (RFC 9112, sections 3.2
// and 6).
TEST(ListenerLimits, WhatCanBeReadInTwoWaysIsRefused) {
  Listener listener(small_limits(), say_ok);
  expect_each_refused(listener.port(), {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                                        kPost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                                        kPost + "Content-Length: 1, 2\r\n\r\nab",
                                        kPost + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                        kPostInChunks + "Content-Length: 3\r\n\r\n0\r\n\r\n",
                                        kPostInChunks + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"});
  Client old(listener.port());
  EXPECT_EQ(old.ask("GET / HTTP/1.0\r\n\r\n").status, 200);  // HTTP/1.0 has no header Host
}

TEST(ListenerLimits, ASlowSenderIsRefusedWithStatus408) {
  ListenerOptions options = small_limits();
  options.read_seconds = 0.2;
  Listener listener(options, say_ok);
  Client client(listener.port());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100 && seconds_since(begin) < 0.3; ++i) {  // a byte now and then does not extend the time
    client.send("G");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  expect_refused(client, 408);
}

TEST(ListenerLimits, LineBreaksDoNotStartARequest) {
  ListenerOptions options = small_limits();
  options.read_seconds = 0.05;
  options.idle_seconds = 0.2;
  Listener listener(options, say_ok);
  Client client(listener.port());
  EXPECT_EQ(client.ask(kGet + std::string("\r\n")).status, 200);
  EXPECT_TRUE(client.is_closed());  // the line break gets no answer
  Client early(listener.port());
  early.send("\r\n");
  EXPECT_EQ(early.ask(kGet).status, 200);
}

TEST(ListenerLimits, AnIdleConnectionIsClosed) {
  ListenerOptions options = small_limits();
  options.idle_seconds = 0.1;
  Listener listener(options, say_ok);
  Client silent(listener.port()), asking(listener.port());
  EXPECT_EQ(asking.ask(kGet).status, 200);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(asking.is_closed());
  EXPECT_TRUE(eventually([&] { return listener.counts().connections == 0; }));
}

TEST(ListenerLimits, AClientThatDoesNotReadItsAnswerIsCutOff) {
  ListenerOptions options = small_limits();
  options.write_seconds = 0.1;
  Listener listener(options, [](const auto& exchange) { exchange->answer({.body = std::string(32 << 20, 'x')}); });
  Client client(listener.port(), /*receive_buffer=*/4096);
  client.send(kGet);
  EXPECT_TRUE(eventually([&] { return listener.counts().connections == 1; }));
  EXPECT_TRUE(eventually([&] { return listener.counts().connections == 0; }));
}

TEST(ListenerLimits, TooManyConnectionsAreRefusedUntilSomeAreClosed) {
  ListenerOptions options = small_limits();
  options.max_connections = 2;
  Listener listener(options, say_ok);
  Client first(listener.port()), second(listener.port());
  EXPECT_EQ(first.ask(kGet).status, 200);
  EXPECT_EQ(second.ask(kGet).status, 200);
  for (int i = 0; i < 3; ++i) {
    Client third(listener.port());
    third.send(kGet);
    expect_refused(third, 503);
  }
  EXPECT_EQ(listener.counts().refused, 3);
  EXPECT_EQ(first.ask(kGet).status, 200);
  first.close();
  EXPECT_TRUE(eventually([&] { return listener.counts().connections == 1; }));
  Client fourth(listener.port());
  EXPECT_EQ(fourth.ask(kGet).status, 200);
}

TEST(ListenerLimits, RequestsThatTogetherNeedTooMuchMemoryAreRefusedUntilSomeAreAnswered) {
  ListenerOptions options = small_limits();
  options.held_bytes = 2500;
  std::vector<std::shared_ptr<Exchange>> kept;
  std::atomic<int> arrived = 0;
  Listener listener(options, [&](const std::shared_ptr<Exchange>& exchange) {
    kept.push_back(exchange);
    ++arrived;
  });
  const std::string post = kPost + "Content-Length: 1000\r\n\r\n", body(1000, 'x');
  Client waiting(listener.port()), slow(listener.port()), third(listener.port());
  waiting.send(post + body);
  EXPECT_TRUE(eventually([&] { return arrived == 1; }));
  slow.send(post + body.substr(1));
  third.send(kGet);
  EXPECT_TRUE(eventually([&] { return arrived == 2; }));  // so the bytes of `slow` have been read
  kept[1]->answer({});
  EXPECT_EQ(third.answer().status, 200);
  third.send(post + body.substr(1));
  expect_refused(third, 503);
  slow.send("x");
  EXPECT_TRUE(eventually([&] { return arrived == 3; }));
  for (const auto& exchange : kept) exchange->answer({});
  EXPECT_EQ(waiting.answer().status, 200);
  EXPECT_EQ(slow.answer().status, 200);
  Client later(listener.port());
  later.send(post + body);
  EXPECT_TRUE(eventually([&] { return arrived == 4; }));
}

// Sets the limit of open file descriptors, and restores it at the end.
class Descriptors {
 public:
  Descriptors() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~Descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  rlim_t most() const { return before_.rlim_max; }
  void limit(rlim_t count) const {
    const rlimit limit{.rlim_cur = count, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }

 private:
  rlimit before_{};
};

TEST(ListenerLimits, AcceptsAgainAfterDescriptorsRanOut) {
  const Descriptors descriptors;
  std::atomic<int> reports = 0;
  ListenerOptions options = small_limits();
  options.report = [&](const std::string&) { ++reports; };
  Listener listener(options, say_ok);
  Client before(listener.port());
  EXPECT_EQ(before.ask(kGet).status, 200);
  const int next = dup(0);
  close(next);
  descriptors.limit(static_cast<rlim_t>(next) + 1);  // one is free: the client takes it, and the server gets none
  Client waiting(listener.port());
  waiting.send(kGet);
  EXPECT_TRUE(eventually([&] { return reports == 1; }));
  EXPECT_EQ(before.ask(kGet).status, 200);
  descriptors.limit(descriptors.most());
  EXPECT_EQ(waiting.answer().status, 200);
  EXPECT_EQ(reports, 1);
}

double resident_kib() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;  // the second number is the resident size
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

// Starts a process that holds connections without sending anything until it is killed, and returns its id. It is a
// separate process, so that both sides have enough descriptors.
pid_t hold_connections(int port, int count) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(60);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < count; ++i) {
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    if (client < 0 || ::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(1);
  }
  for (;;) pause();
}

TEST(ListenerLimits, TenThousandIdleConnectionsTakeLittleMemoryAndTime) {
  constexpr int kConnections = 10000;
  const Descriptors descriptors;
  if (descriptors.most() < kConnections + 500) {
    GTEST_SKIP() << "The system allows " << descriptors.most() << " descriptors; this needs " << kConnections + 500;
  }
  Listener listener(small_limits(), say_ok);
  Client client(listener.port());
  EXPECT_EQ(client.ask(kGet).status, 200);
  const double before = resident_kib();
  const pid_t child = hold_connections(listener.port(), kConnections);
  EXPECT_TRUE(eventually([&] { return listener.counts().connections == kConnections + 1; }))
      << listener.counts().connections;
  const double each = (resident_kib() - before) / kConnections;
  std::printf("%.2f KiB for each idle connection\n", each);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(each, 4);
#endif
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    Client other(listener.port());
    EXPECT_EQ(other.ask(kGet).status, 200);
  }
  EXPECT_LT(seconds_since(begin), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(ListenerLimits, AnAddressCannotTakeTheConnectionsOfOthers) {
  ListenerOptions options = small_limits();
  options.max_connections = 16;
  Listener listener(options, say_ok);
  std::vector<Client> many;
  for (int i = 0; i < 16; ++i) {
    many.emplace_back(listener.port());
    EXPECT_EQ(many.back().ask(kGet).status, 200);
  }
  Client one_more(listener.port());
  one_more.send(kGet);
  expect_refused(one_more, 503);
  Client other(listener.port(), 0, "127.0.0.2");
  EXPECT_EQ(other.ask(kGet).status, 200);
}

TEST(ListenerLimits, TheClientBehindATrustedProxyIsTheForwardedAddress) {
  ListenerOptions options = small_limits();
  options.trusted_proxies = {"127.0.0.2"};
  Listener listener(options, [](const auto& exchange) { exchange->answer({.body = exchange->request().client}); });
  const std::string forwarded = "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 9.9.9.9, 8.8.8.8\r\n\r\n";
  Client proxy(listener.port(), 0, "127.0.0.2"), liar(listener.port());
  EXPECT_EQ(proxy.ask(forwarded).body, "8.8.8.8");
  EXPECT_EQ(proxy.ask(kGet).body, "127.0.0.2");
  EXPECT_EQ(liar.ask(forwarded).body, "127.0.0.1");
}

TEST(ListenerLimits, MemoryForWorkAndAnswersIsLimitedLikeThatForRequests) {
  ListenerOptions options = small_limits();
  options.held_bytes = 1 << 20;
  std::vector<std::shared_ptr<Exchange>> kept;
  Listener listener(options, [&](const std::shared_ptr<Exchange>& exchange) {
    const bool fits = exchange->reserve(600 << 10);
    if (fits && exchange->request().path == "/keep") return kept.push_back(exchange);
    exchange->answer({.status = fits ? 200 : 503, .body = "."});
  });
  Client first(listener.port()), second(listener.port());
  first.send("GET /keep HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return second.ask(kGet).status == 503; }));
  Client other(listener.port(), 0, "127.0.0.2");
  EXPECT_EQ(other.ask(kGet).status, 503);  // while the first is kept, no other client's fits either
  kept.front()->answer({.body = std::string(800 << 10, 'x')});
  kept.clear();
  EXPECT_EQ(first.answer().body.size(), std::size_t{800 << 10});
  EXPECT_TRUE(eventually([&] { return second.ask(kGet).status == 200; }));
}

TEST(ListenerLimits, LongAnswersThatAreNotReadAreLimitedTogether) {
  ListenerOptions options = small_limits();
  options.held_bytes = 64 << 20;
  Listener listener(options, [](const auto& exchange) { exchange->answer({.body = std::string(24 << 20, 'x')}); });
  std::vector<Client> slow;
  for (int i = 0; i < 2; ++i) slow.emplace_back(listener.port(), /*receive_buffer=*/4096).send(kGet);
  EXPECT_EQ(slow[0].head().status, 200);
  EXPECT_EQ(slow[1].head().status, 200);
  Client third(listener.port());
  EXPECT_EQ(third.ask(kGet).status, 503);
  slow.clear();
  EXPECT_TRUE(eventually([&] { return third.ask(kGet).status == 200; }));
}

}  // namespace
}  // namespace dragoman::serve
