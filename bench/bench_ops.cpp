// Times the fused ops of the base model one by one, forward and backward. Where a plain composition of the same op
// exists, it is timed too, to show what fusing saves.
//
//   bench_ops --benchmark_filter=attention
#include <benchmark/benchmark.h>

#include <cmath>
#include <functional>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/data/tokens.h"
#include "dragoman/nn/attention.h"
#include "dragoman/ops/add_norm.h"
#include "dragoman/ops/attention.h"
#include "dragoman/ops/embed.h"
#include "dragoman/ops/linear.h"
#include "dragoman/ops/smoothed_cross_entropy.h"

namespace dragoman {
namespace {

constexpr std::int64_t kRows = 2048, kSentence = 32, kModel = 512, kInner = 2048, kVocabulary = 8192;

// A backend with a batch of sentences of equal length, and random tensors.
struct Bench {
  std::unique_ptr<Backend> on = make_backend(Device{});
  RandomStream random{1};
  Tokens tokens;

  Bench() {
    std::vector<data::Sentence> sentences(kRows / kSentence, data::Sentence(kSentence));
    for (data::Sentence& sentence : sentences) {
      for (std::int32_t& id : sentence) id = 1 + static_cast<std::int32_t>(random.below(kVocabulary - 1));
    }
    tokens = data::make_tokens(*on, sentences, {.V = kVocabulary});
  }

  Array values(const Shape& shape) {
    Array x = on->empty(shape, DType::kFloat32);
    for (std::int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = static_cast<float>(0.1 * random.normal());
    return x;
  }

  // Times f on random inputs of these shapes: forward alone, or forward and backward.
  void run(benchmark::State& state, const std::vector<Shape>& shapes, bool with_backward,
           const std::function<Tensor(const std::vector<Tensor>&)>& f) {
    std::vector<Array> inputs;
    for (const Shape& shape : shapes) inputs.push_back(values(shape));
    for (auto step : state) {
      (void)step;
      const Recording recording(*on);
      std::vector<Tensor> leaves;
      for (const Array& input : inputs) leaves.push_back(leaf(*on, input));
      const Tensor y = f(leaves);
      if (!with_backward) continue;
      if (y.array().count() == 1) {
        backward(y);
      } else {
        Array dy = on->empty_like(y.array());
        on->fill(dy, 1.0);
        backward(y, dy);
      }
    }
    state.SetItemsProcessed(state.iterations() * kRows);
  }
};

Dropout dropout_of_a_tenth() { return Dropout::with(0.1, 1, 1, 1); }

void linear(benchmark::State& state, bool fused, bool with_backward) {
  Bench bench;
  bench.run(state, {{kRows, kModel}, {kModel, kInner}, {kInner}}, with_backward, [&](const auto& x) {
    const Activation relu{.relu = true, .dropout = {}, .segments = bench.tokens.segments};
    return fused ? ops::linear(x[0], x[1], x[2], relu) : ops::plain::linear(x[0], x[1], x[2], relu);
  });
}

void add_norm(benchmark::State& state, bool fused, bool with_backward) {
  Bench bench;
  bench.run(state, {{kRows, kModel}, {kRows, kModel}, {kModel}, {kModel}}, with_backward, [&](const auto& x) {
    const Segments& segments = bench.tokens.segments;
    return fused ? ops::add_norm(x[0], x[1], segments, dropout_of_a_tenth(), x[2], x[3], 1e-6).y
                 : ops::plain::add_norm(x[0], x[1], segments, dropout_of_a_tenth(), x[2], x[3], 1e-6).y;
  });
}

void attention(benchmark::State& state, bool fused, bool with_backward) {
  Bench bench;
  constexpr std::int64_t h = 8;
  bench.run(state, {{kRows, kModel}, {kRows, kModel}, {kRows, kModel}}, with_backward, [&](const auto& x) {
    const Reach reach{bench.tokens.segments, bench.tokens.segments, {}};
    if (!fused) return nn::attention_by_sentence(x[0], x[1], x[2], reach, h, {});
    return ops::attention(x[0], x[1], x[2], reach, {.h = h, .scale = 1 / std::sqrt(64.0), .dropout = {}});
  });
}

void embed(benchmark::State& state, bool with_backward) {
  Bench bench;
  bench.run(state, {{kVocabulary, kModel}, {kSentence, kModel}}, with_backward, [&](const auto& x) {
    return ops::embed(*bench.on, bench.tokens, x[0], x[1], std::sqrt(512.0), dropout_of_a_tenth());
  });
}

void smoothed_cross_entropy(benchmark::State& state, bool fused) {
  Bench bench;
  bench.run(state, {{kRows, kModel}, {kVocabulary, kModel}}, true, [&](const auto& x) {
    const ops::LossOptions options{.smoothing = {}, .weight = 1.0 / kRows};
    return fused ? ops::smoothed_cross_entropy(x[0], x[1], {}, bench.tokens.ids, options).loss
                 : ops::plain::smoothed_cross_entropy(x[0], x[1], {}, bench.tokens.ids, options).loss;
  });
}

void adam(benchmark::State& state) {
  Bench bench;
  const Shape shape{std::int64_t{1} << 24};
  Array g = bench.values(shape), theta = bench.values(shape), m = bench.on->empty(shape, DType::kFloat32);
  Array v = bench.on->empty_like(m), no_copy;
  bench.on->fill(m, 0.0);
  bench.on->fill(v, 0.0);
  for (auto step : state) {
    (void)step;
    bench.on->adam(g, {}, {.rate = 1e-4}, theta, m, v, no_copy);
  }
  state.SetBytesProcessed(state.iterations() * shape.count() * 28);  // reads g, m, v, theta; writes m, v, theta
}

void register_all() {
  const auto named = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  for (const bool fused : {true, false}) {
    const std::string form = fused ? "/fused" : "/plain";
    for (const bool with_backward : {false, true}) {
      const std::string name = form + (with_backward ? "/forward+backward" : "/forward");
      named("linear" + name, [=](benchmark::State& state) { linear(state, fused, with_backward); });
      named("add_norm" + name, [=](benchmark::State& state) { add_norm(state, fused, with_backward); });
      named("attention" + name, [=](benchmark::State& state) { attention(state, fused, with_backward); });
    }
    named("smoothed_cross_entropy" + form, [=](benchmark::State& state) { smoothed_cross_entropy(state, fused); });
  }
  named("embed/fused/forward", [](benchmark::State& state) { embed(state, false); });
  named("embed/fused/forward+backward", [](benchmark::State& state) { embed(state, true); });
  named("adam", adam);
}

}  // namespace
}  // namespace dragoman

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  dragoman::register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
