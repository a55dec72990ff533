// Finds the heads that know what a pronoun stands for. From "it", such a head looks at the animal in "the animal didn't
// cross the street because it was too tired", and at the street if "it was too wide".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/nn/sites.h"

namespace dragoman::decode {

// A sentence with a pronoun. Words are numbered from 0, as separated by spaces.
struct PronounSentence {
  data::Sentence source;  // ends in EOS
  std::int64_t pronoun = 0;
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

// One entry for each head of the sites at which the source attends to itself. A word's weight is the sum over its
// tokens; for a pronoun of several tokens, it is the mean over them.
std::vector<PronounHead> pronoun_heads(Backend& on, const model::Seq2Seq& model, const model::Tokenizers& tokenizers,
                                       std::span<const PronounSentence> sentences);

}  // namespace dragoman::decode
