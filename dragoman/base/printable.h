// Escapes untrusted text for logs and terminals: one line stays one line, and no terminal command gets through.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

// Escapes everything that ends a line, controls a terminal, changes the writing direction, or is not UTF-8. Control
// characters (also DEL and U+0080 to U+009F), U+2028, U+2029 and direction marks become escapes like \u2028, and bytes
// that are not UTF-8 become escapes like \xFF.
std::string printable(std::string_view text);

// The same between double quotes, with quotes and backslashes escaped too.
std::string in_quotes(std::string_view text);

}  // namespace dragoman
