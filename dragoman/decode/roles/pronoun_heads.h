// Finds the heads that know what a pronoun stands for. From "it", or while its translation is written, such a head
// looks at the animal in "the animal didn't cross the street because it was too tired", and at the street if "it was
// too wide".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/sites.h"

namespace dragoman::decode {

// A sentence with a pronoun, and its translation. Words are numbered from 0, as separated by spaces.
struct PronounSentence {
  data::SentencePair pair;                    // both sides end in EOS
  std::int64_t pronoun = 0, translation = 0;  // in the source and in the target
  std::int64_t meant = 0, other = 0;  // the word that the pronoun stands for, and one that it could be mistaken for
};

// What a head does in many sentences.
struct PronounHead {
  // The weights from the pronoun to the two words of a sentence.
  struct Weights {
    double meant = 0, other = 0;

    bool right() const { return meant > other; }
  };

  nn::Head head;
  std::vector<Weights> sentences;

  double share() const;  // of the sentences in which the head prefers the right word; 0 if there are none
};

// One entry for each head of the sites that attend to the source. The queries are the tokens of the pronoun or, at
// cross-attention, those that choose the tokens of its translation. A word's weight is the sum over its tokens, and the
// mean over the queries.
std::vector<PronounHead> pronoun_heads(Backend& on, const model::Seq2Seq& model, const model::Tokenizers& tokenizers,
                                       std::span<const PronounSentence> sentences);

}  // namespace dragoman::decode
