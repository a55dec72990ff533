#include "tests/matching.h"

#include <regex>

namespace dragoman {
namespace {

std::vector<std::string> texts_of(const std::smatch& match) { return {match.begin(), match.end()}; }

}  // namespace

std::vector<std::string> whole_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  std::regex_match(text, match, std::regex(pattern));
  return texts_of(match);
}

std::vector<std::string> first_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  std::regex_search(text, match, std::regex(pattern));
  return texts_of(match);
}

int number_in(const std::string& text, const std::string& pattern) {
  const std::vector<std::string> match = first_match(text, pattern);
  if (match.size() < 2) return 0;
  std::string digits = match[1];
  std::erase(digits, ',');
  return std::stoi(digits);
}

}  // namespace dragoman
