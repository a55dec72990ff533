#include "dragoman/decode/inside/likelihood.h"

#include <algorithm>
#include <optional>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/search/offers.h"

namespace dragoman::decode {
namespace {

constexpr std::int64_t kScoresAtOnce = 1 << 22;  // most log-probabilities in memory at a time

class PonderingObserver final : public nn::Observer {
 public:
  PonderingObserver(Backend& on, Pondering& pondering) : on_(on), pondering_(pondering) {}
  void see(int, int, const Array&, const Reach&) override {}
  void see_halting(nn::Side side, const Array& steps, const Array& rest) override {
    add_pondering(on_, steps, rest, pondering_.side(side));
  }

 private:
  Backend& on_;
  Pondering& pondering_;
};

// The decoder states that predict each target token, [R, d_model].
Tensor forced_states(Backend& on, const model::Seq2Seq& model, std::span<const data::SentencePair> pairs,
                     nn::Observer* observer) {
  nn::Pass pass{.on = on, .observer = observer};
  const data::Batch batch = data::make_batch(on, pairs,
                                             {.V_source = model.source_vocabulary(),
                                              .V_target = model.target_vocabulary(),
                                              .start_token = model.start_token()});
  return model.decode(batch.target, model.encode(batch.source, pass), pass);
}

}  // namespace

std::vector<double> negative_log_likelihoods(Backend& on, std::span<const model::Seq2Seq* const> models,
                                             std::span<const data::SentencePair> pairs, Pondering* pondering) {
  std::vector<double> sums(pairs.size(), 0.0);
  if (pairs.empty()) return sums;
  const NoGradient no_gradient;
  const ArenaScope values(on.arena()), host(on.host_arena());
  std::vector<Tensor> states;
  std::optional<PonderingObserver> observer;
  if (pondering != nullptr && models[0]->halts()) observer.emplace(on, *pondering);
  for (const model::Seq2Seq* model : models) {
    states.push_back(forced_states(on, *model, pairs, observer && model == models[0] ? &*observer : nullptr));
  }

  const std::int64_t R = states[0].rows();
  const std::int64_t max_rows = std::max<std::int64_t>(1, kScoresAtOnce / models[0]->target_vocabulary());
  std::size_t pair = 0, token = 0;
  for (std::int64_t first = 0; first < R; first += max_rows) {
    const std::int64_t rows = std::min(max_rows, R - first);
    std::vector<Tensor> part;
    for (const Tensor& all : states) part.emplace_back(on, all.array().row_range(first, rows));
    const Offers offers(on, models, part, 1, true);  // true: with the log-probabilities of all words
    for (std::int64_t r = 0; r < rows; ++r) {
      require<Error>(offers.are_finite(r, 1), kNotFinite);
      const data::Sentence& target = pairs[pair].target;
      sums[pair] -= offers.row(r).all[target[token]];
      if (++token < target.size()) continue;
      ++pair;
      token = 0;
    }
  }
  return sums;
}

}  // namespace dragoman::decode
