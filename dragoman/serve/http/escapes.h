// Decoding of the text in URLs and forms, and small helpers for HTTP text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::serve {

enum class Plus { kItself, kSpace };  // what a plus sign stands for: in queries and forms, a space

// Decodes percent escapes. Empty if an escape is malformed or stands for a zero byte.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

// Removes the text up to the first `mark` from the front of `rest`, together with the mark, and returns it without the
// mark. Without a mark, takes all of `rest`.
std::string_view take_until(std::string_view& rest, std::string_view mark);

// ASCII letters in lower case: names and keywords of HTTP ignore case.
std::string lower(std::string_view text);

}  // namespace dragoman::serve
