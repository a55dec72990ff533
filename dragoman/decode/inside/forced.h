// Looks inside a model while it processes a given translation. Teacher forcing computes bit for bit what the steps of a
// search computed, so that a sentence can be examined after its search is over.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/decode/inside/next_words.h"
#include "dragoman/decode/inside/pondering.h"
#include "dragoman/decode/inside/steps.h"
#include "dragoman/decode/inside/trace.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/pass.h"

namespace dragoman::decode {

// The queries and keys of one head, to follow its weights number by number. The weights are the softmax, over the keys
// that the mask allows, of the scores that nn::AttentionSite::score names: Q K^T / sqrt(d_k) for equation (1).
struct HeadProjections {
  nn::Head head;
  std::int64_t d_k = 0;
  std::vector<float> Q, K;  // [queries, d_k] and [keys, d_k]
  std::vector<float> v;     // [d_k], of additive scores; otherwise empty
};

struct ForcedChoice {
  std::vector<nn::Head> projections;   // heads whose queries and keys are returned; the model must have them
  std::vector<nn::Head> switched_off;  // heads that are switched off
  bool attention = true;               // whether attention weights are returned
  NextWordsChoice next_words = {};
  std::optional<StepsChoice> steps = std::nullopt;  // the steps of a layer to return
};

struct Forced {
  nn::AttentionSites sites;          // of the model
  std::vector<Attention> attention;  // one for each site
  std::vector<HeadProjections> projections;
  NextWords next_words;                // the model's own distribution at each position; if asked for
  std::vector<NextWords> layer_words;  // the same for each layer of the decoder, if the model shows its states
  std::optional<LayerSteps> steps;     // if asked for
  Pondering pondering;                 // of a model that halts
};

// Runs the pair through the model. The source ends in EOS; so does the target unless its search stopped at the limit.
Forced run_forced(Backend& on, const model::Seq2Seq& model, const data::SentencePair& pair,
                  const ForcedChoice& choice = {});

}  // namespace dragoman::decode
