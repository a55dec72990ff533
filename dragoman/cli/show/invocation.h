// Commands that a user can paste into a shell.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::cli {

// The text as one word of a shell: in quotes if it has characters that a shell would interpret.
std::string shell_word(std::string_view text);

// How to call this program from the directory where it runs: `dragoman` if a shell finds it under that name, and
// otherwise the path that it was called with, such as `build/release/dragoman`.
std::string program_call();
// The same for a program that was called as `called`, with the directories of the variable PATH.
std::string program_call(const std::string& called, std::string_view directories);

}  // namespace dragoman::cli
