#include "dragoman/model/files/words.h"

#include <gtest/gtest.h>

#include "dragoman/base/files.h"
#include "dragoman/data/testing.h"

namespace dragoman::model {
namespace {

class WordsTest : public data::CorpusTest {};

TEST_F(WordsTest, AreReadAsWrittenAndCopied) {
  const std::vector<std::string> words{"an", "o'clock", "Zürich"};
  write_words(directory, words);
  EXPECT_EQ(read_words(directory), words);
  const std::filesystem::path copy = std::filesystem::path(directory) / "copy";
  make_directory(copy);
  copy_words(directory, copy);
  EXPECT_EQ(read_words(copy), words);
}

TEST_F(WordsTest, TheFileIsOptionalButMustBeText) {
  EXPECT_EQ(read_words(directory), std::vector<std::string>());
  copy_words(directory, directory);
  EXPECT_FALSE(std::filesystem::exists(words_file(directory)));
  replace_file(words_file(directory), "good\n\xFF\n");
  EXPECT_NE(data::error_message_of<Error>([&] { read_words(directory); }).find("words.txt"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::model
