// A trace as one line of JSON: {line, src, tgt, score, attention: {encoder, decoder, cross}, beam}.
#pragma once

#include <string>

#include "dragoman/decode/translator.h"

namespace dragoman::decode {

// The tokens of both sides as text, each attention as [layer][head][query][key] with six decimals, and the candidates
// of every step. Of a line that has no trace (it is empty, bad, or in several pieces) only the first entries.
std::string trace_json(const TranslatedLine& line, const model::Tokenizers& tokenizers, const SearchSettings& settings);

}  // namespace dragoman::decode
