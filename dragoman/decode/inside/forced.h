// What a model does with a translation that is given: teacher forcing computes what the steps of a search do, with the
// same bits, so that one can look closer at a sentence when the search is over.
#pragma once

#include <cstdint>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/decode/inside/trace.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/pass.h"

namespace dragoman::decode {

// The queries and keys of one head, to follow equation (1) number by number: its weights are
// softmax(Q K^T / sqrt(d_k)), as far as it may look.
struct HeadProjections {
  nn::Head head;
  std::int64_t d_k = 0;
  std::vector<float> Q, K;  // [queries, d_k] and [keys, d_k]
};

struct ForcedChoice {
  std::vector<nn::Head> projections;   // of which heads; the model must have them
  std::vector<nn::Head> switched_off;  // heads
  bool attention = true;               // whether the weights are wanted
};

struct Forced {
  nn::AttentionSites sites;          // of the model
  std::vector<Attention> attention;  // of each of them
  std::vector<HeadProjections> projections;
};

// The source ends in EOS; so does the target if it was finished.
Forced look_at(Backend& on, const model::Seq2Seq& model, const data::SentencePair& pair,
               const ForcedChoice& choice = {});

}  // namespace dragoman::decode
