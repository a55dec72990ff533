// The tokeniser of WMT's scoring script mteval-v13a, as sacreBLEU has it.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::eval {

// The tokens with one space between them. Punctuation stands alone, except periods and commas inside numbers,
// apostrophes, and hyphens that do not follow a digit; what is not ASCII stays as it is.
std::string tokenize_13a(std::string_view text);

}  // namespace dragoman::eval
