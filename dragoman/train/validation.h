// How good a model is on sentences that it does not learn from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/data/batch.h"
#include "dragoman/data/parallel_text.h"
#include "dragoman/eval/tokenizers.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/train/report/metrics.h"

namespace dragoman::train {

struct ValidationLimits {
  std::int64_t batch_tokens = 0;      // on either side at once, at most; a longer pair goes alone
  std::int64_t decode_sentences = 0;  // translated at once
  int bleu_sentences = 0;
  eval::Tokenization bleu_words = eval::Tokenization::k13a;
  int max_length = 0;  // pairs with more tokens on a side are left out
};

class Validator {
 public:
  // Reads and cuts the text. Throws the errors of reading, and a UsageError if there is no pair in it.
  Validator(const data::ParallelFiles& files, const model::Tokenizers& tokenizers, const ValidationLimits& limits);

  std::int64_t pairs() const { return static_cast<std::int64_t>(pairs_.size()); }
  std::int64_t left_out() const { return left_out_; }

  // Perplexity of all pairs; BLEU and samples of the first ones, translated greedily. Depends on the weights alone.
  Validation run(Backend& on, const model::Seq2Seq& model) const;

 private:
  double nll(Backend& on, const model::Seq2Seq& model) const;
  std::vector<std::string> translate(Backend& on, const model::Seq2Seq& model) const;

  model::Tokenizers tokenizers_;
  ValidationLimits limits_;
  std::vector<data::SentencePair> pairs_;
  std::vector<std::string> sources_, references_;  // of the pairs that are translated
  std::int64_t left_out_ = 0;
};

}  // namespace dragoman::train
