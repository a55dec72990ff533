// The likelihood of given translations under one or several models: teacher forcing, without dropout or label
// smoothing.
#pragma once

#include <span>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/decode/inside/pondering.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

// -log P(target | source) of each pair, in nats: the sum over the target's tokens, EOS included. Apart from the sign it
// equals, bit for bit, the log-probability that a search computes for the same words. Several models vote with the mean
// of their probabilities, as they do in a search.
// If the first model halts and `pondering` is given, it receives the steps of the tokens of all pairs together.
std::vector<double> negative_log_likelihoods(Backend& on, std::span<const model::Seq2Seq* const> models,
                                             std::span<const data::SentencePair> pairs, Pondering* pondering = nullptr);

}  // namespace dragoman::decode
