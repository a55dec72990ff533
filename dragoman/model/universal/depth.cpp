#include "dragoman/model/universal/depth.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/depth.h"
#include "dragoman/params/glorot.h"

namespace dragoman::model::universal {
namespace {

// What a step passes to the next one.
struct Carried {
  Tensor H;     // the states
  Tensor O;     // the output: so far or, without halting, after the last step
  Tensor rest;  // what is left of the weight 1 of each token; only with halting
};

// One run of a stack.
class DepthRun {
 public:
  DepthRun(const Depth& depth, const Places& places, nn::SinusoidTable& sinusoids, nn::Pass& pass,
           const Depth::Layer& layer, const Array& embedded)
      : depth_(depth), config_(depth.config), places_(places), pass_(pass), layer_(layer) {
    const DType statistics = accumulation_dtype(embedded.dtype());
    // The table also has the signals of the steps.
    P_ = sinusoids.rows(pass.on, std::max<std::int64_t>(places.bound, config_.T + 1), statistics);
    if (!config_.adaptive()) return;
    steps_ = pass.on.empty({embedded.rows(), 1}, statistics);
    pass.on.fill(steps_, 0.0);
  }

  Carried start(const Tensor& embedded) const {
    if (!config_.adaptive()) return {embedded, {}, {}};
    Array ones = pass_.on.empty_like(steps_);
    pass_.on.fill(ones, 1.0);
    return {embedded, {}, Tensor(pass_.on, ones)};
  }

  // Step t, counted from 1.
  Carried step(int t, const Carried& before) {
    pass_.depth = t - 1;
    const Tensor X = ops::add_coordinates(before.H, places_.position, P_, signal(t));
    if (!config_.adaptive()) {
      const transformer::StackOutput now = layer_(X);
      return {now.x, t == config_.T ? now.y : Tensor(), {}};
    }
    // Whether a token stops is decided by its state before the layer.
    const HaltStep halt_step{.t = t, .last = t == config_.T, .threshold = config_.threshold};
    const ops::HaltWeights halt = ops::halt(X, depth_.w.tensor(), depth_.b.tensor(), halt_step, before.rest, steps_);
    Tensor H = layer_(X).x;
    const OldRows old = config_.act_output == OutputName::kInterpolate ? OldRows::kFade : OldRows::kKeep;
    if (config_.halted == HaltedName::kCopy) {
      H = ops::blend_rows(before.H, H, Tensor(pass_.on, halt.running), OldRows::kFade);
    }
    return {H, ops::blend_rows(before.O, H, halt.weight, old), halt.rest};
  }

  // Whether all tokens have halted, so that further steps would change nothing. It is asked only on the CPU: on other
  // devices the host would have to wait for the answer.
  bool all_halted() const {
    if (!config_.adaptive() || pass_.on.dry() || pass_.on.device().kind != Device::Kind::kCpu) return false;
    const auto none_runs = [this]<class T>(T) {
      std::vector<T> steps(static_cast<std::size_t>(steps_.count()));
      pass_.on.copy_out(steps_, steps.data());
      return std::ranges::find(steps, T{0}) == steps.end();
    };
    return steps_.dtype() == DType::kFloat64 ? none_runs(double{}) : none_runs(float{});
  }

  // N, the number of steps of each token; with halting only.
  const Array& steps() const { return steps_; }

 private:
  ops::StepSignal signal(int t) const {
    if (!depth_.S) return {P_, t, 1.0};
    return {depth_.S.tensor(), t - 1, std::sqrt(static_cast<double>(config_.d_model))};
  }

  const Depth& depth_;
  const UniversalConfig& config_;
  const Places& places_;
  nn::Pass& pass_;
  const Depth::Layer& layer_;
  Tensor P_;
  Array steps_;
};

// Copies what a step computed to memory that outlives the step's. `kept` has this memory from the second step on.
void keep(Backend& on, const Tensor& now, Tensor& kept) {
  if (!now) return;
  on.scaled(now.array(), 1.0, Sink::overwrite(kept.array()));
}

}  // namespace

Depth::Depth(const UniversalConfig& config_, nn::Side side_) : side(side_), config(config_) {
  const std::int64_t d = config.d_model;
  if (config.signal == SignalName::kLearned) {
    S = params::Parameter({config.T, d}, params::Initial::normal(1.0 / std::sqrt(static_cast<double>(d))))
            .used_as(params::Use::kExact);
  }
  if (config.adaptive()) {
    w = params::Parameter({d, 1}, params::Initial::uniform(params::glorot_limit(d, 1))).used_as(params::Use::kExact);
    b = params::Parameter({1}, params::Initial::constant(config.halting_bias)).used_as(params::Use::kExact);
  }
}

Tensor Depth::run(const Tensor& embedded, const Places& places, nn::SinusoidTable& sinusoids, const nn::LayerNorm* ln,
                  Extent extent, nn::Pass& pass, const Layer& layer) const {
  Backend& on = pass.on;
  DepthRun run(*this, places, sinusoids, pass, layer, embedded.array());
  Carried now = run.start(embedded);
  const bool frees = extent == Extent::kSentences && Recording::current() == nullptr;
  Carried kept;
  if (frees) {
    const auto memory_like = [&](const Tensor& x) { return Tensor(on, on.empty_like(x.array())); };
    kept.H = memory_like(embedded);
    kept.O = memory_like(embedded);
    if (now.rest) kept.rest = memory_like(now.rest);
  }
  // An observer expects to see every step.
  const bool may_stop = extent == Extent::kSentences && pass.observer == nullptr;
  const std::uint32_t first_site = pass.call_site;
  for (int t = 1; t <= config.T; ++t) {
    if (frees) {
      const ArenaScope scratch(on.arena());
      const Carried next = run.step(t, now);
      keep(on, next.H, kept.H);
      keep(on, next.O, kept.O);
      keep(on, next.rest, kept.rest);
      now = {kept.H, next.O ? kept.O : Tensor(), next.rest ? kept.rest : Tensor()};
    } else {
      now = run.step(t, now);
    }
    if (may_stop && t < config.T && run.all_halted()) {
      // The dropout masks after this run must not depend on when it ended.
      pass.call_site = first_site + (pass.call_site - first_site) / static_cast<std::uint32_t>(t) *
                                        static_cast<std::uint32_t>(config.T);
      break;
    }
  }
  pass.depth = 0;
  if (!config.adaptive()) return now.O;
  if (pass.observer != nullptr) pass.observer->see_halting(side, run.steps(), now.rest.array());
  if (pass.own_losses != nullptr) {
    const double items = side == nn::Side::kSource ? pass.own_losses->source_weight : pass.own_losses->weight;
    const Tensor ponder = ops::add(Tensor(on, run.steps()), now.rest);  // N + R
    pass.own_losses->losses.push_back(ops::sum(ponder, config.ponder_cost * items));
  }
  return ln != nullptr ? (*ln)(now.O) : now.O;
}

void Depth::parameters(params::ParameterVisitor& visit) {
  visit("S", S);
  visit("halting.w", w);
  visit("halting.b", b);
}

}  // namespace dragoman::model::universal
