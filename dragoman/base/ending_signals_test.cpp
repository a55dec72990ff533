#include "dragoman/base/ending_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "dragoman/base/files.h"
#include "dragoman/base/new_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class EndingSignalsTest : public ::testing::Test {
 protected:
  EndingSignalsTest() { make_directory(directory); }
  ~EndingSignalsTest() override { fs::remove_all(directory); }

  // The status of a process that does this, after it was told to end by signals: 128 + n if signal n ended it.
  static int status_of(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      end_by_signals();
      work();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  void expect_names(const std::vector<std::string>& expected) const {
    std::vector<std::string> names;
    for (const fs::path& path : list_directory(directory)) names.push_back(path.filename());
    EXPECT_EQ(names, expected);
  }

  fs::path directory = ::testing::TempDir() + "dragoman_ending_signals_" + std::to_string(::getpid());
};

TEST_F(EndingSignalsTest, RemoveWhatIsUnfinishedAndEndTheProgram) {
  for (const int signal : kEndingSignals) {
    const int status = status_of([&] {
      const RemovedBySignal file(directory / "file"), nothing(directory / "nothing");
      replace_file(directory / "file", "text");
      { const RemovedBySignal over(directory / "finished"); }
      replace_file(directory / "finished", "text");
      std::raise(signal);
    });
    EXPECT_EQ(status, 128 + signal);
    expect_names({"finished"});
  }
}

TEST_F(EndingSignalsTest, RemoveADirectoryWithEverythingInItButFollowNoLink) {
  replace_file(directory / "kept", "text");
  const int status = status_of([&] {
    const RemovedBySignal removed(directory / "new");
    make_directory(directory / "new/a/b/c");
    for (int i = 0; i < 300; ++i) replace_file(directory / "new/a/b" / ("a long name " + std::to_string(i)), "");
    fs::create_directory_symlink(directory, directory / "new/link");
    std::raise(SIGTERM);
  });
  EXPECT_EQ(status, 128 + SIGTERM);
  expect_names({"kept"});
}

TEST_F(EndingSignalsTest, EverythingThatIsWrittenAsideIsRemoved) {
  replace_file(directory / "old", "text");
  const std::vector<std::function<void()>> works{[&] {
                                                   FileReplacement file(directory / "old");
                                                   file.write("new");
                                                   std::raise(SIGTERM);
                                                 },
                                                 [&] {
                                                   replace_whole(directory / "whole", [](const fs::path& unfinished) {
                                                     make_directory(unfinished);
                                                     std::raise(SIGTERM);
                                                   });
                                                 },
                                                 [&] {
                                                   make_new_directory(directory / "new",
                                                                      [](const fs::path& unfinished) {
                                                                        replace_file(unfinished / "file", "text");
                                                                        std::raise(SIGTERM);
                                                                      });
                                                 },
                                                 [&] {
                                                   const RemovedIfFailed removed(directory / "run", /*is_new=*/true);
                                                   make_directory(directory / "run/checkpoints");
                                                   std::raise(SIGTERM);
                                                 },
                                                 [&] {
                                                   const LineFile lines(directory / "lines");
                                                   std::raise(SIGTERM);
                                                 }};
  for (std::size_t i = 0; i < works.size(); ++i) {
    EXPECT_EQ(status_of(works[i]), 128 + SIGTERM) << i;
    expect_names({"old"});
    EXPECT_EQ(read_file(directory / "old"), "text");
  }
}

TEST_F(EndingSignalsTest, WhatIsFinishedStays) {
  const int status = status_of([&] {
    FileReplacement file(directory / "file");
    file.write("text");
    file.finish();
    make_new_directory(directory / "new",
                       [](const fs::path& unfinished) { replace_file(unfinished / "file", "text"); });
    { const RemovedIfFailed removed(directory / "run", /*is_new=*/true); }
    make_directory(directory / "run");
    LineFile lines(directory / "lines");
    lines.add("line\n");
    std::raise(SIGTERM);
  });
  EXPECT_EQ(status, 128 + SIGTERM);
  expect_names({"file", "lines", "new", "run"});
}

// The thread that writes meets neither an error nor the end of its work while another thread removes its files.
TEST_F(EndingSignalsTest, AThreadThatWritesWaitsForTheEnd) {
  const int status = status_of([&] {
    std::jthread writer([&] {
      try {
        make_new_directory(directory / "new", [&](const fs::path& unfinished) {
          replace_file(directory / "begun", "");
          for (int i = 0;; ++i) replace_file(unfinished / std::to_string(i), "text");
        });
      } catch (...) {
        ::_exit(1);
      }
    });
    while (!fs::exists(directory / "begun")) std::this_thread::yield();
    std::raise(SIGTERM);  // is handled by this thread
  });
  EXPECT_EQ(status, 128 + SIGTERM);
  expect_names({"begun"});
}

TEST_F(EndingSignalsTest, AnIgnoredSignalStaysIgnored) {
  const auto handler = std::signal(SIGHUP, SIG_IGN);
  const int status = status_of([&] {
    const RemovedBySignal removed(directory / "file");
    replace_file(directory / "file", "text");
    std::raise(SIGHUP);
    handle_ending_signals([](int) { ::_exit(1); });
    std::raise(SIGHUP);
    ::_exit(fs::exists(directory / "file") ? 5 : 1);
  });
  std::signal(SIGHUP, handler);
  EXPECT_EQ(status, 5);
}

TEST_F(EndingSignalsTest, AreHeldBackForAWhile) {
  const int status = status_of([&] {
    {
      const SignalsHeld held;
      std::raise(SIGTERM);
      replace_file(directory / "file", "text");
    }
    replace_file(directory / "later", "text");
  });
  EXPECT_EQ(status, 128 + SIGTERM);
  expect_names({"file"});
}

TEST_F(EndingSignalsTest, MoreFilesThanThereArePlacesDoNoHarm) {
  const int status = status_of([&] {
    for (int i = 0; i < 100; ++i) remove_by_signal(directory / std::to_string(i));
    for (int i = 0; i < 100; ++i) keep_by_signal(directory / std::to_string(i));
    const RemovedBySignal removed(directory / "file"), too_long(std::string(5000, 'x'));
    replace_file(directory / "file", "text");
    std::raise(SIGTERM);
  });
  EXPECT_EQ(status, 128 + SIGTERM);
  expect_names({});
}

}  // namespace
}  // namespace dragoman
