// Escapes untrusted text for logs and terminals: one line stays one line, and no terminal command gets through.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// Escapes everything that ends a line, controls a terminal, changes the writing direction, or is not UTF-8. Control
// characters (also DEL and U+0080 to U+009F), U+2028, U+2029 and direction marks become escapes like \u2028, and bytes
// that are not UTF-8 become escapes like \xFF.
std::string printable(std::string_view text);

// The same between double quotes, with quotes and backslashes escaped too, and shortened().
std::string in_quotes(std::string_view text);
// The same, not shortened: for logs.
std::string whole_in_quotes(std::string_view text);

// The first 60 and the last 20 characters of a text that has more, with "..." between them: for values in messages,
// which may be a megabyte long.
std::string shortened(std::string_view text);
// A message of which each part in single or double quotes that has more than 200 bytes is shortened(), and then the
// whole to 4,000 characters. So every message of an Error is short.
std::string with_short_quotes(const std::string& message);

}  // namespace dragoman
