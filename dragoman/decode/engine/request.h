// What is asked of an engine: a sentence, and how it is to be translated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/decode/search/search.h"
#include "dragoman/nn/sites.h"

namespace dragoman::decode {

// How a sentence is to be translated. Filled once, where a request comes in (an HTTP body, a line of text), and carried
// whole from there to the engine.
struct RequestOptions {
  std::optional<SearchSettings> search = std::nullopt;  // in place of those of the translator or engine
  std::vector<nn::Head> heads_off = {};                 // heads that are switched off
  bool trace = false;
  std::vector<int> trace_layers = {};      // layers that the trace has, from 0 and in order; none: all
  bool links = false;                      // which words of the translations come from which words of the source
  std::vector<nn::Head> projections = {};  // heads whose queries and keys are returned
  bool follow = false;                     // what is certain of the translation is reported during the search
  std::string client = {};                 // whose share of the engine's room the sentence takes
};

struct Request {
  data::Sentence source;     // ends in EOS
  data::Sentence prefix;     // words that the translation is to begin with
  std::uint64_t number = 0;  // tells the results apart
  RequestOptions options = {};
  std::optional<std::uint64_t> stream = std::nullopt;  // of the random numbers; defaults to `number`
};

}  // namespace dragoman::decode
