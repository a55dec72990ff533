#include "tests/server_process.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/tested_program.h"

namespace dragoman {

namespace {

std::vector<std::string> command(const std::vector<std::string>& flags) {
  // The requests of most tests have the header "Host: a".
  std::vector<std::string> words{tested_program(), "serve", "--port", "0", "--allowed-host", "a"};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& flags, const ProcessOptions& with)
    : Process(command(flags), with) {
  const bool is_logged = with.err == ProcessOptions::kLog;
  port_ = is_logged ? number_after("listening on http://127.0.0.1:").value_or(0) : listening_port();
  EXPECT_GT(port_, 0) << output();
}

std::int64_t ServerProcess::figure(const std::string& name) const {
  std::ifstream file("/proc/" + std::to_string(id()) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1));
  }
  return -1;
}

std::string posted(const std::string& path, const Json& body) {
  const std::string text = body.dump();
  return "POST " + path +
         " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\n\r\n" + text;
}

}  // namespace dragoman
