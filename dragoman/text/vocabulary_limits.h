// How large a vocabulary is read. A word costs memory several times, and a small packed file may hold millions of them.
// But a model has a row of weights for each of its words. So what is read of its vocabulary grows with its weights.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::text {

struct VocabularyLimits {
  std::uint64_t bytes, words;

  // For a model whose weights take so many bytes in its file. Enough for 65,000 words with rows of 128 bytes.
  static VocabularyLimits of_weights(std::uint64_t bytes_of_weights);
  // These throw an Error that begins with `where` if there are more.
  void require_bytes(std::uint64_t count, std::string_view where) const;
  void require_words(std::uint64_t count, std::string_view where) const;
};

// How many values the JSON text has at most: one more than it has commas and brackets.
std::uint64_t most_json_values(std::string_view text);

}  // namespace dragoman::text
