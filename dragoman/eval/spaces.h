// White space as Python, and therefore sacreBLEU, defines it: splitting text into words and trimming lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::eval {

// The words of the text: its parts between white space.
std::vector<std::string_view> split_words(std::string_view text);

std::string_view trimmed_right(std::string_view text);
std::string_view trimmed(std::string_view text);

// The words with one space between them.
std::string single_spaced(std::string_view text);
// The words with nothing between them.
std::string without_spaces(std::string_view text);

}  // namespace dragoman::eval
