// Measures how good a model is on sentences that it is not trained on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/eval/tokenizers.h"
#include "dragoman/exchange/exchange.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

struct ValidationLimits {
  std::int64_t batch_tokens = 0;      // most tokens of a batch, on either side; a longer pair is a batch by itself
  std::int64_t decode_sentences = 0;  // number of sentences that are translated at once
  int bleu_sentences = 0;             // number of sentences that are translated for BLEU
  eval::Tokenization bleu_words = eval::Tokenization::k13a;
  int max_length = 0;  // pairs with more tokens on a side are left out
};

class Validator {
 public:
  // Reads and tokenises the text. Throws an Error if it cannot be read, and a UsageError if it has no usable pair.
  Validator(const data::ParallelFiles& files, const model::Tokenizers& tokenizers, const ValidationLimits& limits);

  std::int64_t pairs() const { return static_cast<std::int64_t>(pairs_.size()); }
  std::int64_t left_out() const { return left_out_; }
  // A hash of the pairs.
  std::string key() const;

  // Computes the loss of all pairs, and BLEU and samples from greedy translations of the first ones. The ranks, which
  // all have the same weights, divide the work, and each gets the whole result. It depends only on the weights, not on
  // the number of ranks.
  Validation run(Backend& on, const model::Seq2Seq& model, exchange::Exchange& ranks) const;

 private:
  double nll(Backend& on, const model::Seq2Seq& model, exchange::Exchange& ranks, bool batch_statistics = false) const;
  std::vector<std::string> translate(Backend& on, const model::Seq2Seq& model, exchange::Exchange& ranks) const;

  model::Tokenizers tokenizers_;
  ValidationLimits limits_;
  std::vector<data::SentencePair> pairs_;
  std::vector<std::string> sources_, references_;  // text of the first pairs, which are translated
  std::int64_t left_out_ = 0;
};

}  // namespace dragoman::train
