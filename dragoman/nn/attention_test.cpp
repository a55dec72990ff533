#include "dragoman/nn/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/attention.h"
#include "dragoman/ops/matmul.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::nn {
namespace {

constexpr Mask kAll{}, kCausal{.kind = Mask::Kind::kCausal};
constexpr Mask window(std::int64_t r) { return {.kind = Mask::Kind::kAll, .r = r}; }
constexpr Mask causal_window(std::int64_t r) { return {.kind = Mask::Kind::kCausal, .r = r}; }

// Both kinds of windows of each of these sizes, causal and not. A sentence may be shorter than a window, a window may
// be smaller than a block of queries of the kernel, and it may need several blocks of keys.
std::vector<Mask> windows() {
  std::vector<Mask> all;
  for (const std::int64_t r : {1, 2, 11, 16, 33, 65, 129}) {
    for (const Mask::Kind kind : {Mask::Kind::kAll, Mask::Kind::kCausal}) {
      for (const Mask::Window shape : {Mask::Window::kSliding, Mask::Window::kBlock}) {
        all.push_back({.kind = kind, .r = r, .window = shape});
      }
    }
  }
  return all;
}
std::string name_of(const Mask& mask) {
  return join(mask.kind == Mask::Kind::kCausal ? "causal " : "", names(mask.window)[static_cast<int>(mask.window)],
              " window of ", mask.r);
}

TEST(AttentionWeights, WorkedExample) {
  const Workbench bench;
  Doubles keys(64, 1.75);  // q . k = 112 and 96
  keys.insert(keys.end(), 64, 1.5);
  const Tensor Q = bench.tensor({1, 64}, Doubles(64, 1.0)), K = bench.tensor({2, 64}, keys);
  expect_near(bench.values(attention_weights(Q, K, kAll)), {0.880797, 0.119203}, 1e-6);
}

TEST(AttentionWeights, MaskedKeysGetNothing) {
  const Workbench bench;
  // d_k = 1: the scores of each query are 1, 2, 3.
  const Tensor Q = bench.tensor({3, 1}, {1, 1, 1}), K = bench.tensor({3, 1}, {1, 2, 3});
  const Doubles causal = bench.values(attention_weights(Q, K, kCausal));
  expect_near({causal.begin() + 3, causal.begin() + 6}, {0.268941, 0.731059, 0}, 1e-6);
  const Tensor beyond = attention_weights(bench.random({4, 1}, 1), bench.random({1, 1}, 2), window(3));
  EXPECT_EQ(bench.values(beyond), (Doubles{1, 1, 0, 0}));
}

TEST(AttentionWeights, AWindowHidesTheKeysOutsideIt) {
  const Workbench bench;
  constexpr int n = 9;
  const Tensor Q = bench.random({n, 2}, 1), K = bench.random({n, 2}, 2);
  for (const int r : {1, 2, 3, 4, 7}) {
    const Doubles centred = bench.values(attention_weights(Q, K, window(r)));
    const Doubles causal = bench.values(attention_weights(Q, K, causal_window(r)));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(centred[i * n + j] > 0, std::abs(i - j) <= r / 2) << r << " " << i << " " << j;
        EXPECT_EQ(causal[i * n + j] > 0, i - r < j && j <= i) << r << " " << i << " " << j;
      }
    }
  }
}

TEST(AttentionWeights, ABlockHidesTheOtherBlocks) {
  const Workbench bench;
  constexpr int n = 9;
  const Tensor Q = bench.random({n, 2}, 1), K = bench.random({n, 2}, 2);
  for (const int r : {1, 2, 3, 4, 7, 12}) {
    constexpr Mask::Window kBlock = Mask::Window::kBlock;
    const Doubles whole = bench.values(attention_weights(Q, K, {.r = r, .window = kBlock}));
    const Doubles past = bench.values(attention_weights(Q, K, {.kind = Mask::Kind::kCausal, .r = r, .window = kBlock}));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(whole[i * n + j] > 0, i / r == j / r) << r << " " << i << " " << j;
        EXPECT_EQ(past[i * n + j] > 0, i / r == j / r && j <= i) << r << " " << i << " " << j;
      }
    }
  }
}

// Section 3.2.1, footnote: products of independent components of variance 1 have variance d_k.
TEST(AttentionWeights, ScalingGivesProductsUnitVariance) {
  const Workbench bench;
  Doubles signs;
  for (int pattern = 0; pattern < 16; ++pattern) {
    for (int c = 0; c < 4; ++c) signs.push_back(pattern >> c & 1 ? 1 : -1);
  }
  const Tensor all = bench.tensor({16, 4}, signs);
  double sum = 0, squares = 0;
  for (const double product : bench.values(ops::matmul(all, all, Transpose::kYes))) {
    sum += product;
    squares += product * product;
  }
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(squares / 256, 4);
  EXPECT_EQ(squares / 256 / std::sqrt(4.0) / std::sqrt(4.0), 1);
}

// Stores the weights that it observes.
struct StoringObserver : Observer {
  explicit StoringObserver(const Workbench& bench_) : bench(bench_) {}
  void see(int, int, const Array& w, const Reach&) override { weights = bench.values(w); }

  const Workbench& bench;
  Doubles weights;
};

// Self-attention with two heads, in numbers small enough to be worked out by hand.
struct Example {
  Example() : layer({.d_model = 4, .h = 2, .d_k = 2, .d_v = 2}, 0, 0) {
    for (const params::NamedTensor& tensor : block.tensors()) {
      bench.on->scaled(bench.tensor(tensor.shape, kWeights.at(tensor.name)).array(), 1, Sink::overwrite(tensor.values));
    }
  }

  // The output, row by row, for one sentence.
  Doubles operator()(const Doubles& x, const Mask& mask, Observer* observer = nullptr) {
    const ArenaScope scratch(bench.on->arena());
    const auto n = static_cast<int>(x.size() / 4);
    const Segments sentence = bench.segments({n});
    Pass pass{.on = *bench.on, .observer = observer};
    return bench.values(layer(bench.tensor({n, 4}, x), {sentence, sentence, mask}, pass));
  }

  static inline const std::map<std::string, Doubles> kWeights = {
      {"W_Q", {.1, .2, .3, .4, .5, -.1, .2, 0, 0, .3, -.2, .1, .2, 0, .1, -.3}},
      {"W_K", {.2, -.1, 0, .3, .1, .4, -.2, 0, .3, 0, .1, .2, -.1, .2, .5, .1}},
      {"W_V", {.3, .1, 0, -.2, 0, .2, .4, .1, .1, -.3, .2, 0, .5, 0, -.1, .2}},
      {"W_O", {.2, 0, .1, .3, .1, .5, 0, -.1, 0, .2, .3, .1, -.2, .1, 0, .4}},
  };
  static inline const Doubles kX = {1, 0, 2, -1, 0, 1, 1, .5, 2, -1, 0, 1};
  // [head, query, key]: 2 x 3 x 3.
  static inline const Doubles kAttentionWeights = {.275663, .450617, .273720, .381773, .338532, .279695,
                                                   .294658, .406486, .298855, .373672, .280620, .345709,
                                                   .326689, .336061, .337251, .284790, .295039, .420171};
  static inline const Doubles kOutput = {.112884, -.077488, .096378, .093941,  .095684, -.092923,
                                         .096481, .102419,  .111596, -.093169, .075475, .097175};

  Workbench bench;
  SelfAttention layer;
  params::ParameterBlock block{*bench.on, DType::kFloat64, layer, params::Purpose::kInference};
};

TEST(MultiHeadAttention, WorkedExample) {
  Example example;
  StoringObserver seen(example.bench);
  expect_near(example(Example::kX, kAll, &seen), Example::kOutput, 1e-6);
  expect_near(seen.weights, Example::kAttentionWeights, 1e-6);
}

TEST(MultiHeadAttention, WorkedExampleWithoutTheFuture) {
  Example example;
  StoringObserver seen(example.bench);
  const Doubles output = example(Example::kX, kCausal, &seen);
  const Doubles last(Example::kOutput.begin() + 8, Example::kOutput.end());
  expect_near({output.begin(), output.begin() + 4}, {.03, -.19, .15, -.06}, 1e-6);
  expect_near({output.begin() + 4, output.begin() + 8}, {.020850, -.060508, .174056, .094781}, 1e-6);
  expect_near({output.begin() + 8, output.end()}, last, 1e-6);
  expect_near({seen.weights.begin(), seen.weights.begin() + 6}, {1, 0, 0, .530016, .469984, 0}, 1e-6);
  expect_near({seen.weights.begin() + 9, seen.weights.begin() + 15}, {1, 0, 0, .492929, .507071, 0}, 1e-6);
  expect_near({seen.weights.begin() + 6, seen.weights.begin() + 9}, {.294658, .406486, .298855}, 1e-6);
}

// Rows (3, 1, 2) of a matrix of four columns.
Doubles reordered(const Doubles& x) {
  Doubles y(x.begin() + 8, x.end());
  y.insert(y.end(), x.begin(), x.begin() + 8);
  return y;
}

TEST(MultiHeadAttention, ReorderedTokensGiveReorderedOutputsUnlessTheMaskIsCausal) {
  Example example;
  const Doubles x = reordered(Example::kX);
  expect_near(example(x, kAll), reordered(example(Example::kX, kAll)), 1e-12);
  const Doubles a = example(x, kCausal), b = reordered(example(Example::kX, kCausal));
  double apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) apart = std::max(apart, std::abs(a[i] - b[i]));
  EXPECT_GT(apart, 0.01);
}

TEST(MultiHeadAttention, EqualTokensGetEqualOutputs) {
  Example example;
  const Doubles y = example({1, 0, 2, -1, 0, 1, 1, .5, 1, 0, 2, -1}, kAll);
  EXPECT_EQ(Doubles(y.begin(), y.begin() + 4), Doubles(y.begin() + 8, y.end()));
}

TEST(MultiHeadAttention, ObservingChangesNoBit) {
  Example example;
  StoringObserver seen(example.bench);
  for (const Mask& mask : {kAll, kCausal, window(3)}) {
    EXPECT_EQ(example(Example::kX, mask), example(Example::kX, mask, &seen));
    for (std::size_t row = 0; row < seen.weights.size(); row += 3) {
      EXPECT_NEAR(seen.weights[row] + seen.weights[row + 1] + seen.weights[row + 2], 1, 1e-14);
    }
  }
}

// The fused kernel and its definition, for the same Q [R_q, h d_k], K [R_k, h d_k] and V [R_k, h d_v].
struct Pair {
  std::int64_t h, d_k, d_v;
  Reach reach;
  Dropout dropout;

  DifferentiableFunction fused() const {
    const Heads heads{.h = h, .scale = 1 / std::sqrt(static_cast<double>(d_k)), .dropout = dropout};
    return [reach = reach, heads](std::span<const Tensor> x) { return ops::attention(x[0], x[1], x[2], reach, heads); };
  }
  DifferentiableFunction definition() const {
    return [*this](std::span<const Tensor> x) { return attention_by_sentence(x[0], x[1], x[2], reach, h, dropout); };
  }
  Tensors inputs(const Workbench& bench) const {
    return {bench.random({reach.queries.R, h * d_k}, 1), bench.random({reach.keys.R, h * d_k}, 2),
            bench.random({reach.keys.R, h * d_v}, 3)};
  }
};

void expect_agreement(const Workbench& bench, const Pair& pair, double slack = 1) {
  expect_same_function(pair.fused(), pair.definition(), pair.inputs(bench), slack * bench.tolerance);
}

TEST(Attention, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({3, 1, 66, 130, 1}), memory = bench.segments({1, 70, 2, 65, 1});
    for (const Dropout& dropout : {Dropout(), Dropout::with(0.3, 1, 1, 0)}) {
      for (const Mask& mask : {kAll, kCausal, window(5), window(131), causal_window(4), causal_window(100)}) {
        expect_agreement(bench, {3, 5, 7, {self, self, mask}, dropout}, 4);
      }
      expect_agreement(bench, {2, 7, 5, {self, memory, kAll}, dropout}, 4);
      expect_agreement(bench, {2, 7, 5, {self, memory, window(3)}, dropout}, 4);
    }
  });
}

TEST(Attention, WindowsAgreeWithTheComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({3, 1, 40, 150, 17}), memory = bench.segments({1, 70, 0, 90, 33});
    for (const Mask& mask : windows()) {
      SCOPED_TRACE(name_of(mask));
      expect_agreement(bench, {2, 3, 5, {self, self, mask}, {}}, 4);
      expect_agreement(bench, {2, 3, 5, {self, memory, mask}, Dropout::with(0.3, 1, 1, 0)}, 4);
    }
  });
}

TEST(Attention, ALongSentenceAgreesWithTheComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({2000});
    expect_agreement(bench, {1, 4, 3, {self, self, kAll}, {}}, 4);
    expect_agreement(bench, {1, 4, 3, {self, self, kCausal}, {}}, 4);
  });
}

TEST(Attention, QueriesThatSeeNothingGiveZeros) {
  on_each_kernel_case([](const Workbench& bench) {
    const Pair pair{2, 3, 2, {bench.segments({2, 2, 3}), bench.segments({2, 0, 3}), kAll}, {}};
    const Evaluation result = evaluate(pair.fused(), pair.inputs(bench));
    EXPECT_EQ(Doubles(result.y.begin() + 2 * 4, result.y.begin() + 4 * 4), Doubles(8, 0.0));
    EXPECT_EQ(Doubles(result.gradients[0].begin() + 2 * 6, result.gradients[0].begin() + 4 * 6), Doubles(12, 0.0));
    expect_agreement(bench, pair);
    const Reach past_the_keys{bench.segments({6}), bench.segments({2}), causal_window(2)};
    expect_agreement(bench, {2, 3, 2, past_the_keys, {}});
  });
}

TEST(Attention, AWindowOverAllKeysIsFullAttentionBitForBit) {
  on_each_kernel_case([](const Workbench& bench) {
    constexpr int n = 70;
    const Segments self = bench.segments({n, 3});
    for (const std::int64_t r : {2 * n - 1, 2 * n, 1000}) {
      const Pair all{2, 5, 3, {self, self, kAll}, {}}, wide{2, 5, 3, {self, self, window(r)}, {}};
      const Pair past{2, 5, 3, {self, self, kCausal}, {}}, wide_past{2, 5, 3, {self, self, causal_window(r)}, {}};
      const Evaluation a = evaluate(all.fused(), all.inputs(bench)), b = evaluate(wide.fused(), wide.inputs(bench));
      EXPECT_EQ(a.y, b.y);
      EXPECT_EQ(a.gradients, b.gradients);
      const Evaluation c = evaluate(past.fused(), all.inputs(bench)),
                       d = evaluate(wide_past.fused(), all.inputs(bench));
      EXPECT_EQ(c.y, d.y);
      EXPECT_EQ(c.gradients, d.gradients);
    }
  });
}

TEST(Attention, BatchMatesChangeNoBit) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments together = bench.segments({5, 70, 1, 9}), alone = bench.segments({70});
    const Pair batch{2, 3, 4, {together, together, kCausal}, {}}, single{2, 3, 4, {alone, alone, kCausal}, {}};
    const Tensors all = batch.inputs(bench);
    Tensors one;
    for (const Tensor& x : all) one.emplace_back(*bench.on, x.array().row_range(5, 70));
    const Tensor of_all = batch.fused()(all), of_one = single.fused()(one);
    EXPECT_EQ(bench.values(of_one), bench.values(of_all.array().row_range(5, 70)));
  });
}

// The sentences of a batch one by one, and the whole batch with another number of threads.
TEST(Attention, NeitherBatchMatesNorThreadsChangeABitOfAWindow) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Workbench bench({Device{}, dtype, 0});
    const std::unique_ptr<Backend> three = make_backend(Device{}, {.threads = 3});
    const Segments together = bench.segments({5, 70, 1, 90}), alone = bench.segments({70});
    const auto rows = [](const Doubles& x) { return Doubles(x.begin() + 5 * 6, x.begin() + 75 * 6); };
    for (const Mask& mask : windows()) {
      SCOPED_TRACE(name_of(mask));
      const Pair batch{2, 3, 3, {together, together, mask}, {}}, single{2, 3, 3, {alone, alone, mask}, {}};
      const Tensors all = batch.inputs(bench);
      Tensors one, elsewhere;
      for (const Tensor& x : all) one.emplace_back(*bench.on, x.array().row_range(5, 70));
      for (const Tensor& x : all) elsewhere.emplace_back(*three, x.array());
      const Evaluation a = evaluate(batch.fused(), all), b = evaluate(batch.fused(), elsewhere);
      EXPECT_EQ(a.y, b.y);
      EXPECT_EQ(a.gradients, b.gradients);
      EXPECT_EQ(rows(a.y), bench.values(single.fused()(one)));
    }
  }
}

// Row i of the step is a hypothesis with the first i tokens of the sentence in the cells 0 to i - 1; its new token goes
// to a cell of its own, number n + i.
TEST(Attention, AStepWithinAWindowHasTheBitsOfTheWholeSentence) {
  constexpr std::int64_t n = 150, h = 2, d = 8;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Workbench bench({Device{}, dtype, 0});
    const Segments self = bench.segments({n});
    const Tensor Q = bench.random({n, h * d}, 1), K = bench.random({n, h * d}, 2), V = bench.random({n, h * d}, 3);
    const Tensor room = bench.tensor({n, h * d}, Doubles(n * h * d, 0.0));
    Doubles cells(n * n, 0.0), lengths;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t t = 0; t < i; ++t) cells[i * n + t] = static_cast<double>(t);
      cells[i * n + i] = static_cast<double>(n + i);
      lengths.push_back(static_cast<double>(i));
    }
    const CachedKeys cache{.K = ops::stack_rows({K, room}).array(),
                           .V = ops::stack_rows({V, room}).array(),
                           .cells = make_array(*bench.on, {n, n}, DType::kInt32, cells),
                           .lengths = make_array(*bench.on, {n}, DType::kInt32, lengths)};
    const Heads heads{.h = h, .scale = 0.5, .dropout = {}};
    for (const Mask& mask : windows()) {
      if (mask.kind != Mask::Kind::kCausal) continue;
      SCOPED_TRACE(name_of(mask));
      Array O = bench.on->empty({n, h * d}, dtype), no_weights;
      bench.on->attention_cached(Q.array(), K.array(), V.array(), cache, mask, heads, O, no_weights);
      EXPECT_EQ(bench.values(O), bench.values(ops::attention(Q, K, V, {self, self, mask}, heads)));
    }
  }
}

// Few queries take other loops than many, and so do keys whose width is no multiple of four. Keys need several blocks,
// and wide heads other memory.
TEST(Attention, AStepOverTheMemoryHasTheBitsOfTheWholeSentence) {
  constexpr std::int64_t n_q = 9, n_k = 75, h = 2;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Workbench bench({Device{}, dtype, 0});
    for (const std::int64_t d : {6, 12, 132, 516}) {
      const Tensor Q = bench.random({n_q, h * d}, 1), K = bench.random({n_k, h * d}, 2),
                   V = bench.random({n_k, h * d}, 3);
      const Heads heads{.h = h, .scale = 0.5, .dropout = {}};
      const Reach reach{bench.segments({n_q}), bench.segments({n_k}), kAll};
      const Doubles whole = bench.values(ops::attention(Q, K, V, reach, heads));
      for (std::int64_t queries = 1; queries <= n_q; ++queries) {
        SCOPED_TRACE(join(queries, " queries of width ", d));
        const MemoryRows memory{make_array(*bench.on, {queries}, DType::kInt32, Doubles(queries, 0.0)),
                                make_array(*bench.on, {queries}, DType::kInt32, Doubles(queries, n_k)), n_k};
        Array O = bench.on->empty({queries, h * d}, dtype), no_weights;
        bench.on->attention_memory(Q.array().row_range(0, queries), K.array(), V.array(), memory, heads, O, no_weights);
        EXPECT_EQ(bench.values(O), Doubles(whole.begin(), whole.begin() + queries * h * d));
      }
    }
  }
}

TEST(Attention, FutureTokensDoNotChangeThePast) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({80});
    const Pair pair{2, 3, 4, {self, self, kCausal}, {}};
    Tensors x = pair.inputs(bench);
    const Doubles before = bench.values(pair.fused()(x).array().row_range(0, 71));
    for (Tensor& tensor : x) {
      Array future = tensor.array().row_range(71, 9);
      bench.on->fill(future, 100.0);
    }
    EXPECT_EQ(bench.values(pair.fused()(x).array().row_range(0, 71)), before);
  });
}

TEST(Attention, WrittenWeightsAreThoseOfTheDefinition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Segments self = bench.segments({70}), memory = bench.segments({67});
    const Tensor Q = bench.random({70, 4}, 1), K = bench.random({67, 4}, 2), V = bench.random({67, 4}, 3);
    std::vector<Mask> masks = windows();
    masks.insert(masks.end(), {kAll, kCausal, window(9)});
    for (const Mask& mask : masks) {
      SCOPED_TRACE(name_of(mask));
      Array weights;
      const Heads heads{.h = 1, .scale = 0.5, .dropout = Dropout::with(0.3, 1, 1, 0)};
      ops::attention(Q, K, V, {self, memory, mask}, heads, &weights);
      expect_near(bench.values(weights), bench.values(attention_weights(Q, K, mask)), bench.tolerance);
    }
  });
}

}  // namespace
}  // namespace dragoman::nn
