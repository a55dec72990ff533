// Reads the fields of a request that concern single words of the translation: which alternatives to show, and which
// words to begin with.
#pragma once

#include "dragoman/base/json.h"
#include "dragoman/data/tokens.h"
#include "dragoman/decode/inside/next_words.h"

namespace dragoman::serve {

// Both functions throw a Refusal (400) that names the field.

// The field next_words: {"count": 10, "temperature": 1, "layers": false}, each optional. Without the field, count is 0.
decode::NextWordsChoice next_words_field(const Json& fields);
// The field prefix_ids: the ids of the tokens that the translation of the first sentence must begin with. V is the size
// of the target vocabulary.
data::Sentence prefix_ids_field(const Json& fields, std::int64_t V);

}  // namespace dragoman::serve
