#include "dragoman/ops/step_products.h"

#include <gtest/gtest.h>

#include "dragoman/autograd/testing.h"
#include "dragoman/data/row_index.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/linear.h"
#include "dragoman/ops/take_rows.h"

namespace dragoman::ops {
namespace {

// Two steps with 3 and 2 rows of x, side by side with the same products at once. in: x [5, 4], W [4, 3], b [3].
Tensor in_steps(std::span<const Tensor> in, const StepInputs& inputs) {
  const StepProducts products(in[1], in[2], 5, inputs);
  return stack_rows({tanh(products(row_range(in[0], 0, 3), 0)), products(row_range(in[0], 3, 2), 3)});
}
Tensor at_once(std::span<const Tensor> in) {
  const Tensor y = linear(in[0], in[1], in[2]);
  return stack_rows({tanh(row_range(y, 0, 3)), row_range(y, 3, 2)});
}

TEST(StepProducts, AgreeWithOneProductForAllSteps) {
  on_each_kernel_case([](const Workbench& bench) {
    const Tensors in{bench.random({5, 4}, 1), bench.random({4, 3}, 2), bench.random({3}, 3)};
    expect_same_function([&](auto x) { return in_steps(x, {}); }, at_once, in, bench.tolerance * 10);
    expect_same_function([&](auto x) { return in_steps(x, {x[0].array()}); }, at_once, in, bench.tolerance * 10);
  });
}

TEST(StepProducts, FindTheirInputsByAnIndex) {
  const Workbench bench;
  const Tensors in{bench.random({5, 4}, 1), bench.random({4, 3}, 2), bench.random({3}, 3)};
  const std::vector<std::int32_t> rows{4, 0, 1, 2, 3}, back{1, 2, 3, 4, 0};
  const RowIndex moved = data::row_index(*bench.on, rows, 5), index = data::row_index(*bench.on, back, 5);
  expect_same_function(
      [&](auto x) {
        return in_steps(x, {take_rows(Tensor(*bench.on, x[0].array()), moved).array(), index});
      },
      at_once, in, 1e-12);
}

TEST(StepProducts, GradientMatchesFiniteDifferences) {
  const Workbench bench;
  expect_gradients_match([&](auto x) { return in_steps(x, {}); },
                         {bench.random({5, 4}, 1), bench.random({4, 3}, 2), bench.random({3}, 3)});
}

// The steps add b to the last two columns of their products themselves.
TEST(StepProducts, SumTheGradientOfABiasThatTheStepsAdd) {
  const Workbench bench;
  const auto with_bias = [&](std::span<const Tensor> in) {
    const StepProducts products(in[1], {}, 2, {}, in[2]);
    const Tensor y = products(in[0], 0), tail = columns(y, 1, 2);
    const Array sum = bench.on->empty_like(tail.array());
    Array writable = sum;
    bench.on->add_bias(tail.array(), in[2].array(), writable);
    return record(sum, {tail}, [on = bench.on.get()](const Array& d, Sinks& s) { on->scaled(d, 1.0, s.into(0)); });
  };
  expect_gradients_match(with_bias, {bench.random({2, 4}, 1), bench.random({4, 3}, 2), bench.random({2}, 3)});
}

}  // namespace
}  // namespace dragoman::ops
