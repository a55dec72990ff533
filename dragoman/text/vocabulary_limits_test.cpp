#include "dragoman/text/vocabulary_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/text/model_file.h"
#include "dragoman/text/testing.h"

namespace dragoman::text {
namespace {

// The smallest weights of such models: a row for each word in 8-bit integers.
TEST(VocabularyLimits, AreWideEnoughForRealModels) {
  const auto allows = [](std::uint64_t words, std::uint64_t width, std::uint64_t text_bytes) {
    const VocabularyLimits limits = VocabularyLimits::of_weights(words * width);
    EXPECT_NO_THROW(limits.require_words(words, "'a'"));
    EXPECT_NO_THROW(limits.require_bytes(text_bytes, "'a'"));
  };
  allows(32'000, 64, 800'000);
  allows(65'000, 128, 1'500'000);
  allows(58'101, 512, 1'400'000);     // OPUS-MT
  allows(128'112, 1024, 3'700'000);   // M2M100
  allows(256'206, 1024, 17'300'000);  // NLLB
}

TEST(VocabularyLimits, FollowFromTheWeights) {
  const VocabularyLimits limits = VocabularyLimits::of_weights(1000);
  EXPECT_THROW(limits.require_words(100'000, "'a'"), Error);
  EXPECT_THROW(limits.require_bytes(2'000'000, "'a'"), Error);
}

TEST(VocabularyLimits, CountValuesWithoutReadingThem) {
  EXPECT_EQ(most_json_values(R"({"a": 0, "b": 1})"), 3u);
  EXPECT_EQ(most_json_values("[[],[]]"), 5u);
}

TEST(VocabularyLimits, OfATokenizerAreCheckedBeforeItIsRead) {
  const Tokenizer tokenizer = toy_tokenizer({});
  EXPECT_EQ(count_pieces(tokenizer.bytes(), "x"), static_cast<std::uint64_t>(tokenizer.size()));
  EXPECT_THROW(count_pieces("no model", "x"), Error);
  const std::string path = ::testing::TempDir() + "dragoman_vocabulary_limits_" + std::to_string(::getpid());
  replace_file(path, tokenizer.bytes());
  const auto size = static_cast<std::uint64_t>(tokenizer.size());
  EXPECT_EQ(Tokenizer::load(path, {.bytes = 1 << 20, .words = size}).size(), tokenizer.size());
  EXPECT_THROW(Tokenizer::load(path, {.bytes = 1 << 20, .words = size - 1}), Error);
  EXPECT_THROW(Tokenizer::load(path, {.bytes = 100, .words = size}), Error);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace dragoman::text
