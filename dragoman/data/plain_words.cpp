#include "dragoman/data/plain_words.h"

#include <algorithm>

namespace dragoman::data {

std::vector<std::string_view> plain_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    // A word ends before the next space or mark. A mark is a word of one character.
    const std::size_t end = std::min(text.find_first_of(" .,?!"), text.size());
    const std::size_t length = end == 0 && text[0] != ' ' ? 1 : end;
    if (length > 0) words.push_back(text.substr(0, length));
    text.remove_prefix(length > 0 ? length : 1);
  }
  return words;
}

}  // namespace dragoman::data
