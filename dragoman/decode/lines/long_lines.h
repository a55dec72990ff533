// Splits lines that are too long for the model into pieces, and joins the translations. A very long line first comes in
// parts of at most kPartBytes, and each part is split into pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::decode {

// Splits the tokens into pieces of at most `longest` tokens, each as long as possible. A piece ends where a sentence
// seems to end if the piece then has at least half of `longest`. Otherwise it ends between two words, and inside a word
// only if the word is longer than a piece. If the tokenizer has a first token, every piece begins with it.
std::vector<data::Sentence> pieces(const data::Sentence& tokens, std::int64_t longest,
                                   const text::Tokenizer& tokenizer);

// The same for a text of many sentences: a piece is a sentence, or a part of one that is longer than a piece may be.
std::vector<data::Sentence> pieces_of_sentences(std::string_view text, std::int64_t longest,
                                                const text::Tokenizer& tokenizer, std::string_view language);

// Appends the translation of the next piece, separated by a space.
void append_text(std::string& text, std::string_view more);

// The separator between the translation of a line's parts so far and that of the next part.
std::string_view separator_before(const TranslatedLine& line, const TranslatedLine& part);
// Appends the next part of a line to the parts before it. Clears the fields that only lines in one piece have.
void add_part(TranslatedLine& line, const TranslatedLine& part);

}  // namespace dragoman::decode
