// Abbreviations: words that are written with a full stop in the middle of a sentence.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::text {

// What a full stop after a word says about the end of the sentence.
enum class Stop : std::uint8_t {
  kMayEnd,        // no abbreviation: the sentence may end here
  kBeforeNumber,  // an abbreviation if a number follows, as in "No. 5"
  kAbbreviation,  // always an abbreviation: the sentence goes on
};

// `word` is in lower case and without the full stop. `language` is a result of language_of(); empty means English.
Stop stop_of(std::u32string_view word, std::string_view language);

// Whether the language writes ordinal numbers as a number with a full stop: "3. Oktober".
bool writes_ordinals_with_stop(std::string_view language);

}  // namespace dragoman::text
