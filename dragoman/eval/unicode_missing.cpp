#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/eval/unicode.h"

namespace dragoman::eval {

bool knows_unicode() { return false; }

std::string lower_case(std::string_view text) {
  const bool is_ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  require<Error>(
      is_ascii,
      "this build of dragoman has no ICU and converts only ASCII to lower case: score case-sensitively, or build "
      "where ICU is installed.");
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

CharacterKind kind_of(char32_t) {
  throw Error(
      "this build of dragoman has no ICU and therefore no tokenizer 'intl': use another one, or build where ICU is "
      "installed.");
}

}  // namespace dragoman::eval
