// The tokeniser of Tercom, which computes TER.
#include <algorithm>

#include "dragoman/base/utf8.h"
#include "dragoman/eval/mteval.h"
#include "dragoman/eval/rewriting.h"
#include "dragoman/eval/spaces.h"
#include "dragoman/eval/ter.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {
namespace {

bool is_asian_punctuation(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return within(0x3001, 0x3002) || within(0x3008, 0x3011) || within(0x3014, 0x301F) || within(0xFF61, 0xFF65) ||
         code == 0x30FB ||
         std::u32string_view(U"\uFF0E\uFF0C\uFF1F\uFF1A\uFF1B\uFF01\uFF02\uFF08\uFF09").find(code) !=
             std::u32string_view::npos;
}

// Characters that are words of their own: Chinese characters, their radicals and enclosed forms, and punctuation.
bool is_asian_word(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return within(0x4E00, 0x9FFF) || within(0x3200, 0x4DBF) || within(0x31C0, 0x31EF) || within(0x2E80, 0x2EFF) ||
         within(0xF900, 0xFAFF) || within(0xFE30, 0xFE4F) || is_asian_punctuation(code);
}

bool is_western_punctuation(char c) { return std::string_view(".,?:;!\"()").find(c) != std::string_view::npos; }

std::string normalized(std::string text) {
  replace_all(text, "\n-", "");  // as in sacreBLEU, whose tokeniser 13a removes "-\n" instead
  replace_all(text, "\n", " ");
  decode_entities(text);
  text = space_out_punctuation(" " + text + " ");
  replace_all(text, "'s ", " 's ");
  return space_out_points(std::move(text));
}

template <class Text, class Unwanted>
void remove(Text& text, Unwanted&& unwanted) {
  text.erase(std::remove_if(text.begin(), text.end(), unwanted), text.end());
}

}  // namespace

std::string tokenize_tercom(std::string_view text, const TerSettings& settings) {
  std::string line(trimmed_right(text));
  if (!settings.case_sensitive) line = lower_case(line);
  if (settings.normalized) line = normalized(std::move(line));
  if (settings.no_punctuation) remove(line, is_western_punctuation);
  if (settings.asian_support && (settings.normalized || settings.no_punctuation)) {
    std::u32string codes = to_code_points(line);
    if (settings.normalized) codes = space_out(codes, is_asian_word);
    if (settings.no_punctuation) remove(codes, is_asian_punctuation);
    line = to_utf8(codes);
  }
  return single_spaced(line);
}

}  // namespace dragoman::eval
