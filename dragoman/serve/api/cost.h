// What a request may come to cost, estimated from its sentences and its settings before any work begins.
#pragma once

#include <cstdint>

#include "dragoman/decode/lines/service.h"
#include "dragoman/decode/lines/trace_json.h"

namespace dragoman::serve {

struct CostLimits {
  std::int64_t tokens = 20000;           // of all sources
  std::int64_t output_tokens = 4 << 20;  // of all hypotheses of all translations
  std::int64_t bytes = 128 << 20;        // of what is kept while it is translated, and of the answer
};

// Adds up the sentences of one request. What a search may hold is bounded by the most that its settings allow; what is
// kept of its result, by the length that a translation of such a source has at most as a rule, or must have. A result
// that is longer after all is counted as it is when it is there.
class Cost {
 public:
  // `options` are those of every sentence.
  Cost(const decode::Service& service, const decode::RequestOptions& options, decode::Numbers numbers,
       const CostLimits& limits);

  // A sentence of so many tokens. Throws a Refusal (413) that says what to lower if it, or all together, are too much.
  void add(std::int64_t tokens, std::int64_t text_bytes);
  // The result of a sentence of so many tokens is there, and has this length. Throws the same.
  void add_result(std::int64_t tokens, std::int64_t length);

  std::int64_t bytes() const;

 private:
  std::int64_t usual_length(std::int64_t tokens) const;
  void add_search(std::int64_t n, std::int64_t length);
  void keep(std::int64_t n, std::int64_t length, int times = 1);
  void check_length(std::int64_t length) const;
  void check_bytes() const;

  decode::RequestOptions options_;
  decode::SearchSettings search_;
  CostLimits limits_;
  std::int64_t rows_;               // hypotheses of a sentence
  std::int64_t encoder_heads_ = 0;  // heads of all layers that a trace shows: the source at itself,
  std::int64_t decoder_heads_ = 0;  // the translation at itself,
  std::int64_t cross_heads_ = 0;    // and the translation at the source
  std::int64_t projection_ = 0;     // numbers that projections have for each token
  std::int64_t number_bytes_;       // of a number in the answer
  std::int64_t positions_, longest_;
  std::int64_t most_length_, most_cells_;  // of a translation
  std::int64_t room_tokens_, room_cells_;  // of the engine

  std::int64_t tokens_ = 0, output_ = 0;
  std::int64_t kept_ = 0;                      // bytes that are there until the answer is written
  std::int64_t searching_ = 0;                 // bytes of traces while sentences are searched, if all are at once
  double most_a_cell_ = 0, most_a_token_ = 0;  // of these, for each cell and source token of the engine
  std::int64_t answer_ = 0;                    // bytes
  std::int64_t largest_ = 0;                   // of what is copied for the answer, a part at a time
};

}  // namespace dragoman::serve
