#include "dragoman/base/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman {
namespace {

class ChildProcessTest : public ::testing::Test {
 protected:
  ChildProcessTest() { std::filesystem::create_directories(directory); }
  ~ChildProcessTest() override { std::filesystem::remove_all(directory); }

  ChildProcess shell(const std::string& line) const {
    return ChildProcess({.program = "/bin/sh",
                         .arguments = {"sh", "-c", line},
                         .output = directory / "out",
                         .messages = directory / "err"});
  }
  static int wait(ChildProcess& child) {
    while (true) {
      if (const auto status = child.status()) return *status;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void wait_for_file(const std::string& name) const {
    while (!std::filesystem::exists(directory / name)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::filesystem::path directory = testing::TempDir() + "dragoman_child_process_" + std::to_string(::getpid());
};

TEST_F(ChildProcessTest, WritesItsOutputToFilesAndTellsItsStatus) {
  ChildProcess child = shell("cat; echo result; echo message >&2; exit 3");
  EXPECT_EQ(wait(child), 3);
  EXPECT_EQ(child.status(), 3);
  EXPECT_EQ(read_file(directory / "out"), "result\n");
  EXPECT_EQ(read_file(directory / "err"), "message\n");
}

TEST_F(ChildProcessTest, IsAskedToEndOnce) {
  const std::string count = "trap 'echo asked' TERM; touch '" + (directory / "ready").string() +
                            "'; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.02; done";
  ChildProcess child = shell(count);
  wait_for_file("ready");
  child.ask_to_end();
  child.ask_to_end();
  EXPECT_EQ(wait(child), 0);
  EXPECT_EQ(read_file(directory / "out"), "asked\n");
}

TEST_F(ChildProcessTest, IsKilledWithItsObject) {
  {
    const ChildProcess child =
        shell("touch '" + (directory / "ready").string() + "'; echo $$; while :; do sleep 0.01; done");
    wait_for_file("ready");
    while (read_file(directory / "out").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(::kill(std::stoi(read_file(directory / "out")), 0), -1);
}

TEST_F(ChildProcessTest, TellsTheSignalThatEndedIt) {
  ChildProcess child = shell("kill -9 $$");
  EXPECT_EQ(wait(child), 128 + SIGKILL);
}

// The system forgets the status of processes that end while SIGCHLD is ignored. A program inherits that.
TEST_F(ChildProcessTest, TellsItsStatusAlthoughSigchldWasIgnored) {
  const auto handler = std::signal(SIGCHLD, SIG_IGN);
  ChildProcess child = shell("exit 3");
  EXPECT_EQ(wait(child), 3);
  std::signal(SIGCHLD, handler);
}

TEST_F(ChildProcessTest, EndsForItsCallerEvenIfTheSystemForgotIt) {
  ChildProcess child = shell("exit 3");
  const auto handler = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(wait(child), kLostStatus);
  EXPECT_EQ(child.status(), kLostStatus);
  std::signal(SIGCHLD, handler);
}

TEST_F(ChildProcessTest, StartsWithTheSignalsOfAnyProgram) {
  const auto pipe = std::signal(SIGPIPE, SIG_IGN), term = std::signal(SIGTERM, [](int) {}),
             hangup = std::signal(SIGHUP, SIG_IGN);
  ChildProcess child = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  EXPECT_EQ(wait(child), 0);
  std::signal(SIGPIPE, pipe);
  std::signal(SIGTERM, term);
  std::signal(SIGHUP, hangup);
  // Only what this program was started to ignore is ignored: SIGHUP, the first signal.
  const std::string found = read_file(directory / "out");
  EXPECT_NE(found.find("SigBlk:\t0000000000000000\n"), std::string::npos) << found;
  const std::string ignored = found.substr(found.find("SigIgn:\t") + 8, 16);
  EXPECT_EQ(std::stoul(ignored, nullptr, 16) & (1UL << (SIGPIPE - 1) | 1UL << (SIGHUP - 1) | 1UL << (SIGTERM - 1)),
            1UL << (SIGHUP - 1))
      << found;
}

TEST_F(ChildProcessTest, ReportsAProgramOrAFileThatDoesNotExist) {
  ChildProcess child({.program = "/no/such/program",
                      .arguments = {"program"},
                      .output = directory / "out",
                      .messages = directory / "err"});
  EXPECT_EQ(wait(child), 127);
  EXPECT_THROW(
      ChildProcess(
          {.program = "/bin/sh", .arguments = {"sh"}, .output = "/no/such/out", .messages = directory / "err"}),
      Error);
}

}  // namespace
}  // namespace dragoman
