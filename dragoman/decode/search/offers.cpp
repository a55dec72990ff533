#include "dragoman/decode/search/offers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dragoman/backend/absent_words.h"

namespace dragoman::decode {
namespace {

std::vector<double> doubles_of(Backend& on, const Array& x) {
  std::vector<double> values(static_cast<std::size_t>(x.count()));
  if (x.dtype() == DType::kFloat64) {
    on.copy_out(x, values.data());
  } else {
    std::vector<float> singles(values.size());
    on.copy_out(x, singles.data());
    std::ranges::copy(singles, values.begin());
  }
  return values;
}

// The k likeliest words of one model and, if `all`, the logits of every word, [rows, V].
BestWords best_words(Backend& on, const model::Seq2Seq& model, const Tensor& states, std::int64_t k, bool all) {
  const DType dtype = accumulation_dtype(states.array().dtype());
  const std::int64_t rows = states.rows(), V = model.target_vocabulary();
  const BestWords best{.ids = on.empty({rows, k}, DType::kInt32),
                       .logits = on.empty({rows, k}, dtype),
                       .log_sums = on.empty({rows}, dtype),
                       .all = all ? on.empty({rows, V}, dtype) : Array()};
  model::best_words(model, states, best);
  return best;
}

}  // namespace

Offers::Offers(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states,
               std::int64_t k, bool all)
    : rows_(states[0].rows()),
      k_(k),
      V_(models[0]->target_vocabulary()),
      finite_(static_cast<std::size_t>(rows_), true) {
  const ArenaScope scratch(on.arena());
  if (models.size() == 1) {
    read_best(on, *models[0], states[0], all);
  } else {
    vote(on, models, states);
  }
}

void Offers::read_best(Backend& on, const model::Seq2Seq& model, const Tensor& states, bool all) {
  const BestWords best = best_words(on, model, states, k_, all);
  ids_.resize(static_cast<std::size_t>(rows_ * k_));
  on.copy_out(best.ids, ids_.data());
  log_p_ = doubles_of(on, best.logits);
  const std::vector<double> log_sums = doubles_of(on, best.log_sums);
  check(log_sums);
  if (all) all_ = doubles_of(on, best.all);
  for (std::int64_t r = 0; r < rows_; ++r) {
    for (std::int64_t i = 0; i < k_; ++i) log_p_[r * k_ + i] -= log_sums[r];
    for (std::int64_t v = 0; all && v < V_; ++v) all_[r * V_ + v] -= log_sums[r];
  }
}

void Offers::vote(Backend& on, std::span<const model::Seq2Seq* const> models, std::span<const Tensor> states) {
  all_.assign(static_cast<std::size_t>(rows_ * V_), 0);
  for (std::size_t m = 0; m < models.size(); ++m) {
    const BestWords best = best_words(on, *models[m], states[m], 1, true);
    const std::vector<double> logits = doubles_of(on, best.all), log_sums = doubles_of(on, best.log_sums);
    check(log_sums);
    for (std::int64_t i = 0; i < rows_ * V_; ++i) all_[i] += std::exp(logits[i] - log_sums[i / V_]);
  }
  for (double& p : all_) p = std::log(p / static_cast<double>(models.size()));
  ids_.assign(static_cast<std::size_t>(rows_ * k_), kNoWord);
  log_p_.assign(ids_.size(), -std::numeric_limits<double>::infinity());
  std::vector<std::int32_t> words(static_cast<std::size_t>(V_ - kFirstWord));
  const std::int64_t offered = std::min<std::int64_t>(k_, V_ - kFirstWord);
  for (std::int64_t r = 0; r < rows_; ++r) {
    if (!finite_[r]) continue;  // NaN has no place in an order
    const double* log_p = all_.data() + r * V_;
    std::iota(words.begin(), words.end(), kFirstWord);
    std::ranges::partial_sort(words, words.begin() + offered, [&](std::int32_t a, std::int32_t b) {
      return log_p[a] != log_p[b] ? log_p[a] > log_p[b] : a < b;
    });
    for (std::int64_t i = 0; i < offered; ++i) {
      ids_[r * k_ + i] = words[i];
      log_p_[r * k_ + i] = log_p[words[i]];
    }
  }
}

// Checking the sum of each row is enough: a single NaN among the scores makes it NaN.
void Offers::check(const std::vector<double>& log_sums) {
  for (std::int64_t r = 0; r < rows_; ++r) finite_[r] = finite_[r] && std::isfinite(log_sums[r]);
}

bool Offers::are_finite(std::int64_t first, std::int64_t count) const {
  return std::find(finite_.begin() + first, finite_.begin() + first + count, false) == finite_.begin() + first + count;
}

Offer Offers::row(std::int64_t r) const {
  const auto first = static_cast<std::size_t>(r * k_);
  std::size_t offered = 0;
  const auto is_word = [this](std::size_t i) { return ids_[i] != kNoWord && log_p_[i] > kAbsentBias; };
  while (offered < static_cast<std::size_t>(k_) && is_word(first + offered)) ++offered;
  return {.ids = std::span(ids_).subspan(first, offered),
          .log_p = std::span(log_p_).subspan(first, offered),
          .all = all_.empty() ? std::span<const double>() : std::span(all_).subspan(r * V_, V_)};
}

}  // namespace dragoman::decode
