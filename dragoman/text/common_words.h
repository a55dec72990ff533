// The commonest words of languages (the, und, les). They tell the language of a longer text, and make profiles of
// languages for which there is no text to learn from. Only languages that have a list here are known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/text/language.h"

namespace dragoman::text {

// Counts common words. A text needs many sentences to be recognised by them.
class CommonWords {
 public:
  void add(std::string_view text);
  void add(const CommonWords& other);

  std::int64_t words() const { return words_; }  // of all texts together

  // The share of the words that are among the commonest of a language; nothing if we have no list for it.
  std::optional<double> share(std::string_view tag) const;

  struct Guess {
    std::string language;  // the tag without subtags
    double share = 0;
  };
  // The language with the largest share; nothing if there are fewer than 100 words or no share reaches 15 %. In running
  // text of a language about a third of the words are in its list.
  std::optional<Guess> guess() const;

 private:
  static constexpr std::size_t kMaxLanguages = 32;

  std::int64_t words_ = 0;
  std::array<std::int64_t, kMaxLanguages> hits_{};  // words in the list of each language
};

// A profile of the language of a tag, such as "de", "deu" or "de-AT", made from its list; nullptr if there is none.
const LanguageProfile* common_profile(std::string_view tag);

}  // namespace dragoman::text
