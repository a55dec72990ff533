// What a step of the models offers every row: the likeliest next words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/decode/search/search.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

class Offers {
 public:
  // From the states [rows, d_model] of each model: the k likeliest words of each row, and all of them if `all`. Several
  // models vote with the mean of their probabilities. Throws an Error if a model's scores are not numbers.
  Offers(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states, std::int64_t k,
         bool all);

  Offer row(std::int64_t r) const;

 private:
  void read_best(Backend& on, const model::Seq2Seq& model, const Tensor& states, bool all);
  void vote(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states);

  std::int64_t rows_, k_, V_;
  std::vector<std::int32_t> ids_;  // [rows, k]
  std::vector<double> log_p_;      // [rows, k]
  std::vector<double> all_;        // [rows, V], or nothing
};

}  // namespace dragoman::decode
