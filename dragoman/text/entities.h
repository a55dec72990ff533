// Character references of HTML: "&amp;" and the like.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::text {

struct Reference {
  std::size_t bytes = 0;              // length of the reference, from '&' to ';'
  std::optional<char32_t> code = {};  // the character that it stands for; absent if this program does not know it
};

// The reference at the start of the text, if there is one. Only references that end in ';' are recognised.
std::optional<Reference> reference_at(std::string_view text);

// The text as HTML: &, < and > are replaced by references.
std::string as_html(std::string_view text);

}  // namespace dragoman::text
