#include "dragoman/ops/embed.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/data/tokens.h"

namespace dragoman::ops {
namespace {

const Dropout kDropout = Dropout::with(0.3, 1, 1, 0);

// The batch has the reserved id 0, a token twice in one sentence and once in another, and a sentence of one token.
Tokens some_tokens(const Workbench& bench, bool index = true) {
  const std::vector<data::Sentence> sentences{{0, 3, 3, 2}, {2}, {5, 3, 2}};
  return data::make_tokens(*bench.on, sentences, {.V = 7, .zero_start = true, .index = index});
}

using Op = decltype(plain::embed);

// The inputs are E, or E and P.
DifferentiableFunction as_function(Op& op, const Workbench& bench, const Tokens& tokens, const Dropout& dropout) {
  return [&op, &bench, tokens, dropout](std::span<const Tensor> x) {
    return op(*bench.on, tokens, x[0], x.size() > 1 ? x[1] : Tensor(), 2.0, dropout);
  };
}

TEST(Embed, WorkedExample) {
  const Workbench bench;
  const Tensor E = bench.tensor({3, 2}, {70, 80, 1, 2, 3, 4}), P = bench.tensor({2, 2}, {0.1, 0.2, 0.3, 0.4});
  const std::vector<data::Sentence> sentences{{2, 1}, {0}};
  const Tokens tokens = data::make_tokens(*bench.on, sentences, {.V = 3, .zero_start = true});
  expect_near(bench.values(embed(*bench.on, tokens, E, P, 10, {})), {30.1, 40.2, 10.3, 20.4, 0.1, 0.2}, 1e-12);
  EXPECT_EQ(bench.values(embed(*bench.on, tokens, E, {}, 10, {})), (Doubles{30, 40, 10, 20, 0, 0}));
}

TEST(Embed, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  const Tokens tokens = some_tokens(bench);
  const Tensor E = bench.random({7, 6}, 1), P = bench.random({5, 6}, 2);
  for (const Dropout& dropout : {Dropout(), kDropout}) {
    expect_gradients_match(as_function(embed, bench, tokens, dropout), {E});
    expect_gradients_match(as_function(embed, bench, tokens, dropout), {E, P});
  }
}

TEST(Embed, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tokens tokens = some_tokens(bench);
    const Tensor E = bench.random({7, 35}, 1), P = bench.random({5, 35}, 2);
    for (const Dropout& dropout : {Dropout(), kDropout}) {
      expect_same_function(as_function(embed, bench, tokens, dropout),
                           as_function(plain::embed, bench, tokens, dropout), {E}, bench.tolerance);
      expect_same_function(as_function(embed, bench, tokens, dropout),
                           as_function(plain::embed, bench, tokens, dropout), {E, P}, bench.tolerance);
    }
  });
}

TEST(Embed, ALongerSentenceThanTheTableIsRefused) {
  const Workbench bench;
  const Tensor E = bench.random({7, 6}, 1), P = bench.random({3, 6}, 2);
  EXPECT_THROW(embed(*bench.on, some_tokens(bench), E, P, 1, {}), UsageError);
}

TEST(Embed, ShapeErrorNamesBothShapes) {
  const Workbench bench;
  const Tensor E = bench.random({7, 6}, 1);
  expect_shape_error(
      [&] {
        embed(*bench.on, some_tokens(bench), E, bench.random({5, 4}, 2), 1, {});
      },
      {"embed", "[7, 6]", "[5, 4]"});
}

TEST(Embed, RecordingNeedsAnIndex) {
  const Workbench bench;
  const Tokens tokens = some_tokens(bench, false);
  const Tensor E = bench.random({7, 6}, 1);
  EXPECT_NO_THROW(embed(*bench.on, tokens, E, {}, 1, {}));
  const Recording recording(*bench.on);
  expect_shape_error([&] { embed(*bench.on, tokens, leaf(*bench.on, E.array()), {}, 1, {}); }, {"embed", "index"});
}

}  // namespace
}  // namespace dragoman::ops
