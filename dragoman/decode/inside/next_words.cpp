#include "dragoman/decode/inside/next_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/inside/host_values.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::decode {
namespace {

constexpr std::int64_t kRowsAtOnce = 32;  // bounds the memory of the probabilities of all words

// log softmax(logits / temperature), from log softmax(logits).
std::vector<double> tempered(std::span<const float> log_p, double temperature) {
  std::vector<double> result(log_p.begin(), log_p.end());
  if (temperature == 1) return result;
  for (double& value : result) value /= temperature;
  const double largest = std::ranges::max(result);
  double sum = 0;
  for (const double value : result) sum += std::exp(value - largest);
  for (double& value : result) value -= largest + std::log(sum);
  return result;
}

NextWord distribution(std::span<const float> row, std::int32_t chosen, const NextWordsChoice& choice) {
  const std::vector<double> log_p = tempered(row, choice.temperature);
  const auto before = [&](std::int32_t a, std::int32_t b) {
    return log_p[a] != log_p[b] ? log_p[a] > log_p[b] : a < b;
  };
  std::vector<std::int32_t> words(log_p.size());
  std::iota(words.begin(), words.end(), 0);
  NextWord next;
  next.word = chosen;
  next.log_p = log_p[chosen];
  next.rank = std::ranges::count_if(words, [&](std::int32_t word) { return before(word, chosen); });
  const auto end = words.begin() + std::min(choice.count, std::ssize(words));
  std::partial_sort(words.begin(), end, words.end(), before);
  for (auto word = words.begin(); word != end; ++word) next.likeliest.push_back({*word, log_p[*word]});
  return next;
}

}  // namespace

NextWords next_words(const model::Seq2Seq& model, const Tensor& states, std::span<const std::int32_t> target,
                     const NextWordsChoice& choice) {
  const NoGradient no_gradient;
  Backend& on = states.backend();
  NextWords found;
  const auto V = static_cast<std::size_t>(model.target_vocabulary());
  for (std::int64_t first = 0; first < states.rows(); first += kRowsAtOnce) {
    const ArenaScope scratch(on.arena());
    const std::int64_t count = std::min(kRowsAtOnce, states.rows() - first);
    const Tensor log_p = model::log_probabilities(model, ops::rows(states, first, count));
    const std::vector<float> values = floats_on_host(on, log_p.array());
    for (std::int64_t r = 0; r < count; ++r) {
      found.push_back(distribution(std::span(values).subspan(static_cast<std::size_t>(r) * V, V),
                                   target[static_cast<std::size_t>(first + r)], choice));
    }
  }
  return found;
}

}  // namespace dragoman::decode
