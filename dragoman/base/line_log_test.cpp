#include "dragoman/base/line_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A pipe whose two ends are closed by the destructor.
struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_reader();
    ::close(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_reader() {
    if (read_end >= 0) ::close(std::exchange(read_end, -1));
  }
  // Writes until nothing more fits.
  void fill() const {
    ::fcntl(write_end, F_SETFL, O_NONBLOCK);
    const std::string block(4096, 'x');
    while (::write(write_end, block.data(), block.size()) > 0) continue;
    while (::write(write_end, "\n", 1) > 0) continue;
    ::fcntl(write_end, F_SETFL, 0);
  }
  // Reads until `is_complete` holds for the text so far, for at most ten seconds.
  template <class Complete>
  std::string read_until(const Complete& is_complete) const {
    ::fcntl(read_end, F_SETFL, O_NONBLOCK);
    const auto begin = std::chrono::steady_clock::now();
    std::string text;
    while (!is_complete(text) && seconds_since(begin) < 10) {
      char block[4096];
      const ssize_t got = ::read(read_end, block, sizeof block);
      if (got > 0) text.append(block, static_cast<std::size_t>(got));
      if (got <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return text;
  }

  int read_end, write_end;
};

class LineLogTest : public ::testing::Test {
 protected:
  LineLogTest() { std::signal(SIGPIPE, SIG_IGN); }
  ~LineLogTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file(const std::string& name) const {
    make_directory(directory_);
    return directory_ / name;
  }

 private:
  std::filesystem::path directory_ =
      std::filesystem::path(::testing::TempDir()) / ("line_log_" + std::to_string(::getpid()));
};

TEST_F(LineLogTest, WritesAllLinesInOrderBeforeItEnds) {
  std::string expected;
  {
    LineLog log(file("log"), {.flush_seconds = 60});
    for (int i = 0; i < 1000; ++i) {
      log.add(std::to_string(i));
      expected += std::to_string(i) + "\n";
    }
  }
  EXPECT_EQ(read_file(file("log")), expected);
  { LineLog(file("log")).add("more"); }
  EXPECT_EQ(read_file(file("log")), expected + "more\n");
}

TEST_F(LineLogTest, AStalledReaderBlocksNobodyAndLaterSeesHowManyLinesItMissed) {
  const Pipe pipe;
  pipe.fill();
  std::atomic<int> warnings = 0;
  const auto begin = std::chrono::steady_clock::now();
  LineLog log(pipe.write_end, {.max_bytes = 1000, .on_loss = [&](const std::string&) { ++warnings; }});
  for (int i = 0; i < 10000; ++i) log.add("line " + std::to_string(i));
  EXPECT_LT(seconds_since(begin), 5);
  EXPECT_GT(log.lost(), 9000);
  EXPECT_EQ(warnings, 1);
  // Every line is there, or a report of its loss stands in its place.
  const auto lines_accounted_for = [](const std::string& text) {
    // "line 0" comes after the bytes that filled the pipe.
    std::istringstream lines(text.substr(std::min(text.find("line 0\n"), text.size())));
    std::int64_t next = 0;
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      if (line == "line " + std::to_string(next)) ++next;
      if (line.find(" missing here (") != std::string::npos) next += std::stoll(line);
    }
    return next;
  };
  const std::string text = pipe.read_until(
      [&](const std::string& so_far) { return so_far.ends_with('\n') && lines_accounted_for(so_far) == 10000; });
  EXPECT_EQ(lines_accounted_for(text), 10000) << text.substr(text.size() - 500);
}

TEST_F(LineLogTest, AStalledReaderDelaysTheDestructorForABoundedTime) {
  const Pipe pipe;
  pipe.fill();
  const auto begin = std::chrono::steady_clock::now();
  {
    LineLog log(pipe.write_end, {.flush_seconds = 0.1});
    log.add("nobody reads this");
  }
  EXPECT_LT(seconds_since(begin), 5);
  // The log's thread still waits to write; reading lets it end.
  pipe.read_until([](const std::string& text) { return text.ends_with("nobody reads this\n"); });
}

TEST_F(LineLogTest, LostLinesAreCountedIfTheReaderLeavesOrTheDiskIsFull) {
  Pipe pipe;
  pipe.close_reader();
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  for (const int descriptor : {pipe.write_end, full, -1}) {  // -1 is no open file
    std::string reason;
    std::int64_t lost = 0;
    {
      LineLog log(descriptor, {.flush_seconds = 60, .on_loss = [&](const std::string& why) { reason = why; }});
      for (int i = 0; i < 10; ++i) log.add("a line");
      const auto begin = std::chrono::steady_clock::now();
      while ((lost = log.lost()) < 10 && seconds_since(begin) < 10) std::this_thread::yield();
    }
    EXPECT_EQ(lost, 10);
    EXPECT_NE(reason, "");
  }
  ::close(full);
}

// A limit on the file size simulates a full disk, which may accept only a part of a line.
TEST_F(LineLogTest, LinesAfterAFullDiskAreWholeAndFollowTheReport) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  {
    LineLog log(file("log"), {.flush_seconds = 60});
    setrlimit(RLIMIT_FSIZE, &small);
    log.add("0123456789abc");
    const auto begin = std::chrono::steady_clock::now();
    while (log.lost() < 1 && seconds_since(begin) < 10) std::this_thread::yield();
    setrlimit(RLIMIT_FSIZE, &before);
    log.add("next");
  }
  EXPECT_EQ(read_file(file("log")), "0123456789\n1 line is missing here (file too large).\nnext\n");
}

TEST_F(LineLogTest, AReaderThatComesBackSeesHowManyLinesItMissed) {
  const std::filesystem::path path = file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int first_reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  LineLog log(path, {.flush_seconds = 60});
  ::close(first_reader);
  for (int i = 0; i < 3; ++i) log.add("lost");
  const auto begin = std::chrono::steady_clock::now();
  while (log.lost() < 3 && seconds_since(begin) < 10) std::this_thread::yield();
  Pipe reader;  // only for its read_until(): its read end is replaced by that of the named pipe
  reader.close_reader();
  reader.read_end = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  log.add("again");
  EXPECT_EQ(reader.read_until([](const std::string& text) { return text.ends_with("again\n"); }),
            "3 lines are missing here (broken pipe).\nagain\n");
}

TEST_F(LineLogTest, OpensARenamedFileAgain) {
  LineLog log(file("log"));
  const auto wrote = [&](const std::string& name, const std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    while (seconds_since(begin) < 10) {
      if (std::filesystem::exists(file(name)) && read_file(file(name)) == text) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  };
  log.add("one");
  EXPECT_TRUE(wrote("log", "one\n"));
  std::filesystem::rename(file("log"), file("log.1"));
  log.add("two");
  EXPECT_TRUE(wrote("log.1", "one\ntwo\n"));
  log.reopen();
  EXPECT_TRUE(wrote("log", ""));
  log.add("three");
  EXPECT_TRUE(wrote("log", "three\n"));
  EXPECT_EQ(read_file(file("log.1")), "one\ntwo\n");
}

TEST_F(LineLogTest, KeepsItsFileIfItCannotBeOpenedAgain) {
  std::atomic<bool> warned = false;
  {
    LineLog log(file("log"), {.flush_seconds = 60, .on_loss = [&](const std::string&) { warned = true; }});
    std::filesystem::rename(file("log"), file("log.1"));
    make_directory(file("log"));
    log.reopen();
    log.add("a line");
  }
  EXPECT_TRUE(warned);
  EXPECT_EQ(read_file(file("log.1")), "a line\n");
}

TEST_F(LineLogTest, RefusesAFileThatCannotBeOpened) {
  EXPECT_THROW(LineLog(file("none") / "log"), Error);
  const std::filesystem::path path = file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(LineLog{path}, Error);  // nobody reads the pipe: waiting for a reader would never end
}

}  // namespace
}  // namespace dragoman
