// The words of a sentence of tokens, as roles of heads speak of them: pieces are merged to words, but punctuation marks
// at the beginning and the end of a word are words of their own, and so is each piece of a script without spaces, such
// as Chinese.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::decode {

struct WordUnit {
  std::string text;       // without the spaces around it
  bool is_mark = false;   // has neither letters nor digits; </s> is a mark, too
  std::int64_t word = 0;  // the word between spaces that it belongs to, counted from 0, as in the Pharaoh format
};

struct WordUnits {
  std::vector<WordUnit> units;         // the last is </s>
  std::vector<std::int64_t> of_token;  // for each token the index of its unit
};

// `tokens` ends in EOS.
WordUnits word_units(const data::Sentence& tokens, const text::Tokenizer& tokenizer);

}  // namespace dragoman::decode
