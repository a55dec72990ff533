#include "dragoman/decode/inside/forced.h"

#include "dragoman/autograd/record.h"
#include "dragoman/decode/inside/host_values.h"

namespace dragoman::decode {
namespace {

// Records what the model shows while it processes one sentence.
class ForcedObserver final : public nn::Observer {
 public:
  // `target` has the words that the rows of the decoder predict.
  ForcedObserver(Backend& on, const model::Seq2Seq& model, const data::Sentence& target, const ForcedChoice& choice)
      : on_(on), model_(model), target_(target), choice_(choice) {
    forced.sites = model.sites();
    forced.attention.resize(forced.sites.size());
    if (choice.steps) steps.emplace(on, forced.sites, *choice.steps);
  }

  void see(int site, int layer, const Array& weights, const Reach& reach) override {
    if (steps) steps->see(site, layer, weights, reach);
    Attention& seen = forced.attention[static_cast<std::size_t>(site)];
    ++seen.layers;
    seen.queries = reach.queries.R;
    seen.keys = reach.keys.R;
    h_ = seen.heads = weights.count() / (seen.queries * seen.keys);
    if (!choice_.attention) return;
    const std::vector<float> host = floats_on_host(on_, weights.reshaped({h_ * seen.queries, seen.keys}));
    seen.weights.insert(seen.weights.end(), host.begin(), host.end());
  }

  void see_projections(int site, int layer, const Array& Q, const Array& K, const Array& v) override {
    const std::int64_t d_k = Q.cols() / h_;
    for (const nn::Head& head : choice_.projections) {
      if (head.site != site || head.layer != layer) continue;
      const std::int64_t first = head.head * d_k;
      forced.projections.push_back({.head = head,
                                    .d_k = d_k,
                                    .Q = floats_on_host(on_, Q.columns(first, d_k)),
                                    .K = floats_on_host(on_, K.columns(first, d_k)),
                                    .v = {}});
      if (v) forced.projections.back().v = floats_on_host(on_, v.columns(first, d_k));
    }
  }

  bool wants_states() const override { return choice_.next_words.count > 0 && choice_.next_words.layers; }
  void see_state(nn::Side side, int, const Array& state) override {
    if (side == nn::Side::kSource) return;
    forced.layer_words.push_back(next_words(model_, Tensor(on_, state), target_, choice_.next_words));
  }

  void see_halting(nn::Side side, const Array& N, const Array& rest) override {
    add_pondering(on_, N, rest, forced.pondering.side(side));
  }

  void see_steps(const nn::AttentionSteps& seen) override { show(seen); }
  void see_steps(const nn::FeedForwardSteps& seen) override { show(seen); }
  void see_steps(const nn::AddNormSteps& seen) override { show(seen); }

  Forced forced;
  std::optional<StepsRecorder> steps;

 private:
  void show(const auto& seen) {
    if (steps) steps->see(seen);
  }

  Backend& on_;
  const model::Seq2Seq& model_;
  const data::Sentence& target_;
  const ForcedChoice& choice_;
  std::int64_t h_ = 1;  // heads of the attention that see() was shown last
};

}  // namespace

Forced run_forced(Backend& on, const model::Seq2Seq& model, const data::SentencePair& pair,
                  const ForcedChoice& choice) {
  const NoGradient no_gradient;
  const ArenaScope values(on.arena()), host(on.host_arena());
  ForcedObserver observer(on, model, pair.target, choice);
  const auto tokens = [&](const data::Sentence& sentence, std::int64_t V) {
    return data::make_tokens(on, std::span(&sentence, 1),
                             {.V = V, .zero_start = model.start_token() == kPad, .index = false});
  };
  data::Sentence read = pair.target;  // the decoder's input: the target shifted right by one token
  read.insert(read.begin(), model.start_token());
  read.pop_back();
  const nn::HeadsOff source_off{0, std::ssize(pair.source), choice.switched_off};
  const nn::HeadsOff target_off{0, std::ssize(read), choice.switched_off};
  nn::Pass encoding{.on = on, .observer = &observer, .heads_off = std::span(&source_off, 1)};
  nn::Pass decoding{.on = on, .observer = &observer, .heads_off = std::span(&target_off, 1)};
  const model::Encoded encoded = model.encode(tokens(pair.source, model.source_vocabulary()), encoding);
  const Tensor states = model.decode(tokens(read, model.target_vocabulary()), encoded, decoding);
  if (choice.next_words.count > 0) {
    observer.forced.next_words = next_words(model, states, pair.target, choice.next_words);
  }
  if (observer.steps) observer.forced.steps = observer.steps->take();
  return std::move(observer.forced);
}

}  // namespace dragoman::decode
