#include "dragoman/data/content_hash.h"

#include <chrono>
#include <thread>

#include "dragoman/data/testing.h"

namespace dragoman::data {
namespace {

class ContentHashTest : public CorpusTest {
 protected:
  // As one run does: reads the hashes of earlier runs, asks for one, and saves.
  std::string hash(const std::string& path) const {
    ContentHashes hashes(directory / "hashes");
    std::string result = hashes.of(path);
    hashes.save();
    return result;
  }
};

TEST_F(ContentHashTest, EqualContentsHaveEqualHashes) {
  EXPECT_EQ(hash(write("a", "text")), hash(write("b", "text")));
  EXPECT_NE(hash(write("a", "text")), hash(write("b", "next")));
}

TEST_F(ContentHashTest, AChangeOfTheSameSizeAMomentLaterIsSeen) {
  for (int i = 0; i < 10; ++i) {
    const std::string before = hash(write("a", "text")), after = hash(write("a", "next"));
    EXPECT_NE(before, after);
  }
}

TEST_F(ContentHashTest, TheHashOfAFileThatDidNotChangeForTwoSecondsIsSaved) {
  const std::string path = write("a", "text");
  hash(path);
  EXPECT_FALSE(std::filesystem::exists(directory / "hashes"));  // the file changed too recently
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  const std::string first = hash(path);
  EXPECT_TRUE(read_file(directory / "hashes").starts_with(first + " 4 "));
  // The remembered hash is trusted as long as the file is unchanged.
  std::string saved = read_file(directory / "hashes");
  write("hashes", "0123456789abcdef" + saved.substr(16));
  EXPECT_EQ(hash(path), "0123456789abcdef");
  write("a", "texts");
  EXPECT_NE(hash(path), "0123456789abcdef");
}

TEST_F(ContentHashTest, AMalformedHashesFileIsIgnored) {
  const std::string path = write("a", "text"), right = hash(path);
  for (const std::string saved : {"\n\n", "x", "x y z\n", "0123 4\n", "\xFF\xFE"}) {
    write("hashes", saved);
    EXPECT_EQ(hash(path), right);
  }
}

TEST_F(ContentHashTest, AnythingButAFileIsRefused) {
  EXPECT_NE(error_message_of([&] { hash(directory / "missing"); }).find("missing"), std::string::npos);
  EXPECT_NE(error_message_of<UsageError>([&] { hash(directory); }).find("is not a plain file"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::data
