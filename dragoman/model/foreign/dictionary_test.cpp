#include "dragoman/model/foreign/dictionary.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/foreign/testing.h"

namespace dragoman::model::foreign {
namespace {

using data::error_message_of;
using Tokens = std::vector<std::string>;

const std::string kFairseq = "the 120\n\xC3\xBC@@ 7\nmadeupword0000 0\n";

TEST(Dictionary, FairseqHasFourSpecialTokensFirst) {
  const Dictionary dictionary = parse_fairseq_dictionary(kFairseq, "dict.txt");
  EXPECT_EQ(dictionary.tokens(), (Tokens{"<s>", "<pad>", "</s>", "<unk>", "the", "\xC3\xBC@@", "madeupword0000"}));
  EXPECT_EQ(dictionary.id("the"), 4);
  EXPECT_EQ(dictionary.id("missing"), std::nullopt);
}

TEST(Dictionary, NamesTheLineThatCannotBeRead) {
  for (const char* text : {"a 1\nb\n", "a 1\nb x\n", "a 1\n\n", "a 1\nb 1 #fairseq:overwrite\n"}) {
    const std::string message = error_message_of([&] { parse_fairseq_dictionary(text, "dict.txt"); });
    EXPECT_NE(message.find("line 2"), std::string::npos) << message;
  }
  EXPECT_NE(error_message_of([&] { parse_fairseq_dictionary("a 1\na 2\n", "x"); }).find("twice"), std::string::npos);
  EXPECT_THROW(parse_fairseq_dictionary("\xFF 1\n", "x"), Error);
}

TEST(Dictionary, VocabJsonIsOrderedByIds) {
  const Dictionary dictionary = parse_vocab_json(R"({"b": 1, "</s>": 0, "\u00fc": 2})", "vocab.json");
  EXPECT_EQ(dictionary.tokens(), (Tokens{"</s>", "b", "\xC3\xBC"}));
}

TEST(Dictionary, VocabJsonHasEachIdOnce) {
  for (const char* text : {R"({"a": 0, "b": 2})", R"({"a": 0, "b": 0})", R"({"a": -1})", R"({"a": "0"})", "[]", "{"}) {
    EXPECT_TRUE(error_message_of([&] { parse_vocab_json(text, "vocab.json"); }).starts_with("vocab.json")) << text;
  }
}

TEST(Dictionary, CTranslate2AddsTheUnknownToken) {
  EXPECT_EQ(parse_ctranslate2_vocabulary_json(R"(["a", "b"])", "<unk>", "x").tokens(), (Tokens{"a", "b", "<unk>"}));
  EXPECT_EQ(parse_ctranslate2_vocabulary_json(R"(["<unk>", "b"])", "<unk>", "x").tokens(), (Tokens{"<unk>", "b"}));
  EXPECT_EQ(parse_ctranslate2_vocabulary_text("a\nb", "<unk>", "x").tokens(), (Tokens{"a", "b", "<unk>"}));
  EXPECT_THROW(parse_ctranslate2_vocabulary_json(R"(["a", 3])", "<unk>", "x"), Error);
  EXPECT_THROW(parse_ctranslate2_vocabulary_json(R"({"a": "b"})", "<unk>", "x"), Error);
}

TEST(Dictionary, ACarriageReturnIsDroppedOnlyIfEveryLineHasOne) {
  EXPECT_EQ(parse_ctranslate2_vocabulary_text("a\r\nb\r\n", "a", "x").tokens(), (Tokens{"a", "b"}));
  EXPECT_EQ(parse_ctranslate2_vocabulary_text("a\r\nb\n", "b", "x").tokens(), (Tokens{"a\r", "b"}));
}

TEST(Dictionary, M2M100HasAHundredLanguages) {
  ASSERT_EQ(m2m100_languages().size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(m2m100_languages()));
  EXPECT_EQ(m2m100_languages()[16], "de");
  EXPECT_EQ(m2m100_token("de"), "__de__");
}

TEST(Dictionary, SurvivesDamage) {
  expect_survives_damage(kFairseq, [](const std::string& text) { parse_fairseq_dictionary(text, "x"); });
  expect_survives_damage(R"({"b": 1, "</s>": 0, "\u00fc": 2})",
                         [](const std::string& text) { parse_vocab_json(text, "x"); });
  expect_survives_damage(R"(["</s>", "\u00fc"])",
                         [](const std::string& text) { parse_ctranslate2_vocabulary_json(text, "<unk>", "x"); });
  expect_survives_damage("</s>\n\xC3\xBC\nb\n",
                         [](const std::string& text) { parse_ctranslate2_vocabulary_text(text, "<unk>", "x"); });
}

}  // namespace
}  // namespace dragoman::model::foreign
