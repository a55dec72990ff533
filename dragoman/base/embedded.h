// A file that cmake/embed.cmake compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace dragoman {

struct EmbeddedText {
  std::string_view name;  // path of the file in the folder that was embedded
  std::string_view text;
};

}  // namespace dragoman
