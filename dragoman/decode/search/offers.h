// The result of one decoding step for a search: the likeliest next words of every row, with their log-probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/decode/search/search.h"
#include "dragoman/model/seq2seq.h"

namespace dragoman::decode {

// Why a sentence has no translation although nothing is wrong with it.
inline constexpr std::string_view kNotFinite =
    "the model's scores are not finite numbers: its weights are damaged or far too large.";

class Offers {
 public:
  // Computes the k likeliest words of each row from the decoder states [rows, d_model] of each model, and the
  // log-probabilities of all words if `all`. Several models vote with the mean of their probabilities.
  Offers(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states, std::int64_t k,
         bool all);

  // Whether the scores of these rows are finite numbers in every model. The offer of a row without must not be used.
  bool are_finite(std::int64_t first, std::int64_t count) const;
  Offer row(std::int64_t r) const;

 private:
  void read_best(Backend& on, const model::Seq2Seq& model, const Tensor& states, bool all);
  void vote(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states);
  void check(const std::vector<double>& log_sums);

  std::int64_t rows_, k_, V_;
  std::vector<std::int32_t> ids_;  // [rows, k]
  std::vector<double> log_p_;      // [rows, k]
  std::vector<double> all_;        // [rows, V]; empty unless all words were asked for or several models vote
  std::vector<bool> finite_;       // [rows]
};

}  // namespace dragoman::decode
