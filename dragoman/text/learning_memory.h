// Estimates the memory that learning a vocabulary takes, before it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/text/tokenizer.h"

namespace dragoman::text {

// Bytes of memory that SentencePiece needs to learn a vocabulary of this kind and size, including the sentences
// themselves. Derived from measurements on 5 to 20 MB of text: natural text, text without spaces, and random letters.
// The actual use was 55 to 90 % of the estimate.
std::size_t learning_bytes(TokenizerKind kind, std::int64_t vocabulary, const std::vector<std::string>& sentences);

}  // namespace dragoman::text
