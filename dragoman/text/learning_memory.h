// What it takes to learn a vocabulary, known before it is begun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/text/tokenizer.h"

namespace dragoman::text {

// Bytes of memory that SentencePiece takes to learn so large a vocabulary of this kind from the sentences, which are
// counted, too. From measurements of 5 to 20 MB of text, natural, without spaces and of random letters: what it took
// was 55 to 90 % of this.
std::size_t learning_bytes(TokenizerKind kind, std::int64_t vocabulary, const std::vector<std::string>& sentences);

}  // namespace dragoman::text
