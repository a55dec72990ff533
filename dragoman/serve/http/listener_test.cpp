#include "dragoman/serve/http/listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "dragoman/base/error.h"
#include "dragoman/serve/testing.h"

namespace dragoman::serve {
namespace {

ListenerOptions any_port() { return {.port = 0}; }

// Answers with the request as JSON.
void echo(const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const nlohmann::json request_json = {{"method", request.method}, {"path", request.path},
                                       {"query", request.query},   {"headers", request.headers},
                                       {"body", request.body},     {"client", request.client}};
  exchange->answer({.body = request_json.dump()});
}

nlohmann::json json_of(const Client::Answer& answer) { return nlohmann::json::parse(answer.body); }

TEST(Listener, HandsOverTheWholeRequest) {
  Listener listener(any_port(), echo);
  Client client(listener.port());
  const auto answer = client.ask(
      "POST /a%20b?q=x+y&n=%C3%A9 HTTP/1.1\r\nHost: h\r\nX-Name: first\r\nx-name: last\r\nContent-Length: "
      "5\r\n\r\nhello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("Content-Type"), "application/json");
  EXPECT_FALSE(answer.headers.contains("Connection"));
  const nlohmann::json request_json = json_of(answer);
  EXPECT_EQ(request_json["method"], "POST");
  EXPECT_EQ(request_json["path"], "/a b");
  EXPECT_EQ(request_json["query"], (nlohmann::json{{"q", "x y"}, {"n", "\xc3\xa9"}}));
  EXPECT_EQ(request_json["headers"]["x-name"], "first, last");
  EXPECT_EQ(request_json["body"], "hello");
  EXPECT_EQ(request_json["client"], "127.0.0.1");
}

TEST(Listener, KeepsConnectionsAndAnswersPipelinedRequestsInOrder) {
  Listener listener(any_port(), echo);
  Client client(listener.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc\r\n";
  }
  client.send(requests);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(json_of(client.answer())["path"], "/" + std::to_string(i));
  EXPECT_EQ(listener.counts().accepted, 1);
}

TEST(Listener, ManyMorePipelinedRequestsThanItReadsAheadAreAnswered) {
  Listener listener(any_port(), echo);
  Client client(listener.port());
  constexpr int kRequests = 3000;  // about 200 kB
  std::thread sender([&] {
    for (int i = 0; i < kRequests; ++i) {
      client.send("GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nX: " + std::string(40, 'x') + "\r\n\r\n");
    }
  });
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(json_of(client.answer())["path"], "/" + std::to_string(i));
  sender.join();
}

TEST(Listener, ClosesWhenTheClientWantsThat) {
  Listener listener(any_port(), echo);
  Client asking(listener.port());
  EXPECT_EQ(asking.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").headers.at("Connection"), "close");
  EXPECT_TRUE(asking.is_closed());
  Client old(listener.port());
  EXPECT_EQ(old.ask("GET / HTTP/1.0\r\n\r\n").headers.at("Connection"), "close");
  EXPECT_TRUE(old.is_closed());
  Client keeping(listener.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = keeping.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(answer.headers.at("Connection"), "keep-alive");
  }
}

TEST(Listener, HeadGetsTheHeadersOnly) {
  Listener listener(any_port(), [](const auto& exchange) { exchange->answer({.body = "12345"}); });
  Client client(listener.port());
  client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.head().headers.at("Content-Length"), "5");
  EXPECT_EQ(client.answer().body, "12345");
}

TEST(Listener, Sends100ContinueToAClientThatWaitsForIt) {
  Listener listener(any_port(), echo);
  Client client(listener.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.line(), "HTTP/1.1 100 Continue");
  EXPECT_EQ(client.line(), "");
  EXPECT_EQ(json_of(client.ask("body"))["body"], "body");
  // A client that did not wait gets no 100 Continue.
  EXPECT_EQ(client.ask("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody").status,
            200);
}

TEST(Listener, ReadsBodiesInChunksHoweverTheyArrive) {
  Listener listener(any_port(), echo);
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string body = "3\r\nabc\r\n10;note=x\r\n0123456789abcdef\r\n0\r\nTrailer: t\r\n\r\n";
  Client client(listener.port());
  const auto request_json = json_of(client.ask(head + body));
  EXPECT_EQ(request_json["body"], "abc0123456789abcdef");
  EXPECT_FALSE(request_json["headers"].contains("trailer"));
  EXPECT_EQ(json_of(client.ask(head + "0\r\n\r\n"))["body"], "");
  for (const char letter : head + body + head + "0\r\n\r\n") {
    client.send({&letter, 1});
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(json_of(client.answer())["body"], "abc0123456789abcdef");
  EXPECT_EQ(json_of(client.answer())["body"], "");
}

TEST(Listener, AHandlerThatThrowsGivesStatus500AndTheConnectionGoesOn) {
  std::atomic<int> reports = 0;
  ListenerOptions options = any_port();
  options.report = [&](const std::string& message) {
    if (message.ends_with("GET /throw failed: a secret")) ++reports;
  };
  Listener listener(options, [](const std::shared_ptr<Exchange>& exchange) {
    const std::string& path = exchange->request().path;
    if (path == "/throw") throw Error("a secret");
    if (path == "/number") throw 1;
    if (path == "/good") exchange->answer({.body = "good"});
    exchange->answer({.status = 400});  // a second answer is ignored
  });
  Client client(listener.port());
  for (const char* path : {"/throw", "/number"}) {
    const auto answer = client.ask(std::string("GET ") + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(answer.status, 500);
    EXPECT_NE(json_of(answer)["error"], "");
    EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  }
  EXPECT_EQ(client.ask("GET /good HTTP/1.1\r\nHost: h\r\n\r\n").body, "good");
  EXPECT_EQ(reports, 1);
}

TEST(Listener, AnExchangeThatIsDestroyedGivesStatus500) {
  std::promise<std::shared_ptr<Exchange>> handed;
  Listener listener(any_port(), [&](std::shared_ptr<Exchange> exchange) { handed.set_value(std::move(exchange)); });
  Client client(listener.port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  handed.get_future().get().reset();
  EXPECT_EQ(client.answer().status, 500);
}

TEST(Listener, ExchangesAreAnsweredFromAnyThread) {
  ListenerOptions options = any_port();
  options.threads = 3;
  std::atomic<int> under_way = 0;
  Listener listener(options, [&](const std::shared_ptr<Exchange>& exchange) {
    ++under_way;
    std::thread([exchange = exchange, &under_way]() mutable {
      echo(exchange);
      exchange.reset();
      --under_way;
    }).detach();
  });
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      Client client(listener.port());
      for (int j = 0; j < 50; ++j) {
        const std::string path = "/" + std::to_string(i) + "/" + std::to_string(j);
        wrong += json_of(client.ask("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n"))["path"] != path ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(eventually([&] { return under_way == 0; }));
}

TEST(Listener, SaysWhyItCannotListen) {
  const Listener listener(any_port(), echo);
  ListenerOptions options = any_port();
  options.port = listener.port();
  EXPECT_THROW(Listener(options, echo), Error);
  EXPECT_THROW(Listener({.address = "somewhere", .port = 0}, echo), UsageError);
  EXPECT_THROW(Listener({.port = 65536}, echo), UsageError);
}

TEST(Listener, ClosesEverythingWhenItEnds) {
  std::atomic<bool> gone = false;
  std::promise<std::shared_ptr<Exchange>> handed;
  auto listener = std::make_unique<Listener>(any_port(), [&](std::shared_ptr<Exchange> exchange) {
    exchange->when_gone([&] { gone = true; });
    handed.set_value(std::move(exchange));
  });
  Client idle(listener->port()), asking(listener->port());
  asking.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto exchange = handed.get_future().get();
  listener.reset();
  EXPECT_TRUE(gone);
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(asking.is_closed());
  exchange->answer({});  // has no effect
  EXPECT_FALSE(exchange->event("a", "b"));
}

TEST(Listener, MayEndWhileExchangesAreInUse) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> workers;
    std::atomic<int> gone = 0;
    auto listener = std::make_unique<Listener>(any_port(), [&](const std::shared_ptr<Exchange>& exchange) {
      exchange->events({});
      workers.emplace_back([exchange, &gone] {
        exchange->when_gone([&gone] { ++gone; });
        while (exchange->event("a", "b")) std::this_thread::yield();
      });
    });
    std::vector<Client> clients;
    for (int i = 0; i < 3; ++i) {
      clients.emplace_back(listener->port()).send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
      EXPECT_EQ(clients.back().head().status, 200);
    }
    listener.reset();
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(gone, 3);
  }
}

TEST(Drain, AnswersReceivedRequestsAndAcceptsNoNewConnections) {
  std::promise<std::shared_ptr<Exchange>> handed;
  Listener listener(any_port(), [&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().path == "/slow") return handed.set_value(exchange);
    echo(exchange);
  });
  Client idle(listener.port()), asking(listener.port()), sending(listener.port());
  EXPECT_EQ(idle.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  sending.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbo");
  asking.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  auto slow = handed.get_future().get();
  EXPECT_TRUE(eventually([&] { return listener.counts().connections == 3; }));

  auto drained = std::async(std::launch::async, [&] { listener.drain(5); });
  EXPECT_TRUE(idle.is_closed());
  EXPECT_THROW(Client(listener.port()), std::runtime_error);
  sending.send("dy");
  const auto whole = sending.answer();
  EXPECT_EQ(json_of(whole)["body"], "body");
  EXPECT_EQ(whole.headers.at("Connection"), "close");
  EXPECT_TRUE(sending.is_closed());
  sending.close();
  slow->answer({.body = "late"});
  EXPECT_EQ(asking.answer().body, "late");
  EXPECT_EQ(json_of(asking.answer())["path"], "/next");
  EXPECT_TRUE(asking.is_closed());
  asking.close();
  drained.get();
  EXPECT_EQ(listener.counts().connections, 0);
}

TEST(Drain, DoesNotWaitForRequestsThatHaveNotArrivedWhole) {
  std::promise<std::shared_ptr<Exchange>> handed;
  Listener listener(any_port(), [&](const std::shared_ptr<Exchange>& exchange) { handed.set_value(exchange); });
  Client head(listener.port()), body(listener.port()), refused(listener.port()), asking(listener.port());
  head.send("GET / HT");
  body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbo");
  refused.send("nonsense\r\n\r\n");  // and keeps the connection open
  EXPECT_EQ(refused.answer().status, 400);
  asking.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /ne");
  const auto exchange = handed.get_future().get();
  const auto begin = std::chrono::steady_clock::now();
  auto drained = std::async(std::launch::async, [&] { listener.drain(20); });
  EXPECT_EQ(drained.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  exchange->answer({.body = "late"});
  EXPECT_EQ(asking.answer().body, "late");
  for (Client* half : {&head, &body, &asking}) EXPECT_EQ(half->answer().status, 503);
  drained.get();
  EXPECT_LT(seconds_since(begin), 10);  // a second for clients that do not close; without this rule 20
}

TEST(Drain, ReturnsWhenItsTimeIsOver) {
  std::promise<std::shared_ptr<Exchange>> handed;
  Listener listener(any_port(), [&](const std::shared_ptr<Exchange>& exchange) { handed.set_value(exchange); });
  Client client(listener.port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto exchange = handed.get_future().get();
  const auto begin = std::chrono::steady_clock::now();
  listener.drain(0.1);
  EXPECT_LT(seconds_since(begin), 1);
  EXPECT_EQ(listener.counts().connections, 1);
}

}  // namespace
}  // namespace dragoman::serve
