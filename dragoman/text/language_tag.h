// Names of languages: tags of BCP 47, such as en, de or zh-Hans.
#pragma once

#include <string_view>

namespace dragoman::text {

// Whether the text has the form of a tag: a language of two or three letters, then subtags of up to eight letters or
// digits.
bool is_language_tag(std::string_view tag);

}  // namespace dragoman::text
