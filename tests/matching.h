// Regular expressions for whole-program tests. Only matching.cpp includes <regex>, because it costs seconds of compile
// time in every file.
#pragma once

#include <string>
#include <vector>

namespace dragoman {

// The match and its groups; empty if the whole text does not match.
std::vector<std::string> whole_match(const std::string& text, const std::string& pattern);

// The same for the first part of the text that matches.
std::vector<std::string> first_match(const std::string& text, const std::string& pattern);

// The first group of the first match, as a number: "up to 1,234 tokens" -> 1234. 0 if there is no match.
int number_in(const std::string& text, const std::string& pattern);

}  // namespace dragoman
