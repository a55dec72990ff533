// `dragoman serve` as a process that a test can ask, signal and look into, with a small model.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/testing.h"
#include "dragoman/decode/translator.h"
#include "dragoman/serve/testing.h"
#include "tests/program.h"

extern char** environ;

namespace dragoman {

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
  // A number that the system keeps of it: "Threads", or "VmRSS" in KiB.
  std::int64_t figure(const std::string& name) const {
    std::ifstream file("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
    }
    return -1;
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

inline std::string posted(const std::string& path, const Json& body) {
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
    return answer.status == 200 && parse_json(answer.body, "the answer")["translatedText"] == expected[i];
  }

  // One of the server's metrics, by its name and labels.
  static std::int64_t metric(Client& client, const std::string& name) {
    const std::string metrics = "\n" + client.ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").body;
    const std::size_t at = metrics.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stoll(metrics.substr(at + name.size() + 2));
  }

  const std::vector<std::string> texts{"one", "two three four", data::words(9), "five six", "seven", data::words(7)};
  std::vector<std::string> expected;
};

}  // namespace dragoman
