// What scoring asks about characters beyond ASCII. The answers are ICU's: a build without it has unicode_missing.cpp in
// the place of unicode.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::eval {

bool knows_unicode();

// The text in lower case, in no particular language: a sigma at the end of a word takes its final form. Throws an Error
// if the text is not ASCII and this build cannot know.
std::string lower_case(std::string_view text);

// Unicode's general categories P, S and N, and all others. Throws an Error if this build cannot know.
enum class CharacterKind : std::uint8_t { kPunctuation, kSymbol, kNumber, kOther };
CharacterKind kind_of(char32_t code);

}  // namespace dragoman::eval
