// How BLEU cuts sentences into words: the tokenisers of sacreBLEU, under its names.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::eval {

enum class Tokenization : std::uint8_t { k13a, kIntl, kZh, kChar, kNone };
constexpr std::array<std::string_view, 5> names(Tokenization) { return {"13a", "intl", "zh", "char", "none"}; }

// The tokens with one space between them. White space at the end of the text does not count.
std::string tokenize(std::string_view text, Tokenization how);

// The one for text in a language, a BCP 47 tag: zh for Chinese, as in sacreBLEU; char for others that are written
// without spaces; 13a for all the rest.
Tokenization tokenization_for(std::string_view language);

// WMT's scoring script mteval-v13a. Punctuation stands alone, except periods and commas inside numbers, apostrophes,
// and hyphens that do not follow a digit; what is not ASCII stays as it is.
std::string tokenize_13a(std::string_view text);

// mteval-v14: punctuation of every script stands alone unless it touches a number, symbols always. Throws an Error if
// this build has no ICU.
std::string tokenize_intl(std::string_view text);

// Chinese characters stand alone; the rest is cut as by 13a.
std::string tokenize_zh(std::string_view text);

// Each character is a token.
std::string tokenize_char(std::string_view text);

// The paper's treatment of German compounds, in tokenised text and in one pass from left to right: "a-b" becomes
// "a ##AT##-##AT## b". A character belongs to one cut at most, so that "a-b-c" is cut once and "ab-cd-ef" twice.
std::string split_compounds(std::string_view text);

}  // namespace dragoman::eval
