// Lines that are longer than a model should read at once are translated piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::decode {

// The tokens in pieces of at most `longest`, each as long as can be. A piece ends where a sentence seems to end if that
// leaves it at least half its length, else between two words, and inside a word only if that is longer still.
std::vector<data::Sentence> pieces(const data::Sentence& tokens, std::int64_t longest,
                                   const text::Tokenizer& tokenizer);

// Adds what the next piece or part of a line is translated by.
void append_text(std::string& text, std::string_view more);

// What stands between the translation of a line's parts so far and that of the next part.
std::string_view joint(const TranslatedLine& line, const TranslatedLine& part);
// Adds the next part of a line to those before it. All that belongs to lines in one piece is left out.
void add_part(TranslatedLine& line, const TranslatedLine& part);

}  // namespace dragoman::decode
