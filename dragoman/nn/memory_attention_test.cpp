#include "dragoman/nn/memory_attention.h"

#include <gtest/gtest.h>

#include "dragoman/nn/layer_testing.h"

namespace dragoman::nn {
namespace {

constexpr double kContextTolerance = 2e-6;

// The context of s = (.8, -.3) over the states (1, 0), (.5, -1), (-.5, 2), in a decoding step.
struct OneQuery {
  explicit OneQuery(const MemoryAttentionSizes& sizes) : attention(*bench.on, sizes, 0) {}

  Doubles context() {
    Backend& on = *bench.on;
    const Tensor s = bench.tensor({1, 2}, {.8, -.3}), H = bench.tensor({3, 2}, {1, 0, .5, -1, -.5, 2});
    const Memory memory = attention.layer.project(H, bench.segments({3}));
    const MemoryRows rows{make_array(on, {1}, DType::kInt32, {0}), make_array(on, {1}, DType::kInt32, {3}), 3};
    Pass pass{.on = on};
    const Doubles stepped = bench.values(attention.layer.step(s, memory.K.array(), memory.V.array(), rows, pass));
    if (!is_additive(attention.layer.sizes.score)) {
      expect_near(bench.values(attention.layer(s, memory, bench.segments({1}), pass)), stepped, 1e-12);
    }
    return stepped;
  }

  Workbench bench;
  Bound<MemoryAttention> attention;
};

MemoryAttentionSizes sizes(KeyScore score, std::int64_t d_k = 2) {
  return {.score = score, .H = 2, .d_h = 2, .d_k = d_k, .d_v = 2};
}

TEST(MemoryAttention, Products) {
  expect_near(OneQuery(sizes(KeyScore::kDot)).context(), {.661681, -.277392}, kContextTolerance);
  expect_near(OneQuery(sizes(KeyScore::kScaled)).context(), {.599445, -.168025}, kContextTolerance);
  OneQuery general(sizes(KeyScore::kGeneral));
  general.attention.set("W_Q", {.5, -.3, .2, .7});
  expect_near(general.context(), {.599661, -.325187}, kContextTolerance);
}

TEST(MemoryAttention, Additive) {
  for (const KeyScore score : {KeyScore::kAdditive, KeyScore::kAdditiveNormed}) {
    OneQuery additive(sizes(score, 3));
    additive.attention.set("W_Q", {.6, -.2, .1, .3, .5, -.4});
    additive.attention.set("W_K", {.2, .4, -.6, -.5, .1, .3});
    additive.attention.set("b", {.05, 0, -.1});
    additive.attention.set("v", {1, -.7, .5});
    if (score == KeyScore::kAdditive) {
      expect_near(additive.context(), {.417344, .006601}, kContextTolerance);
      continue;
    }
    additive.attention.set("g", {1.5});
    // alpha .297709 .480347 .221944
    expect_near(additive.context(), {.297709 + .5 * .480347 - .5 * .221944, -.480347 + 2 * .221944}, kContextTolerance);
  }
}

TEST(MemoryAttention, Align) {
  OneQuery align(sizes(KeyScore::kAlign));
  align.attention.set("W_Q", {.4, -.1, .2, .9});
  align.attention.set("W_K", {.3, .5, -.2, .6});
  align.attention.set("W_V", {1, .2, -.3, .4});
  expect_near(align.context(), {.438803, .088616}, kContextTolerance);
}

}  // namespace
}  // namespace dragoman::nn
