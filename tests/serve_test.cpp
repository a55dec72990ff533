// Runs `dragoman serve` as a process: under load, with signals, and with requests that it refuses.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/model/files/weights.h"
#include "tests/serving.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

TEST_F(ServeTest, GivesTheSameTranslationsAsTheTranslatorUnderLoad) {
  ServerProcess server(flags({"--batch-size", "5", "--workers", "2"}));
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      Client client(server.port());
      for (std::size_t i = 0; i < 30; ++i) right += is_right(client, (c + i) % texts.size()) ? 1 : 0;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 8 * 30);
}

TEST_F(ServeTest, SaysIfThereAreNoCheckpointsToServe) {
  ServerProcess server(flags({"--checkpoints", "2"}));
  EXPECT_TRUE(eventually([&] {
    return server.output().find("--checkpoints has no effect: there are no checkpoints.") != std::string::npos;
  })) << server.output();
}

// It waits for its keys, as it would for a large model. Its test holds the pipe open once the server has opened it.
TEST_F(ServeTest, EndsAtOnceIfItIsStoppedBeforeItListens) {
  const std::string keys = directory / "keys";
  ASSERT_EQ(::mkfifo(keys.c_str(), 0600), 0);
  for (const int signal : {SIGTERM, SIGINT}) {
    std::vector<std::string> command{tested_program(), "serve", "--port", "0", "--api-keys", keys};
    for (const std::string& flag : flags()) command.push_back(flag);
    Process server(command);
    int writer = -1;
    EXPECT_TRUE(eventually([&] { return (writer = ::open(keys.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0; }));
    server.signal(signal);
    EXPECT_EQ(server.status(), 128 + signal) << server.output();
    ::close(writer);
  }
}

// A directory of programs that is all of PATH during the lifetime of this object.
class OwnPath {
 public:
  explicit OwnPath(std::string directory) : directory_(std::move(directory)), before_(std::getenv("PATH")) {
    make_directory(directory_);
    ::setenv("PATH", directory_.c_str(), 1);
  }
  ~OwnPath() { ::setenv("PATH", before_.c_str(), 1); }
  OwnPath(const OwnPath&) = delete;
  OwnPath& operator=(const OwnPath&) = delete;

  void add(const std::string& name, const std::string& script) const {
    const std::filesystem::path file = std::filesystem::path(directory_) / name;
    replace_file(file, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

 private:
  std::string directory_, before_;
};

TEST_F(ServeTest, SaysWhereToOpenThePage) {
  ServerProcess server(flags());
  EXPECT_EQ(server.number_after("serve: open http://127.0.0.1:"), server.port()) << server.output();
}

TEST_F(ServeTest, OpensThePageInABrowserIfAsked) {
  const OwnPath path(directory / "programs");
  const std::string opened = directory / "opened";
  {
    ServerProcess server(flags({"--open"}));
    EXPECT_EQ(server.number_after("cannot open a browser: there is no program xdg-open; open http://127.0.0.1:"),
              server.port())
        << server.output();
  }
  path.add("xdg-open", "exit 3");
  {
    ServerProcess server(flags({"--open"}));
    EXPECT_TRUE(server.number_after("cannot open a browser: xdg-open found none that it could start; open http://"))
        << server.output();
  }
  path.add("xdg-open", "echo \"$1\" > '" + opened + "'; exec /bin/sleep 3");  // like a browser, which stays
  ServerProcess server(flags({"--open"}));
  EXPECT_TRUE(eventually([&] {
    return std::filesystem::exists(opened) &&
           read_file(opened) == "http://127.0.0.1:" + std::to_string(server.port()) + "\n";
  })) << server.output();
  Client client(server.port());
  EXPECT_TRUE(is_right(client, 0));
  server.signal(SIGTERM);
  EXPECT_EQ(server.status(), 0);
  EXPECT_EQ(server.output().find("cannot open"), std::string::npos) << server.output();
}

TEST_F(ServeTest, AnswersEveryRequestThatCameBeforeItIsStopped) {
  ServerProcess server(flags({"--batch-size", "2"}));
  std::vector<Client> clients;
  for (std::size_t c = 0; c < 40; ++c) {
    clients.emplace_back(server.port());
    clients.back().send(posted("/translate", {{"q", texts[c % texts.size()]}, {"source", "en"}, {"target", "de"}}));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // all have arrived, few are done
  server.signal(SIGTERM);
  for (std::size_t c = 0; c < clients.size(); ++c) {
    const auto answer = clients[c].answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(parse_json(answer.body, "the answer")["translatedText"], expected[c % texts.size()]);
  }
  EXPECT_EQ(server.status(), 0) << server.output();
}

TEST_F(ServeTest, LoadsModelsAgainWithoutDroppingARequest) {
  ServerProcess server(flags());
  std::atomic<bool> over = false;
  std::atomic<int> wrong = 0, asked = 0;
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < 4; ++c) {
    clients.emplace_back([&, c] {
      Client client(server.port());
      for (std::size_t i = c; !over; ++i, ++asked) wrong += is_right(client, i % texts.size()) ? 0 : 1;
    });
  }
  const auto said = [&](const std::string& sentence, std::size_t times) {
    return eventually([&] {
      const std::string log = server.output();
      std::size_t count = 0;
      for (std::size_t at = 0; (at = log.find(sentence, at)) != std::string::npos; ++at) ++count;
      return count >= times;
    });
  };
  for (std::size_t round = 1; round <= 3; ++round) {
    server.signal(SIGHUP);
    EXPECT_TRUE(said("loaded again", round)) << server.output();
  }
  std::filesystem::resize_file(model::weights_file(directory), 100);
  server.signal(SIGHUP);
  EXPECT_TRUE(said("stay as they were", 1)) << server.output();
  EXPECT_TRUE(said("model.safetensors", 1)) << server.output();  // the reason
  const int before = asked;
  EXPECT_TRUE(eventually([&] { return asked > before + 10; }));
  over = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ServeTest, SaysWhyItRefuses) {
  ServerProcess server(flags({"--queue", "3", "--body-kb", "1", "--tokens", "50", "--request-seconds", "30"}));
  const auto refused = [&](const std::string& text) {
    Client client(server.port());
    const auto answer = client.ask(text);
    EXPECT_TRUE(parse_json(answer.body, "the answer").contains("error")) << answer.body;
    return answer.status;
  };
  EXPECT_EQ(refused(posted("/translate", {{"q", std::string(2000, 'a')}})), 413);
  EXPECT_EQ(refused(posted("/translate", {{"q", "one"}, {"target", "xx"}})), 400);
  EXPECT_EQ(refused("POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Type: a/b\r\n\r\nx"), 415);
  EXPECT_EQ(refused("POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n{"), 400);
  EXPECT_EQ(refused("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /x HTTP/1.1\r\nHost: a\r\n\r\n"), 404);
  Client client(server.port());
  EXPECT_TRUE(is_right(client, 0));
}

TEST_F(ServeTest, SaysOnStandardErrorWhyARequestFailed) {
  replace_file(directory / "heads.json", "[1]");
  ServerProcess server(flags());
  Client client(server.port());
  EXPECT_EQ(client.ask("GET /v1/heads HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 500);
  EXPECT_TRUE(eventually([&] {
    return server.output().find("serve: GET /v1/heads got status 500: '" + directory.string()) != std::string::npos;
  })) << server.output();
}

TEST_F(ServeTest, WrongUsageIsReportedInOneSentence) {
  expect_one_sentence(run("serve"), 2, "--model");
  expect_one_sentence(run("serve --model " + directory.string() + " --port 70000"), 2, "port");
  expect_one_sentence(run("serve --model " + directory.string() + " --address 203.0.113.1 --port 0"), 1, "203.0.113.1");
  expect_one_sentence(run("serve --model " + (directory / "none").string()), 1, "there is no model directory");
  ServerProcess server(flags());
  expect_one_sentence(run("serve --model " + directory.string() + " --port " + std::to_string(server.port())), 1,
                      std::to_string(server.port()));
}

}  // namespace
}  // namespace dragoman
