// The words that a model considers at each position of a translation: the likeliest ones with their probabilities, from
// the model's own output and from each layer as if it were the last ("logit lens").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

struct NextWordsChoice {
  std::int64_t count = 0;  // likeliest words per position; 0 for none
  double temperature = 1;  // probabilities are softmax(logits / temperature)
  bool layers = false;     // also those of each layer of the decoder
};

// The probability distribution of the word at one position.
struct NextWord {
  struct Candidate {
    std::int32_t word;
    double log_p;
  };
  std::vector<Candidate> likeliest;  // descending; the lower id first if two are equal
  std::int32_t word = 0;             // the word that the translation has
  double log_p = 0;                  // of that word
  std::int64_t rank = 0;             // number of words that come before it in the order of `likeliest`
};
using NextWords = std::vector<NextWord>;  // one for each position of the translation

// The distributions that follow from states [rows, width] of the decoder; `target` has the word of each row. With
// temperature 1 the probabilities are those that the kernels computed.
NextWords next_words(const model::Seq2Seq& model, const Tensor& states, std::span<const std::int32_t> target,
                     const NextWordsChoice& choice);

}  // namespace dragoman::decode
