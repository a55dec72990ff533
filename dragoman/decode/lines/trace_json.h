// A trace as one line of JSON: {line, src, tgt, text, score, logp, norm, finished, attention: {site: weights}, beam,
// projections, next_words, layer_words, steps, pondering: {source: {steps, rest}, target: {steps, rest}}}.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/json.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

// How attention weights are written: as lists of numbers with six decimals, or packed, which is exact: the float32
// values in base64, together with their sizes.
enum class Numbers : std::uint8_t { kLists, kPacked };

// Writes the tokens of both sides as text, each attention as [layer][head][query][key], the candidates of every step,
// and packed projections, next words and steps if the line has any. A line without a trace (it is empty, bad, or in
// several pieces) has only the tokens and scores.
std::string trace_json(const TranslatedLine& line, const model::Tokenizers& tokenizers, const SearchSettings& settings,
                       Numbers numbers = Numbers::kLists);

// Appends the same to a text. Calls `give_up` from time to time, and throws an Error if it returns true.
void append_trace_json(std::string& text, const TranslatedLine& line, const model::Tokenizers& tokenizers,
                       const SearchSettings& settings, Numbers numbers, const std::function<bool()>& give_up = {});

// {"encoder": ..., "decoder": ..., "cross": ...}: the weights of each site, by its name.
std::string attention_json(const Forced& forced, Numbers numbers);
// The tokens as text: ["▁the", "▁dog", "</s>"].
Json pieces_json(const data::Sentence& tokens, const text::Tokenizer& tokenizer);

}  // namespace dragoman::decode
