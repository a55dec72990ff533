// Guesses which flag a value without a flag belongs to.
#pragma once

#include <cstddef>
#include <string>

#include "dragoman/cli/help/hints.h"

namespace dragoman::cli {

// " Did you mean '--input a.en'?", or another sentence about the argument at this place, which has no flag; empty if it
// fits none.
std::string value_hint(const CommandLine& line, std::size_t at);

// " Did you mean '--quiet=false'?" if the argument at this place is such a word after a switch and no file; else empty.
std::string switch_hint(const CommandLine& line, std::size_t at);

// The switch before the argument at this place if the argument, no file, seems to be meant as its value; else empty.
std::string switch_before(const CommandLine& line, std::size_t at);

}  // namespace dragoman::cli
