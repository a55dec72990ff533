// Standard output that never fails silently.
#pragma once

#include <string_view>

namespace dragoman::cli {

// Whoever read standard output went away (as `head` does): not an error, but nothing more needs to be done.
struct OutputClosed {};

// Writes to standard output. Throws OutputClosed at a closed pipe, and an Error at any other failure.
void print(std::string_view text);

// Writes out what print() still holds, and throws as print() does.
void flush_output();

}  // namespace dragoman::cli
