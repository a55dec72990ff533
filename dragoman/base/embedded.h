// Files that were compiled into the program: see cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace dragoman {

struct EmbeddedText {
  std::string_view name;  // path of the file in the folder that was embedded
  std::string_view text;
};

}  // namespace dragoman
