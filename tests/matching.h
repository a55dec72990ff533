// Regular expressions for tests of the whole program. They are compiled in matching.cpp alone: std::regex takes a
// compiler seconds in every file that uses it.
#pragma once

#include <string>
#include <vector>

namespace dragoman {

// The text that matched and its groups; empty if the text as a whole does not match.
std::vector<std::string> whole_match(const std::string& text, const std::string& pattern);

// Likewise of the first place that matches.
std::vector<std::string> first_match(const std::string& text, const std::string& pattern);

// The first group of the first place that matches, as a number: "up to 1,234 tokens" -> 1234. 0 if there is none.
int number_in(const std::string& text, const std::string& pattern);

}  // namespace dragoman
