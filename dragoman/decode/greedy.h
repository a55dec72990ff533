// Greedy decoding: the likeliest next token, until the end of the sentence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/data/tokens.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

struct Translation {
  data::Sentence tokens;  // without EOS
  double log_probability = 0;
  bool finished = false;  // false: the limit came before EOS
};

// At most (source tokens without EOS) + max_extra tokens, EOS included, are generated for a sentence, whatever its
// batch mates. Ties go to the lowest id; the ids of PAD and BOS are never generated.
std::vector<Translation> greedy(Backend& on, const model::Seq2Seq& model, std::span<const data::Sentence> sources,
                                std::int64_t max_extra = 50);

}  // namespace dragoman::decode
