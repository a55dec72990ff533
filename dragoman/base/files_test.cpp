#include "dragoman/base/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>

namespace dragoman {
namespace {

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() { make_directory(directory); }
  ~FilesTest() override { std::filesystem::remove_all(directory); }

  std::filesystem::path directory = ::testing::TempDir() + "dragoman_files_" + std::to_string(::getpid());
};

TEST_F(FilesTest, WhatIsWrittenIsReadBack) {
  const std::string text(3'000'001, 'x');
  replace_file(directory / "a", text);
  EXPECT_EQ(read_file(directory / "a"), text);
  replace_file(directory / "a", "");
  EXPECT_EQ(read_file(directory / "a"), "");
}

TEST_F(FilesTest, FinishingOnAFullDiskThrows) {
  FileWriter full("/dev/full");
  full.write("text");
  EXPECT_THROW(full.finish(), Error);
}

TEST_F(FilesTest, AnAppenderKeepsWhatTheFileHeld) {
  replace_file(directory / "a", "one\n");
  FileAppender(directory / "a").append("two\n");
  EXPECT_EQ(read_file(directory / "a"), "one\ntwo\n");
  EXPECT_THROW(FileAppender("/dev/full").append("text\n"), Error);
}

TEST_F(FilesTest, AnUnfinishedFileDoesNotTouchTheOldOne) {
  replace_file(directory / "a", "old");
  FileWriter killed(unfinished_path(directory / "a"));
  killed.write("new");
  EXPECT_EQ(read_file(directory / "a"), "old");
  EXPECT_TRUE(is_unfinished(unfinished_path(directory / "a")));
  EXPECT_FALSE(is_unfinished(directory / "a"));
}

TEST_F(FilesTest, ARenamedDirectoryTakesThePlaceOfTheOldOne) {
  make_directory(directory / "new");
  make_directory(directory / "old");
  replace_file(directory / "new" / "a", "new");
  replace_file(directory / "old" / "b", "old");
  rename_durably(directory / "new", directory / "old");
  EXPECT_EQ(read_file(directory / "old" / "a"), "new");
  EXPECT_FALSE(std::filesystem::exists(directory / "old" / "b"));
}

TEST_F(FilesTest, AFileNeverTakesThePlaceOfADirectory) {
  make_directory(directory / "kept");
  replace_file(directory / "kept" / "a", "old");
  replace_file(directory / "new", "new");
  EXPECT_THROW(replace_file(directory / "kept", "new"), UsageError);
  EXPECT_THROW(rename_durably(directory / "new", directory / "kept"), Error);
  EXPECT_EQ(read_file(directory / "kept" / "a"), "old");
}

TEST_F(FilesTest, LinksStayLinksAndDevicesStayDevices) {
  replace_file(directory / "target", "old");
  std::filesystem::create_symlink(directory / "target", directory / "link");
  replace_file(directory / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_EQ(read_file(directory / "target"), "new");
  replace_file("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(replace_file("/dev/full", "text"), Error);
}

TEST_F(FilesTest, AReplacementThatIsNotFinishedLeavesTheOldFileAndNothingElse) {
  replace_file(directory / "a", "old");
  {
    FileReplacement file(directory / "a");
    file.write(std::string(3'000'001, 'x'));
    EXPECT_TRUE(std::filesystem::exists(FileReplacement::unfinished_file(directory / "a").value()));
    EXPECT_EQ(read_file(directory / "a"), "old");
  }
  EXPECT_EQ(list_directory(directory).size(), 1u);
  EXPECT_EQ(read_file(directory / "a"), "old");
  FileReplacement file(directory / "a");
  file.write("one ");
  file.write("two");
  file.finish();
  EXPECT_EQ(read_file(directory / "a"), "one two");
  EXPECT_FALSE(FileReplacement::unfinished_file("/dev/null"));
}

TEST_F(FilesTest, AReplacedFileKeepsItsPermissions) {
  using std::filesystem::perms;
  const auto permissions = [&](const std::filesystem::path& path) { return status_of(path).permissions(); };
  replace_file(directory / "a", "old");
  for (const perms kept : {perms{0600}, perms{0444}, perms{0666}, perms{0755}}) {
    std::filesystem::permissions(directory / "a", kept);
    FileReplacement file(directory / "a");
    file.write("new");
    const perms meanwhile = permissions(FileReplacement::unfinished_file(directory / "a").value());
    EXPECT_EQ(meanwhile & ~(kept | perms::owner_write), perms::none);
    file.finish();
    EXPECT_EQ(permissions(directory / "a"), kept);
  }
  std::filesystem::permissions(directory / "a", perms{0640});
  std::filesystem::create_symlink(directory / "a", directory / "link");
  replace_file(directory / "link", "new");
  EXPECT_EQ(permissions(directory / "a"), perms{0640});
}

TEST_F(FilesTest, ADeviceMayBeNamedByALink) {
  std::filesystem::create_symlink("/dev/null", directory / "device");
  replace_file(directory / "device", "text");
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(FilesTest, OldLinesStayUntilTheFirstNewOne) {
  replace_file(directory / "a", "an old line\n");
  { const LineFile failed(directory / "a"); }
  EXPECT_EQ(read_file(directory / "a"), "an old line\n");
  {
    LineFile file(directory / "a");
    file.add("one\n");
    EXPECT_EQ(read_file(directory / "a"), "one\n");
    file.add("two\n");
  }
  EXPECT_EQ(read_file(directory / "a"), "one\ntwo\n");
  LineFile(directory / "a").finish();
  EXPECT_EQ(read_file(directory / "a"), "");
  { const LineFile failed(directory / "new"); }
  EXPECT_FALSE(std::filesystem::exists(directory / "new"));
  LineFile device("/dev/null");
  device.add("line\n");
  device.finish();
  EXPECT_THROW(LineFile("/dev/full").add("line\n"), Error);
  EXPECT_THROW(LineFile{directory}, Error);
}

// The text of an Error that f throws.
std::string error_message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(FilesTest, TheReasonIsThatOfTheFailedCallNotAnEarlierOne) {
  errno = ENOENT;
  const auto fail = [] {
    errno = EROFS;
    return false;
  };
  EXPECT_EQ(error_message_of([&] { require<Error>(fail(), "no ", system_reason(), "."); }),
            "no (read-only file system).");
}

TEST_F(FilesTest, ErrorsNameTheDirectoryAndTheReason) {
  replace_file(directory / "file", "");
  EXPECT_NE(error_message_of([&] { make_directory(directory / "file"); }).find("file' (not a directory)."),
            std::string::npos);
  EXPECT_NE(error_message_of([&] { make_directory(directory / "file" / "b"); }).find("(not a directory)."),
            std::string::npos);
  std::filesystem::create_directory_symlink("loop", directory / "loop");
  EXPECT_NE(error_message_of([&] { make_directory(directory / "loop"); }).find("(too many levels"), std::string::npos);
  EXPECT_NE(error_message_of([&] { list_directory(directory / "loop"); }).find("(too many levels"), std::string::npos);
  EXPECT_NE(error_message_of([&] { status_of(directory / "loop"); }).find("(too many levels"), std::string::npos);
  EXPECT_TRUE(list_directory(directory / "nothing").empty());
  EXPECT_FALSE(exists(status_of(directory / "file" / "b")));
  make_directory(directory / "a/b/c/");
  EXPECT_TRUE(std::filesystem::is_directory(directory / "a/b/c"));
}

TEST_F(FilesTest, AFailedReplacementKeepsTheOldFileAndLeavesNothingElse) {
  replace_file(directory / "a", "old");
  EXPECT_THROW(replace_whole(directory / "a",
                             [](const std::filesystem::path& unfinished) {
                               replace_file(unfinished, "new");
                               throw std::bad_alloc();
                             }),
               std::bad_alloc);
  EXPECT_EQ(read_file(directory / "a"), "old");
  EXPECT_EQ(list_directory(directory).size(), 1u);
}

TEST_F(FilesTest, ErrorsNameTheFileThatTheUserNamedAndNotATemporaryOne) {
  const std::string missing = (directory / "no" / "page.html").string();
  EXPECT_EQ(error_message_of([&] { replace_file(missing, "text"); }),
            "cannot write '" + missing + "' (no such file or directory).");
  const auto shown = [](const std::filesystem::path& path) { return join(final_name(path)); };
  EXPECT_EQ(shown("a/b.html.unfinished"), "'a/b.html'");
  EXPECT_EQ(shown("run.unfinished-abc012/model.unfinished"), "'run/model'");
  EXPECT_EQ(shown("an.unfinished.work/x"), "'an.unfinished.work/x'");
}

TEST_F(FilesTest, ErrorsNameTheFileThatCannotBeRead) {
  const auto error_message = [&](const std::filesystem::path& path, std::size_t limit) -> std::string {
    try {
      read_file(path, limit);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_message("/no/such/file", 10), "cannot read '/no/such/file' (no such file or directory).");
  replace_file(directory / "a", "12345");
  EXPECT_NE(error_message(directory / "a", 4), "");
  EXPECT_EQ(error_message(directory / "a", 5), "");
  EXPECT_NE(error_message(directory, 5), "");
}

}  // namespace
}  // namespace dragoman
