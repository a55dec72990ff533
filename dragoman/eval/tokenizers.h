// How BLEU splits sentences into tokens: the tokenisers of sacreBLEU, under the same names.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::eval {

enum class Tokenization : std::uint8_t { k13a, kIntl, kZh, kChar, kNone };
constexpr std::array<std::string_view, 5> names(Tokenization) { return {"13a", "intl", "zh", "char", "none"}; }

// The tokens with one space between them. White space at the end of the text is ignored.
std::string tokenize(std::string_view text, Tokenization how);

// The tokeniser for a language, given as a BCP 47 tag: zh for Chinese, as in sacreBLEU; char for other languages that
// are written without spaces; 13a for all others.
Tokenization tokenization_for(std::string_view language);

// The tokeniser of WMT's scoring script mteval-v13a. Each punctuation mark is a token, except periods and commas inside
// numbers, apostrophes, and hyphens that do not follow a digit. Characters beyond ASCII stay as they are.
std::string tokenize_13a(std::string_view text);

// The tokeniser of mteval-v14. Each symbol is a token, and each punctuation mark of any script unless the characters
// beside it are all numbers. Throws an Error if this build has no ICU.
std::string tokenize_intl(std::string_view text);

// Each Chinese character is a token; the rest is split as in 13a.
std::string tokenize_zh(std::string_view text);

// Each character is a token.
std::string tokenize_char(std::string_view text);

// Splits German compounds in tokenised text, as for the paper's scores: "a-b" becomes "a ##AT##-##AT## b". It makes one
// pass from left to right, and a character next to a hyphen belongs to one split at most. So "a-b-c" is split once and
// "ab-cd-ef" twice.
std::string split_compounds(std::string_view text);

}  // namespace dragoman::eval
