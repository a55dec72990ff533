// The result of one decoding step for a search: the likeliest next words of every row, with their log-probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/decode/search/search.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

class Offers {
 public:
  // Computes the k likeliest words of each row from the decoder states [rows, d_model] of each model, and the
  // log-probabilities of all words if `all`. Several models vote with the mean of their probabilities. Throws an Error
  // if the scores of a model are not finite.
  Offers(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states, std::int64_t k,
         bool all);

  Offer row(std::int64_t r) const;

 private:
  void read_best(Backend& on, const model::Seq2Seq& model, const Tensor& states, bool all);
  void vote(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states);

  std::int64_t rows_, k_, V_;
  std::vector<std::int32_t> ids_;  // [rows, k]
  std::vector<double> log_p_;      // [rows, k]
  std::vector<double> all_;        // [rows, V]; empty unless all words were asked for or several models vote
};

}  // namespace dragoman::decode
