#include "dragoman/base/new_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "dragoman/base/files.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

class NewDirectoryTest : public ::testing::Test {
 protected:
  NewDirectoryTest() { make_directory(directory); }
  ~NewDirectoryTest() override { fs::remove_all(directory); }

  static void make(const fs::path& to, const std::string& text = "new") {
    make_new_directory(to, [&](const fs::path& unfinished) {
      replace_file(unfinished / "one", text);
      replace_file(unfinished / "two", text);
    });
  }
  // Expects that the directory holds exactly these names.
  void expect_names(const std::vector<std::string>& names) const {
    std::vector<std::string> found;
    for (const fs::path& path : list_directory(directory)) found.push_back(path.filename());
    EXPECT_EQ(found, names);
  }

  fs::path directory = ::testing::TempDir() + "dragoman_new_directory_" + std::to_string(::getpid());
};

TEST_F(NewDirectoryTest, AppearsWithAllItsFiles) {
  make_new_directory(directory / "a/b/", [&](const fs::path& unfinished) {
    EXPECT_FALSE(fs::exists(directory / "a/b"));
    replace_file(unfinished / "one", "1");
  });
  EXPECT_EQ(read_file(directory / "a/b/one"), "1");
  EXPECT_EQ(list_directory(directory / "a").size(), 1u);
}

TEST_F(NewDirectoryTest, AFailureLeavesNothing) {
  const auto fail = [](const fs::path& unfinished) {
    replace_file(unfinished / "one", "1");
    throw Error("the disk is full.");
  };
  EXPECT_THROW(make_new_directory(directory / "a", fail), Error);
  expect_names({});
  make_directory(directory / "empty");
  EXPECT_THROW(make_new_directory(directory / "empty", fail), Error);
  expect_names({"empty"});
}

TEST_F(NewDirectoryTest, ReplacesOnlyAnEmptyDirectory) {
  make_directory(directory / "empty");
  fs::create_symlink(directory / "empty", directory / "link");
  make(directory / "link");
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_EQ(read_file(directory / "empty/two"), "new");

  replace_file(directory / "file", "old");
  fs::create_symlink(directory / "nowhere", directory / "broken");
  for (const char* name : {"empty", "empty/", "link", "file", "broken", "."}) {
    EXPECT_THROW(make(directory / name, "newer"), UsageError) << name;
  }
  EXPECT_EQ(read_file(directory / "empty/two"), "new");
  expect_names({"broken", "empty", "file", "link"});
}

TEST_F(NewDirectoryTest, LeftoversOfAKilledRunAreRemoved) {
  make_directory(directory / "a.unfinished-0abcde");
  replace_file(directory / "a.unfinished-0abcde/three", "old");
  make(directory / "a");
  EXPECT_EQ(list_directory(directory / "a").size(), 2u);
  expect_names({"a"});
}

TEST_F(NewDirectoryTest, FilesWithSimilarNamesStay) {
  make_directory(directory / "thesis");
  replace_file(directory / "thesis/text", "mine");
  for (const char* name : {"a.unfinished", "a.unfinished-0abcdef", "b.unfinished-0abcde"}) {
    make_directory(directory / name);
    replace_file(directory / name / "text", "mine");
  }
  fs::create_symlink(directory / "thesis", directory / "a.unfinished-1abcde");
  make(directory / "a");
  expect_names({"a", "a.unfinished", "a.unfinished-0abcdef", "a.unfinished-1abcde", "b.unfinished-0abcde", "thesis"});
  for (const char* name : {"thesis", "a.unfinished", "a.unfinished-0abcdef", "b.unfinished-0abcde"}) {
    EXPECT_EQ(read_file(directory / name / "text"), "mine");
  }
}

TEST_F(NewDirectoryTest, TheCurrentDirectoryIsNotReplaced) {
  make_directory(directory / "empty");
  const fs::path before = fs::current_path();
  fs::current_path(directory / "empty");
  EXPECT_THROW(make("."), UsageError);
  EXPECT_THROW(make(directory / "empty"), UsageError);
  make("inside");
  fs::current_path(before);
  EXPECT_EQ(read_file(directory / "empty/inside/two"), "new");
}

TEST_F(NewDirectoryTest, OnlyOneProcessCreatesIt) {
  make_new_directory(directory / "a", [&](const fs::path& unfinished) {
    EXPECT_THROW(make(directory / "a", "of the other"), Error);
    replace_file(unfinished / "one", "1");
  });
  EXPECT_EQ(read_file(directory / "a/one"), "1");
  // A run that started in the meantime keeps its directory.
  EXPECT_THROW(make_new_directory(directory / "b", [&](const fs::path&) { make_directory(directory / "b"); }),
               UsageError);
  EXPECT_TRUE(list_directory(directory / "b").empty());
  make_directory(directory / "c");
  const DirectoryLock run(directory / "c");
  EXPECT_THROW(make(directory / "c"), Error);
  expect_names({"a", "b", "c"});
}

}  // namespace
}  // namespace dragoman
