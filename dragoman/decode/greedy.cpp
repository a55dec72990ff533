#include "dragoman/decode/greedy.h"

#include <algorithm>

#include "dragoman/autograd/record.h"

namespace dragoman::decode {

namespace {

constexpr std::int64_t kMostExtra = 1'000'000;

struct Choice {
  std::int32_t id;
  double log_probability;
};

// The likeliest token of one row of log-probabilities; the first of equals.
template <class T>
Choice likeliest(std::span<const T> log_p) {
  std::size_t best = data::kEos;
  for (std::size_t v = data::kEos + 1; v < log_p.size(); ++v) {
    if (log_p[v] > log_p[best]) best = v;
  }
  return {static_cast<std::int32_t>(best), static_cast<double>(log_p[best])};
}

// One step for every live row: its likeliest next token.
template <class T>
std::vector<Choice> choose(Backend& on, const model::Seq2Seq& model, std::span<const std::int32_t> ids,
                           model::DecoderState& state) {
  const ArenaScope values(on.arena());
  const Tensor log_p = model::log_probabilities(model, model.step(ids, state));
  const auto V = static_cast<std::size_t>(log_p.dim(1));
  std::vector<T> host(log_p.array().count());
  on.copy_out(log_p.array(), host.data());
  std::vector<Choice> choices;
  for (std::size_t r = 0; r < ids.size(); ++r) choices.push_back(likeliest<T>({host.data() + r * V, V}));
  return choices;
}

}  // namespace

std::vector<Translation> greedy(Backend& on, const model::Seq2Seq& model, std::span<const data::Sentence> sources,
                                std::int64_t max_extra) {
  require<UsageError>(max_extra >= 0 && max_extra <= kMostExtra, "max_extra is ", max_extra, ", but must be 0 to ",
                      kMostExtra, ".");
  std::vector<Translation> translations(sources.size());
  if (sources.empty()) return translations;
  const NoGradient no_gradient;
  const ArenaScope values(on.arena());
  const data::Tokens source = data::make_tokens(on, sources, {.V = model.source_vocabulary(), .index = false});
  nn::Pass pass{.on = on};
  const model::Encoded encoded = model.encode(source, pass);
  const auto limit = [&](std::int32_t b) { return static_cast<std::int64_t>(sources[b].size()) - 1 + max_extra; };
  model::DecoderState state =
      model.start(encoded, source.segments.B, std::max<std::int64_t>(1, source.segments.longest - 1 + max_extra));
  std::vector<std::int32_t> some;  // all, unless the limit leaves a sentence nothing to say
  for (std::int32_t b = 0; b < source.segments.B; ++b) {
    if (limit(b) > 0) some.push_back(b);
  }
  model.reorder(some, state);
  std::vector<std::int32_t> ids(some.size(), model.start_token());
  const bool single = encoded.states.array().dtype() == DType::kFloat32;

  while (state.rows() > 0) {
    const std::vector<Choice> choices =
        single ? choose<float>(on, model, ids, state) : choose<double>(on, model, ids, state);
    std::vector<std::int32_t> live;
    ids.clear();
    for (std::int32_t r = 0; r < state.rows(); ++r) {
      Translation& translation = translations[state.sentences[r]];
      translation.log_probability += choices[r].log_probability;
      translation.finished = choices[r].id == data::kEos;
      if (translation.finished) continue;
      translation.tokens.push_back(choices[r].id);
      if (static_cast<std::int64_t>(translation.tokens.size()) >= limit(state.sentences[r])) continue;
      live.push_back(r);
      ids.push_back(choices[r].id);
    }
    model.reorder(live, state);
  }
  return translations;
}

}  // namespace dragoman::decode
