// A text as sentences and the white space between them: models translate sentences, and people send paragraphs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::text {

// gaps[0] + sentences[0] + gaps[1] + ... + gaps[n] is the text, byte for byte. Gaps hold nothing but white space and
// may be empty; a sentence has something in it and white space at neither end.
struct Layout {
  std::vector<std::string> gaps;  // one more than sentences
  std::vector<std::string> sentences;
};

// A sentence ends with its line; or in a full stop, a question mark or the like, in any script, and the quotes and
// brackets that close there, where something follows that can begin a sentence. Full stops of abbreviations, initials
// and ordinals end none: `language`, a BCP 47 tag, says which abbreviations there are; without it those of English.
// Where this cannot be told the sentence goes on: two in one are translated better than a half. But it never has more
// than 4096 bytes: then it ends with a word, or inside one that is longer.
Layout cut_sentences(std::string_view text, std::string_view language = {});

// The text with translations in the place of its sentences, one each. Chinese and Japanese put no space between
// sentences: where only one of the languages does, single spaces are put in or left out. Throws a UsageError if there
// are more or fewer translations than sentences.
std::string put_together(const Layout& layout, std::span<const std::string> translations,
                         std::string_view source_language, std::string_view target_language);

}  // namespace dragoman::text
