// Text of unknown origin for logs and terminals: one line stays one line and nothing is obeyed as a command.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// The text with everything escaped that ends a line, controls a terminal, turns the direction of writing, or is not
// UTF-8: control characters (also DEL and U+0080 to U+009F), U+2028, U+2029 and marks of direction as \u2028, and bytes
// that are not UTF-8 as \xFF.
std::string printable(std::string_view text);

// The same between double quotes, with quotes and backslashes escaped too.
std::string in_quotes(std::string_view text);

}  // namespace dragoman
