#include "dragoman/base/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  ~MappedFileTest() override { std::filesystem::remove(path); }

  static std::string text_of(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  }

  std::filesystem::path path = ::testing::TempDir() + "dragoman_mapped_" + std::to_string(::getpid());
};

TEST_F(MappedFileTest, BytesEqualTheFile) {
  replace_file(path, "some text");
  EXPECT_EQ(text_of(MappedFile(path)), "some text");
  replace_file(path, "");
  EXPECT_EQ(text_of(MappedFile(path)), "");
}

TEST_F(MappedFileTest, ReadCopiesTheMappedBytes) {
  replace_file(path, "some text");
  const MappedFile file(path);
  std::string part(4, ' ');
  file.read(5, part.data(), part.size());
  EXPECT_EQ(part, "text");
  EXPECT_THROW(file.read(6, part.data(), part.size()), Error);
}

TEST_F(MappedFileTest, KeepsItsBytesWhenTheFileIsReplaced) {
  replace_file(path, "old");
  const MappedFile file(path);
  replace_file(path, "new");
  EXPECT_EQ(text_of(file), "old");
}

TEST_F(MappedFileTest, AMissingFileIsAnError) { EXPECT_THROW(MappedFile("/no/such/file"), Error); }

}  // namespace
}  // namespace dragoman
