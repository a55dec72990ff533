// Properties of characters beyond ASCII that scoring needs. They come from ICU. A build without ICU compiles
// unicode_missing.cpp instead of unicode.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::eval {

bool knows_unicode();  // whether this build has ICU

// The text in lower case, by rules that do not depend on the language. A sigma at the end of a word gets its final
// form. Throws an Error if the text is not ASCII and this build has no ICU.
std::string lower_case(std::string_view text);

// Unicode's general categories P, S and N, and all others. kind_of() throws an Error if this build has no ICU.
enum class CharacterKind : std::uint8_t { kPunctuation, kSymbol, kNumber, kOther };
CharacterKind kind_of(char32_t code);

}  // namespace dragoman::eval
