// Words that are written with a full stop inside a sentence.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::text {

// What the full stop of a word says about where it stands.
enum class Stop : std::uint8_t {
  kMayEnd,        // nothing
  kBeforeNumber,  // an abbreviation if a number follows, as in "No. 5"
  kAbbreviation,  // something always follows in the same sentence
};

// `word` is in lower case and without the full stop; `language` as language_of() gives it, English if empty.
Stop stop_of(std::u32string_view word, std::string_view language);

// Whether a number with a full stop is an ordinal number: "3. Oktober".
bool writes_ordinals_with_stop(std::string_view language);

}  // namespace dragoman::text
