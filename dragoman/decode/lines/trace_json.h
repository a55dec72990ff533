// A trace as one line of JSON: {line, src, tgt, score, attention: {site: weights}, beam}.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/json.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::decode {

// Numbers as lists with six decimals, or packed: exact, as the base64 of float32, with their sizes.
enum class Numbers : std::uint8_t { kLists, kPacked };

// The tokens of both sides as text, each attention as [layer][head][query][key], the candidates of every step, and
// packed projections, if the line has any. Of a line that has no trace (it is empty, bad, or in several pieces) only
// the first entries.
std::string trace_json(const TranslatedLine& line, const model::Tokenizers& tokenizers, const SearchSettings& settings,
                       Numbers numbers = Numbers::kLists);

// The same at the end of a text. `give_up` is asked now and then; if it says true, an Error is thrown.
void append_trace_json(std::string& text, const TranslatedLine& line, const model::Tokenizers& tokenizers,
                       const SearchSettings& settings, Numbers numbers, const std::function<bool()>& give_up = {});

// {"encoder": ..., "decoder": ..., "cross": ...}: the weights of each site by its name.
std::string attention_json(const Forced& forced, Numbers numbers);
// ["▁the", "▁dog", "</s>"]
Json pieces_json(const data::Sentence& tokens, const text::Tokenizer& tokenizer);

}  // namespace dragoman::decode
