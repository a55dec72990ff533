// Notices a text and its translation that were given the wrong way round.
#pragma once

#include <string>
#include <string_view>

#include "dragoman/model/files/info.h"

namespace dragoman::cli {

struct TestFiles {
  std::string source, reference;
  std::string_view flags;  // that name them: "--source and --reference"
};

// Tells the user if the names of the files say that they are swapped. The results of swapped files are bad, but nothing
// else tells it.
void warn_if_swapped(std::string_view command, const model::ModelInfo& info, const TestFiles& files);

}  // namespace dragoman::cli
