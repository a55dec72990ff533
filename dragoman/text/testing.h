// A small text and tokenizers learned from it, for tests.
#pragma once

#include <string>
#include <vector>

#include "dragoman/text/tokenizer.h"

namespace dragoman::text {

inline const std::vector<TokenizerKind> kKinds{TokenizerKind::kBpe, TokenizerKind::kUnigram, TokenizerKind::kChar,
                                               TokenizerKind::kWord};

inline std::vector<std::string> toy_sentences() {
  return {"the cat sat on the mat",
          "the cats sat on the mats",
          "a cat is not a mat",
          "the rat ate the cat's hat",
          "that is that, the cat said",
          "Stra\xC3\x9F"
          "e und Stra\xC3\x9F"
          "en"};
}

// Returns the sentences one by one.
inline NextSentence one_by_one(std::vector<std::string> sentences) {
  return [sentences = std::move(sentences), next = std::size_t{0}](std::string& sentence) mutable {
    if (next == sentences.size()) return false;
    sentence = sentences[next++];
    return true;
  };
}

inline Tokenizer toy_tokenizer(const TokenizerSettings& settings, std::int64_t vocabulary = 60) {
  return train_tokenizer(settings, vocabulary, 1, one_by_one(toy_sentences()));
}

}  // namespace dragoman::text
