// A recurrent model that is small enough to be computed by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dragoman/nn/layer_testing.h"
#include "dragoman/nn/memory_attention.h"
#include "dragoman/nn/recurrent_layer.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/linear.h"
#include "dragoman/ops/smoothed_cross_entropy.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::nn {

// A whole model of scalars: the encoder h = tanh(.5 x + .8 h + .1) reads x = 1, -1, 2. The decoder
// s = tanh(.6 e + .4 c + .5 s - .05) starts from the encoder's last state. The logits of A, B and EOS are
// s (.7, -.6, .2) + c (-.3, .8, .1) + (0, .1, -.1). The target is B A EOS.
struct ScalarModel {
  struct Weights {
    RecurrentLayer encoder{CellSizes{.kind = CellKind::kVanilla, .in = 1, .H = 1}, false};
    Cell decoder{CellSizes{.kind = CellKind::kVanilla, .in = 1, .context = 1, .H = 1}};
    Linear from_s, from_c;
    Parameter embeddings{{3, 1}, params::Initial::constant(0)};  // of BOS, B, A

    Weights() {
      from_s.W = Parameter({1, 3}, params::Initial::constant(0));
      from_s.b = Parameter({3}, params::Initial::constant(0));
      from_c.W = Parameter({1, 3}, params::Initial::constant(0));
    }
    void parameters(ParameterVisitor& visit) {
      visit.inside("enc", encoder);
      visit.inside("dec", decoder);
      visit("from_s", from_s.W);
      visit("bias", from_s.b);
      visit("from_c", from_c.W);
      visit("e", embeddings);
    }
  };

  explicit ScalarModel(const Workbench& bench_) : bench(bench_), weights(*bench.on) {
    weights.set("enc.forwards.W", {.5}), weights.set("enc.forwards.U", {.8}), weights.set("enc.forwards.b", {.1});
    weights.set("dec.W", {.6}), weights.set("dec.C", {.4}), weights.set("dec.U", {.5}), weights.set("dec.b", {-.05});
    weights.set("from_s", {.7, -.6, .2}), weights.set("from_c", {-.3, .8, .1}), weights.set("bias", {0, .1, -.1});
    weights.set("e", {.3, .9, -.5});
  }

  // The states of the decoder, the contexts, the loss and, for each step, the cross-entropy and the weights of
  // attention.
  struct Run {
    Tensor s, c, loss;
    Array nll;
    std::vector<Doubles> weights;
  };
  // What each step reads: `path` gives the keys that hard attention chooses, and backward reads `credit` [3].
  struct Choices {
    std::vector<int> path;
    Array credit;
  };
  Run run(const MemoryAttention* attention, Pass& pass, const Choices* choices = nullptr) {
    Run result;
    const Segments segments = bench.segments({3});
    const data::TimeRows rows = data::time_rows(*bench.on, segments, segments);
    const Weights& w = weights.layer;
    const RecurrentLayer::Output encoded = w.encoder(bench.tensor({3, 1}, {1, -1, 2}), rows);
    // A copy, because columns of a parameter are no views.
    const Tensor e = ops::add(w.embeddings.tensor(), bench.tensor({3, 1}, {0, 0, 0}));
    CellLoop loop(w.decoder, w.decoder.W(e), {ops::take_rows(encoded.last.h, rows.sorted), {}}, rows);
    const Tensor contexts = loop_rows(e, 3, 1, DType::kFloat64);
    loop.set_context_inputs({contexts.array()});
    const Memory memory{encoded.states, encoded.states, segments};
    std::optional<AttentionLoop> attend;
    if (attention != nullptr) attend.emplace(*attention, memory, rows, contexts, loop.states_before(), pass);
    for (std::int64_t t = 0; t < 3; ++t) {
      if (choices != nullptr) {
        const MemoryRows all = rows.first_memory(1);
        const Tensor alpha = ops::memory_weights(loop.before(t).h, memory.K, {}, all), c = row_range(contexts, t, 1);
        const auto key = static_cast<double>(choices->path[static_cast<std::size_t>(t)]);
        ops::ChosenKeys keys{.chosen = make_array(*bench.on, {1}, DType::kInt32, {key})};
        keys.credit.credit = choices->credit.columns(t, 1);
        ops::chosen_mix(alpha, keys, memory.V, all, c);
        result.weights.push_back(bench.values(alpha));
        loop.step(t, c);
      } else if (attend) {
        loop.step(t, attend->step(t, loop.before(t).h));
      } else {
        const Tensor c = row_range(contexts, t, 1);
        ops::store_part(ops::take_rows(encoded.last.h, rows.sorted), c);
        loop.step(t, c);
      }
    }
    const Tensor logits = ops::add(w.from_s(loop.states().h), w.from_c(contexts));
    const Array targets = make_array(*bench.on, {3}, DType::kInt32, {1, 0, 2});
    const Tensor unit = bench.tensor({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    const ops::LossTerms terms = ops::smoothed_cross_entropy(logits, unit, {}, targets, {.smoothing = {.epsilon = 0}});
    result.s = loop.states().h;
    result.c = contexts;
    result.loss = terms.loss;
    result.nll = terms.nll;
    return result;
  }
  double gradient(const std::string& name, std::size_t i = 0) { return weights.gradient(name)[i]; }

  const Workbench& bench;
  Bound<Weights> weights;
};

}  // namespace dragoman::nn
