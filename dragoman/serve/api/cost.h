// Estimates how much memory and work a request may take, from its sentences and its settings, before any work begins.
#pragma once

#include <cstdint>

#include "dragoman/decode/lines/service.h"
#include "dragoman/decode/lines/trace_json.h"

namespace dragoman::serve {

struct CostLimits {
  std::int64_t tokens = 20000;           // of all source sentences
  std::int64_t output_tokens = 4 << 20;  // of all hypotheses of all translations
  std::int64_t bytes = 128 << 20;        // of what is kept during translation, and of the answer
};

// Adds up the sentences of one request. The memory of a search is bounded by the most that its settings allow. The
// memory of a result is estimated from a length that translations of such a source rarely exceed, or from min_length if
// that is longer. A result that turns out longer is counted with its real length.
class Cost {
 public:
  // `options` hold for every sentence. `numbers` is the form of attention weights in the answer.
  Cost(const decode::Service& service, const decode::RequestOptions& options, decode::Numbers numbers,
       const CostLimits& limits);

  // Adds a sentence with this number of tokens and bytes. Throws a Refusal (413) that says what to lower if this
  // sentence or all sentences together are too much.
  void add(std::int64_t tokens, std::int64_t text_bytes);
  // To be called when a sentence with this number of tokens has been translated to a result of this length. Throws as
  // add() does.
  void add_result(std::int64_t tokens, std::int64_t length);

  // The bytes that the sentences added so far may take.
  std::int64_t bytes() const;

 private:
  std::int64_t usual_length(std::int64_t tokens) const;
  void add_search(std::int64_t n, std::int64_t length);
  void add_kept(std::int64_t n, std::int64_t length, int times = 1);
  std::int64_t steps_numbers(std::int64_t tokens) const;
  void check_length(std::int64_t length) const;
  void check_bytes() const;

  decode::RequestOptions options_;
  decode::SearchSettings search_;
  CostLimits limits_;
  std::int64_t rows_;  // hypotheses per sentence
  // Heads of all layers that a trace shows.
  std::int64_t encoder_heads_ = 0;       // the source attends to itself
  std::int64_t decoder_heads_ = 0;       // the translation attends to itself
  std::int64_t cross_heads_ = 0;         // the translation attends to the source
  std::int64_t projection_numbers_ = 0;  // numbers per token in the projections
  std::int64_t next_words_ = 0;          // likely words per token of the translation
  std::int64_t width_ = 0;               // of the model's states
  int steps_heads_ = 0;                  // heads of the attention whose steps are asked for
  std::int64_t number_bytes_;            // of a number in the answer
  std::int64_t max_positions_, longest_piece_;
  std::int64_t max_length_, max_cells_;  // limits of one translation
  // Capacity of the engine: source tokens, and cells, which hold one token of one hypothesis each.
  std::int64_t engine_tokens_, engine_cells_;

  std::int64_t tokens_ = 0, output_tokens_ = 0;
  std::int64_t kept_bytes_ = 0;     // until the answer is written
  std::int64_t search_bytes_ = 0;   // of searches with their traces, if all sentences are searched at the same time
  double max_bytes_per_cell_ = 0;   // the most that a sentence adds to search_bytes_ per cell
  double max_bytes_per_token_ = 0;  // the same per source token
  std::int64_t answer_bytes_ = 0;
  std::int64_t largest_copy_ = 0;  // bytes of the largest part that is copied for the answer
};

}  // namespace dragoman::serve
