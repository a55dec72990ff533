// The scores that can take the place of scaled products in multi-head attention.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "dragoman/autograd/testing.h"
#include "dragoman/nn/attention.h"
#include "dragoman/ops/additive_attention.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/attention.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::nn {
namespace {

constexpr Mask kEverything{}, kPast{.kind = Mask::Kind::kCausal};
constexpr Mask centred(std::int64_t r) { return {.kind = Mask::Kind::kAll, .r = r}; }
constexpr Mask last(std::int64_t r) { return {.kind = Mask::Kind::kCausal, .r = r}; }

// Keeps the weights and the vector v of the scores.
struct ScoreObserver : Observer {
  explicit ScoreObserver(const Workbench& bench_) : bench(bench_) {}
  void see(int, int, const Array& seen, const Reach&) override { weights = bench.values(seen); }
  void see_projections(int, int, const Array&, const Array&, const Array& seen) override {
    v = seen ? bench.values(seen) : Doubles();
  }

  const Workbench& bench;
  Doubles weights, v;
};

// The self-attention of attention_test.cpp's worked example with another score.
struct ScoredExample {
  explicit ScoredExample(AttentionScore score)
      : layer({.d_model = 4, .h = 2, .d_k = 2, .d_v = 2, .score = score}, 0, 0) {
    const std::map<std::string, Doubles> weights = {
        {"W_Q", {.1, .2, .3, .4, .5, -.1, .2, 0, 0, .3, -.2, .1, .2, 0, .1, -.3}},
        {"W_K", {.2, -.1, 0, .3, .1, .4, -.2, 0, .3, 0, .1, .2, -.1, .2, .5, .1}},
        {"W_V", {.3, .1, 0, -.2, 0, .2, .4, .1, .1, -.3, .2, 0, .5, 0, -.1, .2}},
        {"W_O", {.2, 0, .1, .3, .1, .5, 0, -.1, 0, .2, .3, .1, -.2, .1, 0, .4}},
        {"v", {.8, -.5, .6, 1}},
    };
    for (const params::NamedTensor& tensor : block.tensors()) {
      bench.on->scaled(bench.tensor(tensor.shape, weights.at(tensor.name)).array(), 1, Sink::overwrite(tensor.values));
    }
  }

  void expect(const Doubles& weights, const Doubles& output) {
    const Tensor x = bench.tensor({3, 4}, {1, 0, 2, -1, 0, 1, 1, .5, 2, -1, 0, 1});
    const Segments sentence = bench.segments({3});
    ScoreObserver seen(bench);
    Pass pass{.on = *bench.on, .observer = &seen};
    expect_near(bench.values(layer(x, {sentence, sentence, kEverything}, pass)), output, 5e-7);
    expect_near(seen.weights, weights, 5e-7);
    EXPECT_EQ(seen.v, layer.multi_head.v ? (Doubles{.8, -.5, .6, 1}) : Doubles());
  }

  Workbench bench;
  SelfAttention layer;
  params::ParameterBlock block{*bench.on, DType::kFloat64, layer, params::Purpose::kInference};
};

TEST(AttentionScores, WorkedExampleOfPlainProducts) {
  ScoredExample(AttentionScore::kDot)
      .expect({.250391, .501710, .247899, .401978, .339134, .258888, .278058, .438267, .283675, .390197, .260252,
               .349551, .323956, .337177, .338867, .264234, .277782, .457984},
              {.113900, -.075880, .093867, .084812, .089966, -.098233, .093745, .096809, .112308, -.099000, .063315,
               .088494});
}

TEST(AttentionScores, WorkedExampleOfAdditiveScores) {
  ScoredExample(AttentionScore::kAdditive)
      .expect({.444644, .260389, .294967, .402904, .248238, .348857, .452920, .244279, .302801, .253579, .297549,
               .448872, .264300, .254504, .481196, .279699, .296765, .423536},
              {.093601, -.128638, .061362, .085483, .111333, -.126750, .056521, .087297, .094544, -.125142, .069249,
               .087958});
}

TEST(AttentionScores, OnlyAdditiveScoresHaveAVectorForEachHead) {
  for (const AttentionScore score : {AttentionScore::kScaled, AttentionScore::kDot, AttentionScore::kAdditive}) {
    SelfAttention layer({.d_model = 12, .h = 3, .d_k = 5, .d_v = 4, .score = score}, 0, 0);
    params::ParameterVisitor visitor;
    layer.parameters(visitor);
    std::int64_t found = 0;
    for (const params::NamedTensor& tensor : visitor.tensors()) {
      if (tensor.name != "v") continue;
      found += tensor.shape.count();
      EXPECT_DOUBLE_EQ(tensor.initial.amount, std::sqrt(6.0 / (5 + 1)));
    }
    EXPECT_EQ(found, score == AttentionScore::kAdditive ? 3 * 5 : 0);
  }
}

// Additive attention and its definition, for the same Q [R_q, h d_k], K [R_k, h d_k], V [R_k, h d_v] and v [h, d_k].
struct AdditivePair {
  std::int64_t h, d_k, d_v;
  Reach reach;
  Dropout dropout;

  DifferentiableFunction fused() const {
    return [*this](std::span<const Tensor> x) {
      return ops::additive_attention(x[0], x[1], x[2], x[3], reach, {.h = h, .scale = 1, .dropout = dropout});
    };
  }
  DifferentiableFunction definition() const {
    return [*this](std::span<const Tensor> x) {
      const auto weights = [v = x[3]](const Tensor& Q, const Tensor& K, const Mask& mask, std::int64_t i) {
        return additive_weights(Q, K, ops::rows(v, i, 1), mask);
      };
      return attention_by_sentence(x[0], x[1], x[2], reach, h, dropout, weights);
    };
  }
  Tensors inputs(const Workbench& bench) const {
    return {bench.random({reach.queries.R, h * d_k}, 1), bench.random({reach.keys.R, h * d_k}, 2),
            bench.random({reach.keys.R, h * d_v}, 3), bench.random({h, d_k}, 4)};
  }
};

void expect_additive_agreement(const Workbench& bench, const AdditivePair& pair, double slack = 4) {
  expect_same_function(pair.fused(), pair.definition(), pair.inputs(bench), slack * bench.tolerance);
}

TEST(AdditiveAttention, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({3, 1, 34, 1}), memory = bench.segments({1, 37, 2, 5});
    for (const Dropout& dropout : {Dropout(), Dropout::with(0.3, 1, 1, 0)}) {
      for (const Mask& mask : {kEverything, kPast, centred(5), last(4), last(100)}) {
        expect_additive_agreement(bench, {3, 5, 7, {self, self, mask}, dropout});
      }
      expect_additive_agreement(bench, {2, 9, 3, {self, memory, kEverything}, dropout});
      expect_additive_agreement(bench, {2, 9, 3, {self, memory, centred(3)}, dropout});
    }
  });
}

TEST(AdditiveAttention, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Segments self = bench.segments({3, 1, 4}), memory = bench.segments({2, 5, 1});
  for (const Dropout& dropout : {Dropout(), Dropout::with(0.3, 1, 1, 0)}) {
    for (const AdditivePair& pair : {AdditivePair{2, 3, 2, {self, self, kPast}, dropout},
                                     AdditivePair{2, 3, 2, {self, memory, kEverything}, dropout},
                                     AdditivePair{1, 4, 3, {self, self, centred(3)}, dropout}}) {
      expect_gradients_match(pair.fused(), pair.inputs(bench));
    }
  }
}

TEST(AdditiveAttention, QueriesThatSeeNothingGiveZeros) {
  on_each_kernel_case([](const Workbench& bench) {
    const AdditivePair pair{2, 3, 2, {bench.segments({2, 2, 3}), bench.segments({2, 0, 3}), kEverything}, {}};
    const Evaluation result = evaluate(pair.fused(), pair.inputs(bench));
    EXPECT_EQ(Doubles(result.y.begin() + 2 * 4, result.y.begin() + 4 * 4), Doubles(8, 0.0));
    EXPECT_EQ(Doubles(result.gradients[0].begin() + 2 * 6, result.gradients[0].begin() + 4 * 6), Doubles(12, 0.0));
    const Reach past_the_keys{bench.segments({6}), bench.segments({2}), last(2)};
    expect_additive_agreement(bench, {2, 3, 2, past_the_keys, {}});
  });
}

TEST(AdditiveAttention, BatchMatesAndThreadsChangeNoBit) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments together = bench.segments({5, 20, 1, 9}), alone = bench.segments({20});
    const AdditivePair batch{2, 3, 4, {together, together, kPast}, {}}, single{2, 3, 4, {alone, alone, kPast}, {}};
    const Tensors all = batch.inputs(bench);
    Tensors one;
    for (std::size_t i = 0; i < 3; ++i) one.emplace_back(*bench.on, all[i].array().row_range(5, 20));
    one.push_back(all[3]);
    EXPECT_EQ(bench.values(single.fused()(one)), bench.values(batch.fused()(all).array().row_range(5, 20)));
  });
}

TEST(AdditiveAttention, GradientsDoNotDependOnThreads) {
  const auto gradients = [](int threads) {
    Workbench bench({Device{}, DType::kFloat32, 1e-5});
    bench.on = make_backend(Device{}, {.threads = threads});
    const Segments self = bench.segments({7, 30, 2, 11});
    const AdditivePair pair{2, 5, 3, {self, self, kPast}, Dropout::with(0.2, 1, 1, 0)};
    return evaluate(pair.fused(), pair.inputs(bench)).gradients;
  };
  EXPECT_EQ(gradients(1), gradients(3));
}

TEST(AdditiveAttention, WrittenWeightsAreThoseOfTheDefinition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({20}), memory = bench.segments({17});
    const Tensor Q = bench.random({20, 4}, 1), K = bench.random({17, 4}, 2), V = bench.random({17, 4}, 3),
                 v = bench.random({1, 4}, 4);
    for (const Mask& mask : {kEverything, kPast, centred(9)}) {
      Array weights;
      const Heads heads{.h = 1, .scale = 0.5, .dropout = Dropout::with(0.3, 1, 1, 0)};
      ops::additive_attention(Q, K, V, v, {self, memory, mask}, heads, &weights);
      expect_near(bench.values(weights), bench.values(additive_weights(Q, K, v, mask)), bench.tolerance);
    }
  });
}

// The contract of the steps: see model/transformer/steps_test.cpp for whole models.
TEST(AdditiveAttention, AStepOverTheMemoryHasTheBitsOfTheWholeSentence) {
  on_each_kernel_case([](const Workbench& bench) {
    Backend& on = *bench.on;
    const Segments queries = bench.segments({1, 1}), keys = bench.segments({4, 9});
    const Tensor Q = bench.random({2, 6}, 1), K = bench.random({13, 6}, 2), V = bench.random({13, 4}, 3),
                 v = bench.random({2, 3}, 4);
    const Heads heads{.h = 2, .scale = 1, .dropout = {}};
    const MemoryRows memory{make_array(on, {2}, DType::kInt32, {0, 4}), make_array(on, {2}, DType::kInt32, {4, 9}), 9};
    Array O = on.empty({2, 4}, bench.dtype), weights = on.empty({2, 2, 9}, bench.dtype);
    on.additive_attention_memory(Q.array(), K.array(), V.array(), v.array(), memory, heads, O, weights);
    Array whole;
    const Tensor expected = ops::additive_attention(Q, K, V, v, {queries, keys, kEverything}, heads, &whole);
    const bool exact = on.device().kind == Device::Kind::kCpu;
    expect_near(bench.values(O), bench.values(expected), exact ? 0 : bench.tolerance);
    const Doubles seen = bench.values(weights.reshaped({4, 9})), of_whole = bench.values(whole);
    expect_near({seen.begin(), seen.begin() + 9}, {of_whole[0], of_whole[1], of_whole[2], of_whole[3], 0, 0, 0, 0, 0},
                exact ? 0 : bench.tolerance);
    expect_near({seen.begin() + 18, seen.end()}, {of_whole.begin() + 8, of_whole.end()}, exact ? 0 : bench.tolerance);
  });
}

TEST(AdditiveAttention, ShapeErrorNamesTheShapes) {
  const Workbench bench;
  const Segments self = bench.segments({3});
  const Tensor x = bench.random({3, 4}, 1);
  expect_shape_error(
      [&] {
        ops::additive_attention(x, x, x, bench.random({4, 1}, 2), {self, self, {}},
                                {.h = 2, .scale = 1, .dropout = {}});
      },
      {"additive_attention", "2 heads", "[3, 4]", "[4, 1]"});
}

}  // namespace
}  // namespace dragoman::nn
