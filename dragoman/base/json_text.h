// JSON with text from outside, such as the names of files, whose bytes need not be UTF-8. JSON cannot hold other bytes.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/base/json.h"

namespace dragoman {

// The document as text. Bytes that are not UTF-8 become U+FFFD. `indent` is the number of spaces a level; -1 for one
// line. For records that people and other programs read.
std::string json_text(const Json& json, int indent = -1);

// The same text as UTF-8 from which from_valid_utf8() makes the old text again: for what this program reads back. A
// byte that is not UTF-8 becomes one of the characters U+10FE80 to U+10FEFF, which are for private use.
std::string to_valid_utf8(std::string_view text);
std::string from_valid_utf8(std::string_view text);

}  // namespace dragoman
