#include "dragoman/ops/memory_attention.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/matmul.h"
#include "dragoman/ops/softmax.h"

namespace dragoman::ops {
namespace {

// Two queries of width 3, with 4 and 2 keys: rows 2 to 5 and 0 to 1 of the memory. in: q, K, V, v.
MemoryRows two_sentences(Backend& on) {
  return {make_array(on, {2}, DType::kInt32, {2, 0}), make_array(on, {2}, DType::kInt32, {4, 2}), 4};
}

Tensors inputs(const Workbench& bench) {
  return {bench.random({2, 3}, 1), bench.random({6, 3}, 2), bench.random({6, 5}, 3), bench.random({3}, 4)};
}

Tensor attend(std::span<const Tensor> in, bool additive) {
  Backend& on = in[0].backend();
  const MemoryRows memory = two_sentences(on);
  const Tensor weights = memory_weights(in[0], in[1], {.v = additive ? in[3] : Tensor(), .scale = 0.7}, memory);
  const Tensor whole = record(on.empty({2, 5}, in[0].array().dtype()), {in[0]}, [](const Array&, Sinks&) {});
  const Tensor context = row_range(whole, 0, 2);
  memory_mix(weights, in[2], memory, context);
  return context;
}

// The same with simple ops, sentence by sentence.
Tensor composed(std::span<const Tensor> in, bool additive) {
  Tensor contexts;
  for (const auto& [query, first, count] : {std::array<std::int64_t, 3>{0, 2, 4}, {1, 0, 2}}) {
    const Tensor q = rows(in[0], query, 1), K = rows(in[1], first, count);
    Tensor scores = matmul(q, K, Transpose::kYes);
    if (additive) {
      const Tensor repeated = stack_rows(std::vector<Tensor>(static_cast<std::size_t>(count), q));
      Tensor sums;
      const Tensor T = tanh(repeated + K);
      for (std::int64_t j = 0; j < count; ++j) {
        const Tensor times_v = matmul(rows(T, j, 1), transpose(stack_rows({in[3]})));
        sums = sums ? concat({sums, times_v}) : times_v;
      }
      scores = sums;
    }
    const Tensor context = matmul(softmax(scores * 0.7), rows(in[2], first, count));
    contexts = contexts ? stack_rows({contexts, context}) : context;
  }
  return contexts;
}

TEST(MemoryAttentionOp, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  for (const bool additive : {false, true}) {
    expect_gradients_match([&](auto in) { return attend(in, additive); }, inputs(bench));
  }
}

TEST(MemoryAttentionOp, FusedAgreesWithComposition) {
  on_each_kernel_case([](const Workbench& bench) {
    for (const bool additive : {false, true}) {
      expect_same_function([&](auto in) { return attend(in, additive); },
                           [&](auto in) { return composed(in, additive); }, inputs(bench), bench.tolerance * 10);
    }
  });
}

}  // namespace
}  // namespace dragoman::ops
