// `dragoman serve` as a process: under load, with signals, and with clients that misbehave.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/testing.h"
#include "dragoman/decode/translator.h"
#include "dragoman/serve/testing.h"
#include "tests/program.h"

extern char** environ;

namespace dragoman {
namespace {

using serve::Client;
using serve::eventually;

// The program, started with any free port of the loopback address. Ends with this object at the latest.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> flags) : log_(scratch(".serve")) {
    std::vector<std::string> arguments{DRAGOMAN_PROGRAM, "serve", "--port", "0"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    std::vector<char*> raw;
    for (std::string& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(posix_spawn(&process_, DRAGOMAN_PROGRAM, &actions, nullptr, raw.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_TRUE(eventually([&] { return said().find("listening") != std::string::npos; })) << said();
    port_ = std::stoi("0" + said().substr(std::min(said().size(), said().rfind(':') + 1)));
  }
  ~ServerProcess() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    std::filesystem::remove(log_);
  }

  int port() const { return port_; }
  void signal(int number) const { kill(process_, number); }
  std::string said() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }
  // Waits for the end; its exit status.
  int status() {
    int status = 0;
    waitpid(std::exchange(process_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::string log_;
  pid_t process_ = 0;
  int port_ = 0;
};

std::string posted(const std::string& path, const Json& body) {
  const std::string text = body.dump();
  return "POST " + path +
         " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\n\r\n" + text;
}

class ServeTest : public decode::ModelDirectoryTest {
 protected:
  ServeTest() {
    name_languages("en", "de");
    decode::Translator translator(directory, {.threads = 1});
    for (const decode::TranslatedLine& line : translator.translate(texts)) expected.push_back(line.text);
  }
  std::vector<std::string> flags(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--model", directory.string(), "--threads", "2"});
    return more;
  }
  // Sends text `i` and says whether the answer is what it must be.
  bool is_right(Client& client, std::size_t i) const {
    const auto answer = client.ask(posted("/translate", {{"q", texts[i]}, {"source", "en"}, {"target", "de"}}));
    return answer.status == 200 && Json::parse(answer.body)["translatedText"] == expected[i];
  }

  const std::vector<std::string> texts{"one", "two three four", data::words(9), "five six", "seven", data::words(7)};
  std::vector<std::string> expected;
};

TEST_F(ServeTest, GivesTheBytesOfTranslateUnderLoad) {
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

TEST_F(ServeTest, AnswersEveryRequestThatCameBeforeItIsStopped) {
  ServerProcess server(flags({"--batch-size", "2"}));
  std::vector<Client> clients;
  for (std::size_t c = 0; c < 40; ++c) {
    clients.emplace_back(server.port());
    clients.back().send(posted("/translate", {{"q", texts[c % texts.size()]}, {"source", "en"}, {"target", "de"}}));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // all have come, few are done
  server.signal(SIGTERM);
  for (std::size_t c = 0; c < clients.size(); ++c) {
    const auto answer = clients[c].answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(Json::parse(answer.body)["translatedText"], expected[c % texts.size()]);
  }
  EXPECT_EQ(server.status(), 0) << server.said();
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
      const std::string log = server.said();
      std::size_t count = 0;
      for (std::size_t at = 0; (at = log.find(sentence, at)) != std::string::npos; ++at) ++count;
      return count >= times;
    });
  };
  for (std::size_t round = 1; round <= 3; ++round) {
    server.signal(SIGHUP);
    EXPECT_TRUE(said("loaded again", round)) << server.said();
  }
  std::filesystem::resize_file(model::weights_file(directory), 100);
  server.signal(SIGHUP);
  EXPECT_TRUE(said("stay as they were", 1)) << server.said();
  const int before = asked;
  EXPECT_TRUE(eventually([&] { return asked > before + 10; }));
  over = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ServeTest, ForgetsTheWorkOfClientsThatLeave) {
  ServerProcess server(flags());
  for (int round = 0; round < 10; ++round) {
    std::vector<Client> clients;
    for (int c = 0; c < 20; ++c) {
      clients.emplace_back(server.port());
      clients.back().send(posted("/v1/translate", {{"q", data::words(9)}, {"max_extra", 300}, {"beam", 8}}));
    }
    for (std::size_t c = 0; c < clients.size(); ++c) c % 2 == 0 ? clients[c].reset() : clients[c].close();
  }
  Client client(server.port());
  EXPECT_TRUE(is_right(client, 0));
  EXPECT_TRUE(eventually([&] {
    const std::string metrics = client.ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").body;
    return metrics.find("dragoman_batch_sentences{source=\"en\",target=\"de\"} 0\n") != std::string::npos &&
           metrics.find("dragoman_queue_sentences{source=\"en\",target=\"de\"} 0\n") != std::string::npos;
  }));
}

TEST_F(ServeTest, SaysWhyItRefuses) {
  ServerProcess server(flags({"--queue", "3", "--body-kb", "1", "--tokens", "50", "--request-seconds", "30"}));
  const auto refused = [&](const std::string& text) {
    Client client(server.port());
    const auto answer = client.ask(text);
    EXPECT_TRUE(Json::parse(answer.body).contains("error")) << answer.body;
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

TEST_F(ServeTest, WrongUsageIsOneSentence) {
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
