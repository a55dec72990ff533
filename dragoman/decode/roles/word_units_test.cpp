#include "dragoman/decode/roles/word_units.h"

#include <gtest/gtest.h>

#include "dragoman/array/tokens.h"
#include "dragoman/text/testing.h"

namespace dragoman::decode {
namespace {

WordUnits units_of(const std::string& sentence, const std::vector<std::string>& learned) {
  text::TokenizerSettings settings;
  settings.kind = text::TokenizerKind::kChar;
  const text::Tokenizer tokenizer = text::train_tokenizer(settings, 60, 1, text::one_by_one(learned));
  data::Sentence tokens = tokenizer.encode(sentence);
  tokens.push_back(kEos);
  return word_units(tokens, tokenizer);
}

std::string described(const WordUnits& words) {
  std::string text;
  for (const WordUnit& unit : words.units) {
    text += (text.empty() ? "" : " ") + unit.text + (unit.is_mark ? "*" : "") + std::to_string(unit.word);
  }
  return text;
}

TEST(WordUnits, MergePiecesAndSeparateMarksAtTheEdgesOfAWord) {
  const WordUnits words = units_of("(it's 5 o'clock, yes).", {"(it's 5 o'clock, yes)."});
  EXPECT_EQ(described(words), "(*0 it's0 51 o'clock2 ,*2 yes3 )*3 .*3 </s>*4");
  EXPECT_EQ(words.of_token.back(), std::ssize(words.units) - 1);
}

TEST(WordUnits, EachPieceOfAScriptWithoutSpacesIsAWord) {
  EXPECT_EQ(described(units_of("猫爱鱼。", {"猫爱鱼。"})), "猫0 爱0 鱼0 。*0 </s>*1");
}

}  // namespace
}  // namespace dragoman::decode
