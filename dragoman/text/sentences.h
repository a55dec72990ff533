// Splits a text into sentences and the white space between them: models translate sentences, but people send
// paragraphs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::text {

// gaps[0] + sentences[0] + gaps[1] + ... + gaps[n] is the text, byte for byte. A gap is white space or empty. A
// sentence is not empty and has no white space at either end.
struct Layout {
  std::vector<std::string> gaps;  // one more than sentences
  std::vector<std::string> sentences;
};

// A sentence ends at the end of its line. It also ends after a full stop, a question mark or the like, in any script,
// if what follows can begin a sentence; closing quotes and brackets after the mark belong to the sentence. The full
// stops of abbreviations, initials and ordinals end no sentence. The abbreviations are those of `language`, a BCP 47
// tag; by default, English. In doubt the sentence goes on, because two sentences in one are translated better than half
// a sentence. A sentence has at most 4096 bytes; a longer one is cut after a word, or inside a word that is longer than
// that.
Layout cut_sentences(std::string_view text, std::string_view language = {});

// The text with its sentences replaced by their translations, one for each. Chinese and Japanese put no space between
// sentences: if only one of the two languages does, single spaces are inserted or left out. Throws a UsageError if the
// number of translations differs from the number of sentences.
std::string put_together(const Layout& layout, std::span<const std::string> translations,
                         std::string_view source_language, std::string_view target_language);

}  // namespace dragoman::text
