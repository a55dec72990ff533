// Which words of a text a model never saw, for a model that was trained on few words and has a list of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace dragoman::text {

class KnownWords {
 public:
  // At most this many words of a text are named.
  static constexpr std::size_t kMostUnseen = 100;

  // An empty list says nothing about any word.
  explicit KnownWords(const std::vector<std::string>& words = {});

  bool empty() const { return words_.empty(); }
  // Only words that both lists lack are unseen then. An empty list makes this one empty.
  void join(const KnownWords& other);

  // The words of the text that are not in the list, each once, as they are written, in the order of the text. A word
  // begins with a letter or a digit and may have apostrophes and hyphens in it. Capitals make no difference.
  std::vector<std::string> unseen(std::string_view text) const;

 private:
  bool knows(std::u32string_view word) const;

  std::unordered_set<std::string> words_;  // in small letters
};

// Appends the words that `words` lacks, up to KnownWords::kMostUnseen words in all.
void add_unseen(std::vector<std::string>& words, const std::vector<std::string>& more);

// "the model never saw 'name' and 'Anna' in training": names the first five and counts the rest.
std::string never_saw(const std::vector<std::string>& unseen);

}  // namespace dragoman::text
