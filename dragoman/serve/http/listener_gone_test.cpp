// Tests of slow answers: server-sent events, time limits, and clients that leave before the end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <vector>

#include "dragoman/serve/http/listener.h"
#include "dragoman/serve/testing.h"

namespace dragoman::serve {
namespace {

// A listener that keeps its exchanges for the test to answer, and counts the clients that have gone.
class GoneTest : public ::testing::Test {
 protected:
  // The listener comes last: its threads end before what they use is destroyed.
  ListenerOptions options{.port = 0};
  std::atomic<int> gone = 0;
  std::mutex mutex;
  std::vector<std::shared_ptr<Exchange>> kept;
  std::unique_ptr<Listener> listener;

  int start() {
    listener = std::make_unique<Listener>(options, [this](const std::shared_ptr<Exchange>& exchange) {
      exchange->when_gone([this] { ++gone; });
      const std::lock_guard lock(mutex);
      kept.push_back(exchange);
    });
    return listener->port();
  }
  // The exchange of a request, by its number in the order of arrival. Waits for it.
  std::shared_ptr<Exchange> arrived(std::size_t number = 0) {
    const auto has_arrived = [&] {
      const std::lock_guard lock(mutex);
      return kept.size() > number;
    };
    if (!eventually(has_arrived)) throw std::runtime_error("no request has arrived");
    const std::lock_guard lock(mutex);
    return kept[number];
  }
  // Waits until this many clients have gone, and returns whether they have.
  bool eventually_gone(int count = 1) {
    return eventually([&] { return gone == count; });
  }
  static void wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string old_get = "GET / HTTP/1.0\r\n\r\n";
};

TEST_F(GoneTest, EventsComeAsTheyAreMade) {
  Client client(start());
  client.send(get);
  const auto exchange = arrived();
  exchange->events({{"X-Model", "small"}});
  const auto head = client.head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("Content-Type"), "text/event-stream");
  EXPECT_EQ(head.headers.at("Cache-Control"), "no-store");
  EXPECT_EQ(head.headers.at("X-Accel-Buffering"), "no");
  EXPECT_EQ(head.headers.at("X-Model"), "small");
  EXPECT_TRUE(exchange->event("piece", "one\ntwo"));
  EXPECT_EQ(client.chunk(), "event: piece\ndata: one\ndata: two\n\n");
  EXPECT_TRUE(exchange->event("piece", "three"));
  EXPECT_EQ(client.chunk(), "event: piece\ndata: three\n\n");
  exchange->end();
  EXPECT_EQ(client.chunk(), "");
  exchange->end();
  EXPECT_FALSE(exchange->event("piece", "late"));
  client.send(get);  // the connection can still be used
  arrived(1)->answer({.body = "next"});
  EXPECT_EQ(client.answer().body, "next");
  EXPECT_EQ(gone, 0);
}

TEST_F(GoneTest, EventsForAnOldClientEndWithTheConnection) {
  Client client(start());
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto exchange = arrived();
  exchange->events({});
  EXPECT_FALSE(client.head().headers.contains("Transfer-Encoding"));
  exchange->event("a", "b");
  exchange->end();
  EXPECT_EQ(client.rest(), "event: a\ndata: b\n\n");
}

TEST_F(GoneTest, AHeadRequestGetsOnlyTheHeadOfEvents) {
  Client client(start());
  client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n" + get);
  arrived()->events({});
  EXPECT_FALSE(arrived()->event("a", "b"));
  EXPECT_EQ(client.head().headers.at("Content-Type"), "text/event-stream");
  arrived(1)->answer({.body = "next"});
  EXPECT_EQ(client.answer().body, "next");
}

TEST_F(GoneTest, EventsFromManyThreadsArriveWhole) {
  Client client(start());
  client.send(get);
  const auto exchange = arrived();
  exchange->events({});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j) exchange->event("e", "d");
    });
  }
  for (std::thread& thread : threads) thread.join();
  exchange->end();
  std::string expected;
  for (int i = 0; i < 400; ++i) expected += "event: e\ndata: d\n\n";
  EXPECT_EQ(client.answer().body, expected);
}

TEST_F(GoneTest, AClientThatDoesNotReadItsEventsIsCutOff) {
  Client client(start(), 4096);
  client.send(get);
  const auto exchange = arrived();
  exchange->events({});
  const std::string data(16 << 10, 'x');
  int events = 0;
  while (events < 5000 && exchange->event("e", data)) {
    ++events;
    if (events % 16 == 0) wait(1);  // faster than any model, but a client that reads would keep up
  }
  EXPECT_GE(events, 16);  // 256 KiB may wait
  EXPECT_LT(events, 5000);
  EXPECT_FALSE(exchange->event("e", "short"));
  EXPECT_TRUE(eventually_gone());
  EXPECT_TRUE(eventually([&] { return listener->counts().connections == 0; }));
}

TEST_F(GoneTest, AStreamWhoseExchangeIsDestroyedBreaksOff) {
  Client client(start());
  client.send(get);
  arrived()->events({});
  arrived()->event("a", "b");
  {
    const std::lock_guard lock(mutex);
    kept.clear();
  }
  const std::string text = client.rest();
  EXPECT_EQ(text.find("\r\n0\r\n"), std::string::npos) << text;
}

TEST_F(GoneTest, AnAnswerThatTakesTooLongIsReplacedByStatus503) {
  options.request_seconds = 0.1;
  Client client(start());
  client.send(get);
  const auto answer = client.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("0.1 s"), std::string::npos) << answer.body;
  EXPECT_TRUE(eventually_gone());
  arrived()->answer({.body = "late"});
  arrived()->when_gone([this] { ++gone; });  // at once
  EXPECT_EQ(gone, 2);
  client.send(get);  // the connection can still be used
  arrived(1)->answer({.body = "quick"});
  EXPECT_EQ(client.answer().body, "quick");
  EXPECT_EQ(gone, 2);
}

TEST_F(GoneTest, AStreamThatTakesTooLongBreaksOff) {
  options.request_seconds = 0.1;
  Client client(start());
  client.send(get);
  arrived()->events({});
  EXPECT_EQ(client.head().status, 200);
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(eventually_gone());
}

TEST_F(GoneTest, AClientThatClosesIsNoticedWhileItsAnswerIsMade) {
  const int port = start();
  for (int i = 0; i < 3; ++i) {
    Client client(port);
    client.send(i == 0 ? get : i == 1 ? old_get : get + get + get);
    const auto exchange = arrived(static_cast<std::size_t>(i));
    const auto begin = std::chrono::steady_clock::now();
    client.close();
    EXPECT_TRUE(eventually_gone(i + 1));
    EXPECT_LT(seconds_since(begin), 1);
    exchange->answer({.body = "for nobody"});
  }
  EXPECT_TRUE(eventually([&] { return listener->counts().connections == 0; }));
}

TEST_F(GoneTest, AClientThatResetsIsNoticed) {
  Client client(start());
  client.send(get);
  arrived();
  client.reset();
  EXPECT_TRUE(eventually_gone());
}

TEST_F(GoneTest, AClientThatClosesAQuietStreamIsNoticed) {
  Client client(start());
  client.send(get);
  const auto exchange = arrived();
  exchange->events({});
  exchange->event("a", "b");
  client.head();
  client.chunk();
  client.close();
  EXPECT_TRUE(eventually_gone());
  EXPECT_FALSE(exchange->event("a", "b"));
}

TEST_F(GoneTest, AClientThatOnlyStopsSendingGetsItsAnswer) {
  const int port = start();
  for (int i = 0; i < 2; ++i) {
    Client client(port);
    client.send(i == 0 ? get : old_get);
    client.stop_sending();
    const auto exchange = arrived(static_cast<std::size_t>(i));
    wait(700);  // until the listener has probed twice (at once and after 0.5 s) whether the client is still there
    exchange->answer({.body = "worth waiting"});
    EXPECT_EQ(client.answer().body, "worth waiting");
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_EQ(gone, 0);
}

TEST_F(GoneTest, AClientThatOnlyStopsSendingGetsItsEventsAndAllItsAnswers) {
  Client client(start());
  client.send(get + get);
  client.stop_sending();
  arrived()->events({});
  EXPECT_EQ(client.head().status, 200);
  EXPECT_EQ(client.chunk(), ":\n\n");  // a comment, to find out whether the client is still there
  arrived()->event("a", "b");
  std::string text = client.chunk();
  arrived()->end();
  for (std::string more = client.chunk(); !more.empty(); more = client.chunk()) text += more;
  EXPECT_NE(text.find("event: a\ndata: b\n\n"), std::string::npos) << text;
  arrived(1)->answer({.body = "last"});
  EXPECT_EQ(client.answer().body, "last");
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(gone, 0);
}

TEST_F(GoneTest, AClientThatStopsSendingAndLeavesLaterIsNoticed) {
  Client client(start());
  client.send(get);
  client.stop_sending();
  arrived();
  EXPECT_EQ(client.take(1), "H");  // the first probe: the first byte of the answer
  client.close();
  EXPECT_TRUE(eventually_gone());
}

TEST_F(GoneTest, AThousandClientsThatLeaveAreAllNoticed) {
  options.threads = 2;
  const int port = start();
  for (int round = 1; round <= 10; ++round) {
    std::vector<Client> clients;
    for (int i = 0; i < 100; ++i) clients.emplace_back(port).send(get);
    arrived(static_cast<std::size_t>(100 * round - 1));
    for (std::size_t i = 0; i < clients.size(); i += 3) clients[i].reset();
  }
  EXPECT_TRUE(eventually_gone(1000));
  EXPECT_TRUE(eventually([&] { return listener->counts().connections == 0; }));
}

}  // namespace
}  // namespace dragoman::serve
