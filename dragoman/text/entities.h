// Character references of HTML: "&amp;" and the like.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::text {

struct Reference {
  std::size_t bytes = 0;              // of the reference, from '&' to ';'
  std::optional<char32_t> code = {};  // what it stands for; nothing if that is not known here
};

// The reference that the text begins with; nothing if it begins with none. A reference ends in ';' here.
std::optional<Reference> reference_at(std::string_view text);

// Text as HTML: &, < and > are written as references.
std::string as_html(std::string_view text);

}  // namespace dragoman::text
