#include "dragoman/eval/tokenizers.h"

#include <algorithm>

#include "dragoman/base/utf8.h"
#include "dragoman/eval/mteval.h"
#include "dragoman/eval/rewriting.h"
#include "dragoman/eval/spaces.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {
namespace {

struct CodeRange {
  char32_t first, last;
};

// sacreBLEU's Chinese characters. It writes the ends of its two ranges above U+FFFF as escapes of five digits, such as
// \u20000. Python takes only four digits for the character, the fifth as a second character, and then compares strings.
// So the range from \u20000 to \u2a6d6 means U+2001 to U+2A6D (punctuation and symbols) instead of the rare characters
// from U+20000 on. The range from \u2f800 to \u2fa1d means U+2F81 to U+2FA1, which lies within the radicals.
constexpr CodeRange kChinese[] = {{0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
                                  {0xFA70, 0xFAD9}, {0x2001, 0x2A6D}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF},
                                  {0x3000, 0x303F}, {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF},
                                  {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
                                  {0x2600, 0x26FF}, {0x2700, 0x27BF}, {0x3200, 0x32FF}, {0x3300, 0x33FF}};

bool is_chinese(char32_t code) {
  return std::ranges::any_of(kChinese, [code](CodeRange range) { return range.first <= code && code <= range.last; });
}

bool is_punctuation(char32_t code) { return kind_of(code) == CharacterKind::kPunctuation; }
bool is_symbol(char32_t code) { return kind_of(code) == CharacterKind::kSymbol; }
bool is_number(char32_t code) { return kind_of(code) == CharacterKind::kNumber; }

}  // namespace

std::string tokenize(std::string_view text, Tokenization how) {
  switch (how) {
    case Tokenization::k13a: return tokenize_13a(text);
    case Tokenization::kIntl: return tokenize_intl(text);
    case Tokenization::kZh: return tokenize_zh(text);
    case Tokenization::kChar: return tokenize_char(text);
    case Tokenization::kNone: return single_spaced(text);
  }
  return {};
}

Tokenization tokenization_for(std::string_view language) {
  constexpr std::string_view kWithoutSpaces[] = {"ja", "km", "lo", "my", "th"};
  const std::string_view primary = language.substr(0, language.find('-'));  // without script and region
  if (primary == "zh") return Tokenization::kZh;
  return std::ranges::count(kWithoutSpaces, primary) > 0 ? Tokenization::kChar : Tokenization::k13a;
}

std::string tokenize_13a(std::string_view text) {
  std::string line(trimmed_right(text));
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  decode_entities(line);
  return single_spaced(space_out_points(space_out_punctuation(" " + line + " ")));
}

std::string tokenize_intl(std::string_view text) {
  std::u32string line = to_code_points(trimmed_right(text));
  line = rewrite_pairs(
      line, [](char32_t a, char32_t b) { return !is_number(a) && is_punctuation(b); },
      [](std::u32string& out, char32_t a, char32_t b) {
        out.append({a, U' ', b, U' '});
      });
  line = rewrite_pairs(
      line, [](char32_t a, char32_t b) { return is_punctuation(a) && !is_number(b); },
      [](std::u32string& out, char32_t a, char32_t b) {
        out.append({U' ', a, U' ', b});
      });
  return single_spaced(to_utf8(space_out(line, is_symbol)));
}

std::string tokenize_zh(std::string_view text) {
  const std::u32string line = to_code_points(trimmed(text));
  return single_spaced(space_out_points(space_out_punctuation(to_utf8(space_out(line, is_chinese)))));
}

std::string tokenize_char(std::string_view text) {
  const auto always = [](char32_t) { return true; };
  return single_spaced(to_utf8(space_out(to_code_points(text), always)));
}

std::string split_compounds(std::string_view text) {
  std::string result;
  for (const std::string_view word : split_words(text)) {
    result += result.empty() ? "" : " ";
    std::size_t written = 0;
    for (std::size_t hyphen = word.find('-', 1); hyphen < word.size() - 1;) {
      result.append(word.substr(written, hyphen - written)).append(" ##AT##-##AT## ");
      written = hyphen + 1;
      // The character after the hyphen belongs to this split; the next split needs another one before its hyphen.
      hyphen = word.find('-', written + character_bytes(word[written]) + 1);
    }
    result += word.substr(written);
  }
  return result;
}

}  // namespace dragoman::eval
