// Names of languages: tags of BCP 47, such as en, de or zh-Hans.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::text {

// Whether the text has the form of a tag: a language of two or three letters, then subtags of up to eight letters or
// digits.
bool is_language_tag(std::string_view tag);

// The tag with capitals where they are usual, such as zh-Hans-CN for ZH-HANS-cn. Tags that differ only in case mean the
// same.
std::string canonical_tag(std::string_view tag);

}  // namespace dragoman::text
