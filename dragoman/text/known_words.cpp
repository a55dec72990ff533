#include "dragoman/text/known_words.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::text {
namespace {

bool is_joint(char32_t code) { return code == U'\'' || code == U'\u2019' || code == U'-'; }
bool begins_word(char32_t code) { return is_letter(code) || is_digit(code); }
bool goes_on(char32_t code) { return begins_word(code) || is_accent(code) || is_joint(code); }

std::string in_small_letters(std::u32string_view word) {
  std::string small;
  for (const char32_t code : word) append_utf8(small, lower_case(code));
  return small;
}

}  // namespace

KnownWords::KnownWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) words_.insert(in_small_letters(to_code_points(word)));
}

void KnownWords::join(const KnownWords& other) {
  if (other.empty()) words_.clear();
  if (!empty()) words_.insert(other.words_.begin(), other.words_.end());
}

bool KnownWords::knows(std::u32string_view word) const { return words_.contains(in_small_letters(word)); }

std::vector<std::string> KnownWords::unseen(std::string_view text) const {
  std::vector<std::string> words;
  if (empty()) return words;
  const std::u32string codes = to_code_points(text);
  for (auto at = codes.begin(); (at = std::find_if(at, codes.end(), begins_word)) != codes.end();) {
    const auto end = std::find_if_not(at, codes.end(), goes_on);
    std::u32string_view word(at, end);
    at = end;
    if (knows(word)) continue;
    // A quotation mark or a dash may follow a word without a space.
    while (is_joint(word.back())) word.remove_suffix(1);
    if (!knows(word)) add_unseen(words, {to_utf8(word)});
  }
  return words;
}

void add_unseen(std::vector<std::string>& words, const std::vector<std::string>& more) {
  for (const std::string& word : more) {
    if (words.size() >= KnownWords::kMostUnseen) return;
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
}

std::string never_saw(const std::vector<std::string>& unseen) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> named;
  for (const std::string& word : unseen) {
    if (named.size() < kMostNamed) named.push_back("'" + word + "'");
  }
  if (unseen.size() >= KnownWords::kMostUnseen) {
    named.push_back("many more");
  } else if (unseen.size() > named.size()) {
    named.push_back(join(unseen.size() - named.size(), " more"));
  }
  return join("the model never saw ", listed(named), " in training");
}

}  // namespace dragoman::text
