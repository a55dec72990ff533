// `dragoman serve` as a process with a small model, to which a test can send requests and signals.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/decode/testing.h"
#include "dragoman/serve/testing.h"
#include "tests/process.h"
#include "tests/tested_program.h"

namespace dragoman {

using serve::Client;
using serve::eventually;

// The program, started on any free port of the loopback address. The destructor ends it.
class ServerProcess : public Process {
 public:
  explicit ServerProcess(const std::vector<std::string>& flags, const ProcessOptions& with = {})
      : Process(command(flags), with) {
    const bool is_logged = with.err == ProcessOptions::kLog;
    port_ = is_logged ? number_after("listening on http://127.0.0.1:").value_or(0) : listening_port();
    EXPECT_GT(port_, 0) << output();
  }
  int port() const { return port_; }
  using Process::id;
  // A value from /proc/PID/status, such as "Threads", or "VmRSS" in KiB.
  std::int64_t figure(const std::string& name) const {
    std::ifstream file("/proc/" + std::to_string(id()) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
    }
    return -1;
  }

 private:
  static std::vector<std::string> command(const std::vector<std::string>& flags) {
    // The requests of most tests have the header "Host: a".
    std::vector<std::string> words{tested_program(), "serve", "--port", "0", "--allowed-host", "a"};
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  }

  int port_ = 0;
};

// A POST request with a JSON body.
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
  // Sends text `i` and returns whether the answer is right.
  bool is_right(Client& client, std::size_t i) const {
    const auto answer = client.ask(posted("/translate", {{"q", texts[i]}, {"source", "en"}, {"target", "de"}}));
    return answer.status == 200 && parse_json(answer.body, "the answer")["translatedText"] == expected[i];
  }

  // A metric of the server, by its name and labels; -1 if there is none.
  static std::int64_t metric(Client& client, const std::string& name) {
    const std::string metrics = "\n" + client.ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").body;
    const std::size_t at = metrics.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stoll(metrics.substr(at + name.size() + 2));
  }

  const std::vector<std::string> texts{"one", "two three four", data::words(9), "five six", "seven", data::words(7)};
  std::vector<std::string> expected;
};

}  // namespace dragoman
