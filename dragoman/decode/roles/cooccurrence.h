// Which words of two languages belong together, found by counting which words occur in the same pairs of sentences (IBM
// model 1). It knows nothing of the model, of its attention or of the languages, so it can tell which heads align words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/eval/word_links.h"

namespace dragoman::decode {

// The words of a sentence and of its translation, without punctuation marks and </s>. Words are compared as they are.
struct WordPair {
  std::vector<std::string> source, target;
};

// For each pair the links, between indices of its words, that the counts make clear: each of the two words is the best
// partner of the other in this sentence, occurs only once in it, and occurs in at least `kMinSentences` sentences.
inline constexpr std::int64_t kMinSentences = 3;
std::vector<std::vector<eval::WordLink>> clear_links(std::span<const WordPair> pairs);

}  // namespace dragoman::decode
