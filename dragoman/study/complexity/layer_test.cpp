#include "dragoman/study/complexity/layer.h"

#include <gtest/gtest.h>

#include <vector>

#include "dragoman/backend/testing.h"
#include "dragoman/base/fields.h"
#include "dragoman/study/complexity/measure.h"
#include "dragoman/study/complexity/testing.h"

namespace dragoman::study {
namespace {

using Lengths = std::vector<std::int64_t>;

void expect_counts_of_formula(Backend& on, DType dtype, LayerKind kind, const LayerSizes& sizes,
                              const Lengths& lengths) {
  SCOPED_TRACE(join(to_string(kind), " of width ", sizes.d, ", r = ", sizes.r, ", k = ", sizes.k,
                    sizes.causal ? ", causal" : ""));
  std::int64_t forward = 0, with_backward = 0;
  for (const std::int64_t n : lengths) {
    forward += closed_form(kind, sizes, n).forward();
    with_backward += closed_form(kind, sizes, n).with_backward();
  }
  Layer layer(on, dtype, kind, sizes);
  const LayerOperations counted = count_operations(on, dtype, layer, lengths);
  EXPECT_EQ(counted.forward.counted, forward);
  EXPECT_EQ(counted.with_backward.counted, with_backward);
}

TEST(LayerCounts, EqualTheClosedFormsToTheDigit) {
  for (const KernelCase& one : kernel_cases()) {
    const auto on = one.backend(2);
    for (const LayerKind kind : all_kinds()) {
      for (const bool causal : {false, true}) {
        const LayerSizes narrow{.d = 8, .d_k = 4, .k = 3, .r = 5, .causal = causal};
        const LayerSizes wide{.d = 48, .d_k = 16, .k = 5, .r = 33, .causal = causal};
        expect_counts_of_formula(*on, one.dtype, kind, narrow, {16});
        expect_counts_of_formula(*on, one.dtype, kind, narrow, {1});
        expect_counts_of_formula(*on, one.dtype, kind, narrow, {2, 2, 2});
        expect_counts_of_formula(*on, one.dtype, kind, wide, {70, 3, 1, 70, 16, 33});  // ragged
      }
    }
  }
}

TEST(LayerCounts, DoNotDependOnTheNumberOfThreads) {
  const auto one = make_backend(Device{}, {.threads = 1}), three = make_backend(Device{}, {.threads = 3});
  const LayerSizes sizes{.d = 48, .d_k = 16, .r = 33};
  const Lengths lengths{70, 3, 130};
  for (const LayerKind kind : all_kinds()) {
    Layer on_one(*one, DType::kFloat32, kind, sizes), on_three(*three, DType::kFloat32, kind, sizes);
    EXPECT_EQ(count_operations(*one, DType::kFloat32, on_one, lengths).with_backward.executed,
              count_operations(*three, DType::kFloat32, on_three, lengths).with_backward.executed);
  }
}

TEST(ClosedForm, WorkedExamples) {
  const LayerSizes sizes{.d = 512, .d_k = 64, .k = 3, .r = 5};
  const auto forward = [&](LayerKind kind) { return closed_form(kind, sizes, 10).forward(); };
  EXPECT_EQ(forward(LayerKind::kSelf), 102'400);
  EXPECT_EQ(forward(LayerKind::kProjections), 102'400 + 10'485'760);
  // 10 positions see 3, 4, 5, 5, 5, 5, 5, 5, 4 and 3 keys.
  EXPECT_EQ(forward(LayerKind::kRestricted), 44 * 2 * 512);
  EXPECT_EQ(forward(LayerKind::kRecurrent), 5'242'880);
  EXPECT_EQ(forward(LayerKind::kLstm), 20'971'520);
  EXPECT_EQ(forward(LayerKind::kConvolution), 7'864'320);
  EXPECT_EQ(forward(LayerKind::kDilated), 7'864'320);
  EXPECT_EQ(forward(LayerKind::kSeparable), 15'360 + 2'621'440);
  const LayerSizes causal{.d = 512, .d_k = 64, .r = 3, .causal = true};
  EXPECT_EQ(closed_form(LayerKind::kSelf, causal, 10).forward(), 55 * 2 * 512);
  EXPECT_EQ(closed_form(LayerKind::kRestricted, causal, 10).forward(), (1 + 2 + 8 * 3) * 2 * 512);
}

// Section 4: self-attention layers are faster than recurrent ones when n is smaller than d.
TEST(ClosedForm, SelfAttentionAndRecurrenceCostTheSameWhereNIsD) {
  const LayerSizes sizes{.d = 256};
  const auto cost = [&](LayerKind kind, std::int64_t n) { return closed_form(kind, sizes, n).forward(); };
  EXPECT_EQ(cost(LayerKind::kSelf, 256), cost(LayerKind::kRecurrent, 256));
  EXPECT_LT(cost(LayerKind::kSelf, 255), cost(LayerKind::kRecurrent, 255));
  EXPECT_EQ(cost(LayerKind::kProjections, 512), cost(LayerKind::kLstm, 512));
}

// What path_gradient() follows is what the layer computes.
TEST(RecurrentStep, AsManyStepsAsPositionsGiveTheStatesOfTheLayer) {
  const auto on = make_backend(Device{}, {.threads = 1});
  for (const LayerKind kind : {LayerKind::kRecurrent, LayerKind::kLstm}) {
    const Layer layer(*on, DType::kFloat64, kind, {.d = 8});
    const std::int64_t lengths[] = {5, 3};
    const Batch batch = make_batch(*on, lengths);
    const Tensor x(*on, make_array(*on, {8, 8}, DType::kFloat64, random_values(64, 1)));
    const Tensor zeros(*on, make_array(*on, {8, 8}, DType::kFloat64, Doubles(64, 0.0)));
    nn::CellState states{zeros, kind == LayerKind::kLstm ? zeros : Tensor()};
    for (int t = 0; t < 5; ++t) states = layer.step(x, batch, states);
    expect_near(values_of(*on, states.h.array()), values_of(*on, layer(x, batch).array()), 1e-12);
  }
}

}  // namespace
}  // namespace dragoman::study
