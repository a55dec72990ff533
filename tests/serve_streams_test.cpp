// Runs `dragoman serve` with standard streams, logs and files that fail, stall or are closed: it starts, answers and
// stops as usual, and reports what it can. Also checks what it logs about refused requests, how it warns about missing
// keys and limits wrong ones, and that it needs little address space.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"
#include "tests/serving.h"
#include "tests/tested_program.h"

namespace dragoman {
namespace {

// A stream for a process to write to: closed, on a full disk, a pipe whose reader has left, or one whose reader has
// stalled.
class Stream {
 public:
  enum class Kind { kClosed, kFull, kReaderGone, kReaderStalled };

  explicit Stream(Kind kind) {
    if (kind == Kind::kClosed) return;
    if (kind == Kind::kFull) {
      to_ = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
      return;
    }
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    from_ = ends[0];
    to_ = ends[1];
    if (kind == Kind::kReaderGone) ::close(std::exchange(from_, -1));
    if (kind == Kind::kReaderStalled) fill();
  }
  ~Stream() {
    if (from_ >= 0) ::close(from_);
    if (to_ >= 0) ::close(to_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int to() const { return to_; }  // the descriptor for the process
  // What is written until `part` appears or ten seconds pass.
  std::string read_until(const std::string& part) const {
    ::fcntl(from_, F_SETFL, O_NONBLOCK);
    std::string text;
    eventually([&] {
      char block[4096];
      const ssize_t got = ::read(from_, block, sizeof block);
      if (got > 0) text.append(block, static_cast<std::size_t>(got));
      return text.find(part) != std::string::npos;
    });
    return text;
  }

 private:
  // Fills the pipe, so that the next write blocks.
  void fill() const {
    ::fcntl(to_, F_SETFL, O_NONBLOCK);
    const std::string block(4096, '.');
    while (::write(to_, block.data(), block.size()) > 0) continue;
    while (::write(to_, "\n", 1) > 0) continue;
    ::fcntl(to_, F_SETFL, 0);
  }

  int from_ = -1, to_ = ProcessOptions::kClosed;
};

constexpr Stream::Kind kBroken[] = {Stream::Kind::kClosed, Stream::Kind::kFull, Stream::Kind::kReaderGone,
                                    Stream::Kind::kReaderStalled};

class ServeStreams : public ServeTest {
 protected:
  ~ServeStreams() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const {
    make_directory(folder_);
    return folder_ + "/" + name;
  }
  bool serves(const ServerProcess& server) const {
    Client client(server.port());
    return is_right(client, 0) && is_right(client, 2);
  }
  static void expect_stops(ServerProcess& server) {
    const auto begin = std::chrono::steady_clock::now();
    server.signal(SIGTERM);
    EXPECT_EQ(server.status(), 0) << server.output();
    EXPECT_LT(serve::seconds_since(begin), 20);
  }
  static bool says(const ServerProcess& server, const std::string& part) {
    return eventually([&] { return server.output().find(part) != std::string::npos; });
  }
  static bool holds(const std::string& path, const std::string& part) {
    return eventually([&] { return std::filesystem::exists(path) && read_file(path).find(part) != std::string::npos; });
  }
  // Each request makes a line of ten thousand bytes in the access log.
  static void ask_for_long_paths(const ServerProcess& server, int times) {
    Client client(server.port());
    const std::string request = "GET /" + std::string(10000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n";
    for (int i = 0; i < times; ++i) EXPECT_EQ(client.ask(request).status, 404);
  }

 private:
  std::string folder_ = scratch("_streams");
};

TEST_F(ServeStreams, StartsAnswersReloadsAndStopsWhateverItsStandardErrorIs) {
  for (const Stream::Kind kind : kBroken) {
    SCOPED_TRACE(static_cast<int>(kind));
    const Stream err(kind);
    const std::string log = file("log" + std::to_string(static_cast<int>(kind)));
    ServerProcess server(flags({"--access-log", log}), {.err = err.to()});
    EXPECT_TRUE(serves(server));
    EXPECT_TRUE(holds(log, "POST /translate"));
    std::filesystem::rename(log, log + ".1");
    server.signal(SIGHUP);
    EXPECT_TRUE(holds(log, ""));  // SIGHUP has made it open a new file
    EXPECT_TRUE(serves(server));
    EXPECT_TRUE(holds(log, "POST /translate"));
    expect_stops(server);
  }
}

TEST_F(ServeStreams, AnswersWhateverItsAccessLogIs) {
  for (const Stream::Kind kind : kBroken) {
    SCOPED_TRACE(static_cast<int>(kind));
    const Stream out(kind);
    ServerProcess server(flags({"--access-log", "-"}), {.out = out.to()});
    ask_for_long_paths(server, 250);
    EXPECT_TRUE(serves(server));
    Client client(server.port());
    EXPECT_GT(metric(client, "dragoman_log_lines_lost_total{log=\"access\"}"), 0);
    EXPECT_TRUE(says(server, "serve: lines of the access log '-' are lost (")) << server.output();
    EXPECT_TRUE(serves(server));
    expect_stops(server);
  }
}

TEST_F(ServeStreams, AReaderThatReadsOnLearnsHowManyLinesItMissed) {
  const Stream out(Stream::Kind::kReaderStalled);
  ServerProcess server(flags({"--access-log", "-"}), {.out = out.to()});
  ask_for_long_paths(server, 250);
  Client client(server.port());
  const std::int64_t lost = metric(client, "dragoman_log_lines_lost_total{log=\"access\"}");
  EXPECT_GT(lost, 0);
  const std::string text = out.read_until("missing here");
  EXPECT_NE(text.find("\n" + std::to_string(lost)), std::string::npos) << text.substr(text.size() - 200);
  EXPECT_TRUE(serves(server));
  EXPECT_NE(out.read_until("POST /translate"), "");
}

TEST_F(ServeStreams, AFullDiskUnderTheAccessLogIsReportedOnce) {
  ServerProcess server(flags({"--access-log", "/dev/full"}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(serves(server));
  EXPECT_TRUE(says(server, "'/dev/full' are lost (no space left on device)")) << server.output();
  const std::string said = server.output();
  EXPECT_EQ(said.find("are lost"), said.rfind("are lost")) << said;
  expect_stops(server);
}

TEST_F(ServeStreams, FlushesItsAccessLogBeforeItEnds) {
  ServerProcess server(flags({"--access-log", file("log")}));
  Client client(server.port());
  for (int i = 0; i < 100; ++i) client.ask("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
  expect_stops(server);
  const std::string log = read_file(file("log"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 100);
}

TEST_F(ServeStreams, AReloadThatFailsInAnyWayKeepsTheOldModel) {
  ServerProcess server(flags());
  const std::filesystem::path languages = directory / "languages.json";
  std::filesystem::remove(languages);
  std::filesystem::create_symlink(languages.filename(), languages);  // a link to itself
  server.signal(SIGHUP);
  EXPECT_TRUE(says(server, "languages.json' (too many levels of symbolic links). The models stay as they were."))
      << server.output();
  EXPECT_TRUE(serves(server));
  std::filesystem::remove(languages);

  rlimit before{};
  ASSERT_EQ(::prlimit(server.id(), RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit none{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(::prlimit(server.id(), RLIMIT_NOFILE, &none, nullptr), 0);
  server.signal(SIGHUP);
  EXPECT_TRUE(says(server, "(too many open files). The models stay as they were.")) << server.output();
  ASSERT_EQ(::prlimit(server.id(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(serves(server));
  server.signal(SIGHUP);
  EXPECT_TRUE(says(server, "were loaded again")) << server.output();
  EXPECT_TRUE(serves(server));
  expect_stops(server);
}

TEST_F(ServeStreams, SaysThatItsDescriptorsRanOut) {
  ServerProcess server(flags());
  EXPECT_TRUE(serves(server));
  rlimit before{};
  ASSERT_EQ(::prlimit(server.id(), RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit few{.rlim_cur = 24, .rlim_max = before.rlim_max};
  ASSERT_EQ(::prlimit(server.id(), RLIMIT_NOFILE, &few, nullptr), 0);
  {
    std::vector<Client> clients;
    for (int i = 0; i < 30; ++i) clients.emplace_back(server.port());
    EXPECT_TRUE(says(server, "serve: cannot accept more connections now (Too many open files)")) << server.output();
  }
  ASSERT_EQ(::prlimit(server.id(), RLIMIT_NOFILE, &before, nullptr), 0);
  EXPECT_TRUE(serves(server));
  const std::string said = server.output();
  EXPECT_EQ(said.find("cannot accept"), said.rfind("cannot accept")) << said;
}

TEST_F(ServeStreams, RequestsThatItRefusesAppearInLogAndMetrics) {
  const std::string log = file("log");
  ServerProcess server(flags({"--access-log", log, "--read-seconds", "0.3", "--body-kb", "1"}));
  const auto status = [&](const std::string& request) { return Client(server.port()).ask(request).status; };
  EXPECT_EQ(status("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /slow HTTP/1.1\r\nHost:"), 408);
  EXPECT_EQ(status(posted("/translate", {{"q", std::string(2000, 'a')}})), 413);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(status("GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421);
  EXPECT_EQ(status("GET /a%C2%85b%E2%80%A8%22%7F HTTP/1.1\r\nHost: a\r\n\r\n"), 404);
  for (const char* line : {"127.0.0.1 \"-\" 400 ", "127.0.0.1 \"GET /slow\" 408 ", "127.0.0.1 \"POST /translate\" 413 ",
                           "127.0.0.1 \"GET /\" 431 ", "127.0.0.1 \"GET /health\" 421 ",
                           "127.0.0.1 \"GET /a\\u0085b\\u2028\\\"\\u007F\" 404 "}) {
    EXPECT_TRUE(holds(log, line)) << line << read_file(log);
  }
  Client client(server.port());
  for (const char* labels :
       {"{path=\"other\",status=\"400\"}", "{path=\"other\",status=\"408\"}", "{path=\"/translate\",status=\"413\"}",
        "{path=\"/\",status=\"431\"}", "{path=\"/health\",status=\"421\"}"}) {
    EXPECT_EQ(metric(client, std::string("dragoman_requests_total") + labels), 1) << labels;
  }
}

TEST_F(ServeStreams, RequestsThatTookTooLongOrWhoseClientsLeftAppearInLogAndMetrics) {
  const std::string log = file("log");
  const std::vector<std::string> lines(200, data::words(9));
  const std::string request = posted("/v1/translate", {{"q", lines}, {"max_extra", 300}, {"beam", 8}});
  {
    ServerProcess hasty(flags({"--access-log", log, "--request-seconds", "0.01"}));
    EXPECT_EQ(Client(hasty.port()).ask(request).status, 503);
    EXPECT_TRUE(holds(log, "\"POST /v1/translate\" 503 ")) << read_file(log);
    Client client(hasty.port());
    EXPECT_EQ(metric(client, "dragoman_requests_total{path=\"/v1/translate\",status=\"503\"}"), 1);
  }
  ServerProcess server(flags({"--access-log", log}));
  Client leaving(server.port()), client(server.port());
  leaving.send(request);
  EXPECT_TRUE(eventually([&] { return metric(client, "dragoman_batch_sentences{source=\"en\",target=\"de\"}") > 0; }));
  leaving.reset();
  EXPECT_TRUE(holds(log, "\"POST /v1/translate\" 499 ")) << read_file(log);
}

// Runs in a network namespace of its own, so that nobody else can reach the server.
TEST_F(ServeStreams, WarnsIfOtherMachinesMayConnectWithoutAKey) {
  if (shell("unshare -rn true").status != 0) GTEST_SKIP() << "this system does not allow network namespaces";
  replace_file(file("keys"), "a long and secret key\n");
  for (const bool has_keys : {false, true}) {
    std::vector<std::string> command{"unshare", "-rn",       tested_program(), "serve",   "--port",
                                     "0",       "--address", "0.0.0.0",        "--model", directory.string()};
    if (has_keys) command.insert(command.end(), {"--api-keys", file("keys")});
    Process server(command);
    EXPECT_TRUE(server.number_after("listening on http://0.0.0.0:")) << server.output();
    const auto warns = [&] {
      return server.output().find("everybody who can reach 0.0.0.0 may send requests") != std::string::npos;
    };
    if (!has_keys) {
      EXPECT_TRUE(eventually(warns)) << server.output();
    }
    server.signal(SIGTERM);
    EXPECT_EQ(server.status(), 0);
    EXPECT_EQ(warns(), !has_keys) << server.output();
  }
}

TEST_F(ServeStreams, WrongKeysAreLimitedAndRightOnesAreNot) {
  replace_file(file("keys"), "a long and secret key\n");
  ServerProcess server(flags({"--api-keys", file("keys")}));
  Client client(server.port());
  const auto ask = [&](const std::string& key) {
    return client.ask("POST /detect HTTP/1.1\r\nHost: a\r\nX-Api-Key: " + key +
                      "\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"q\":\"one\"}");
  };
  EXPECT_EQ(ask("a long and secret key").status, 200);
  int rejected = 0;  // answers of 403, wrong key; after these come answers of 429, too many wrong keys
  Client::Answer last;
  for (int i = 0; i < 500; ++i) rejected += (last = ask(std::to_string(i))).status == 403 ? 1 : 0;
  EXPECT_GE(rejected, 10);
  EXPECT_LE(rejected, 20);  // ten at once, and one more every six seconds
  EXPECT_EQ(last.status, 429);
  EXPECT_GE(std::stoi(last.headers["Retry-After"]), 1);
  EXPECT_EQ(ask("a long and secret key").status, 200);
}

TEST_F(ServeStreams, StartsAndReloadsWithFourGigabytesOfAddresses) {
  if (tests_with_sanitizers()) GTEST_SKIP() << "sanitizers need more addresses";
  ServerProcess server(flags({"--workers", "2"}), {.max_address_bytes = rlim_t{4'000'000} << 10});
  EXPECT_TRUE(serves(server));
  for (int round = 0; round < 3; ++round) {
    const std::size_t before = server.output().size();
    server.signal(SIGHUP);
    EXPECT_TRUE(eventually([&] { return server.output().find("loaded again", before) != std::string::npos; }))
        << server.output();
  }
  EXPECT_TRUE(serves(server));
  expect_stops(server);
}

}  // namespace
}  // namespace dragoman
