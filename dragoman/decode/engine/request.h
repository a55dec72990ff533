// A request to an engine: a sentence, and how to translate it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/decode/inside/next_words.h"
#include "dragoman/decode/inside/steps.h"
#include "dragoman/decode/search/search.h"
#include "dragoman/nn/sites.h"

namespace dragoman::decode {

// How to translate a sentence. The options are filled in once, where the request comes in (an HTTP body, a line of
// text), and passed on unchanged to the engine.
struct RequestOptions {
  std::optional<SearchSettings> search = std::nullopt;  // defaults to the settings of the translator or engine
  std::vector<nn::Head> heads_off = {};                 // heads that are switched off
  bool trace = false;                                   // return a Trace
  std::vector<int> trace_layers = {};      // layers to trace, counted from 0, in ascending order; empty for all
  bool links = false;                      // return which target words come from which source words
  std::vector<nn::Head> projections = {};  // heads whose queries and keys are returned
  NextWordsChoice next_words = {};         // the words that the model considered at each position
  std::optional<StepsChoice> steps = std::nullopt;  // the steps of a layer that are returned
  bool follow = false;                              // report the beginning of the translation as soon as it is certain
  std::string client = {};  // the client that asks; a fair engine divides its capacity among clients
};

struct TranslationRequest {
  data::Sentence source;     // ends in EOS
  data::Sentence prefix;     // words that the translation must begin with
  std::uint64_t number = 0;  // identifies the request; its Result has the same number
  RequestOptions options = {};
  std::int64_t given = 0;  // so many words of the prefix count as certain, such as the code of a language
  std::optional<std::uint64_t> stream = std::nullopt;  // stream of random numbers for sampling; defaults to `number`
};

}  // namespace dragoman::decode
