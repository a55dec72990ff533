// Lines that are longer than a model should read at once are translated piece by piece.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::decode {

// The tokens in pieces of at most `longest`, each as long as can be. A piece ends where a sentence seems to end if that
// leaves it at least half its length, else between two words, and inside a word only if that is longer still.
std::vector<data::Sentence> pieces(const data::Sentence& tokens, std::int64_t longest,
                                   const text::Tokenizer& tokenizer);

}  // namespace dragoman::decode
