// A file that cmake/embed.cmake compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace dragoman {

struct EmbeddedText {
  std::string_view name;  // the file's name without its folder
  std::string_view text;
};

}  // namespace dragoman
