// How likely models find translations that are given: teacher forcing, without dropout and with nothing smoothed.
#pragma once

#include <span>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

// -log P(target | source) of each pair, in nats: the sum over the target's tokens, EOS included. These are the bits
// that a search adds up for the same words. Several models vote, as they do in a search.
std::vector<double> negative_log_likelihoods(Backend& on, std::span<const model::Seq2Seq* const> models,
                                             std::span<const data::SentencePair> pairs);

}  // namespace dragoman::decode
