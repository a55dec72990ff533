#include "dragoman/decode/translator.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/safetensors.h"
#include "dragoman/model/testing.h"

namespace dragoman::decode {
namespace {

class TranslatorTest : public data::CorpusTest {
 protected:
  TranslatorTest() {
    model::ModelInfo info;
    info.config = model::small_config();
    info.config.V_source = info.config.V_target = static_cast<int>(data::word_tokenizer().size());
    model::SmallModel small(info.config);
    small.stir();
    model::write_info(directory, info);
    model::write_tokenizers(directory, {data::word_tokenizer(), data::word_tokenizer()}, true);
    model::write_safetensors(model::weights_file(directory), *small.on, small.block.tensors());
  }

  const std::vector<std::string> lines{"one", "", "two three four", data::words(9), "  ", "five"};
};

TEST_F(TranslatorTest, ALinesTranslationDoesNotDependOnItsBatchMates) {
  Translator together(directory, {.threads = 2}), apart(directory, {.threads = 1, .batch_tokens = 1});
  const auto expected = together.translate(lines);
  const auto results = apart.translate(lines);
  ASSERT_EQ(results.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(results[i].text, expected[i].text);
    EXPECT_EQ(results[i].log_probability, expected[i].log_probability);
    EXPECT_EQ(apart.translate({&lines[i], 1})[0].text, expected[i].text);
  }
}

TEST_F(TranslatorTest, ALineWithoutTextStaysOne) {
  Translator translator(directory, {.threads = 1, .alignment = HeadChoice{}});
  const auto results = translator.translate(lines);
  for (const std::size_t empty : {1, 4}) {
    EXPECT_EQ(results[empty].text, "");
    EXPECT_TRUE(results[empty].finished);
    EXPECT_TRUE(results[empty].source.empty());
  }
  EXPECT_EQ(results[2].source.size(), 4u);
  EXPECT_EQ(results[2].attention.sources, 4);
  EXPECT_TRUE(translator.translate({}).empty());
}

TEST_F(TranslatorTest, ALimitThatCameFirstIsTold) {
  Translator translator(directory, {.threads = 1, .max_extra = 0});
  const std::vector<std::string> line{"one"};
  const TranslatedLine result = translator.translate(line)[0];
  EXPECT_EQ(result.finished, result.text.empty());
}

TEST_F(TranslatorTest, LongAndBrokenLinesAreNamed) {
  Translator translator(directory, {.threads = 1, .longest = 3});
  EXPECT_TRUE(
      data::complaint_of<UsageError>([&] { translator.translate(lines, 10); }).starts_with("line 13 has 9 tokens"));
  const std::vector<std::string> broken{"one", "\xFF"};
  EXPECT_EQ(data::complaint_of<UsageError>([&] { translator.translate(broken); }),
            "line 2 is not UTF-8 text; mend or remove it.");
}

}  // namespace
}  // namespace dragoman::decode
