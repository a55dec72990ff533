// Text as addresses and forms hold it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dragoman::serve {

enum class Plus { kItself, kSpace };  // in queries and forms, a plus stands for a space

// Percent escapes undone. Nothing if one is malformed, or stands for a zero byte.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

// Takes the text up to the first `mark` from the front of `rest`, and the mark with it; all of it if there is none.
std::string_view take_until(std::string_view& rest, std::string_view mark);

// ASCII letters small: names and keywords of HTTP are the same in either case.
std::string lower(std::string_view text);

}  // namespace dragoman::serve
