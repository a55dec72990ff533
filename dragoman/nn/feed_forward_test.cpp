#include "dragoman/nn/feed_forward.h"

#include <gtest/gtest.h>

#include "dragoman/base/fields.h"
#include "dragoman/nn/layer_testing.h"
#include "dragoman/ops/arithmetic.h"

namespace dragoman::nn {
namespace {

// A layer with one input and one hidden unit computes f(x). The values at -1 and 2 are those of PyTorch's F.silu,
// F.gelu and F.gelu(approximate="tanh"), and of x sigmoid(1.702 x).
TEST(FeedForward, ActivationsHaveTheValuesOfPyTorch) {
  const auto on = make_backend(Device{}, {.threads = 1});
  const auto expect = [&](HiddenActivation activation, double at_minus_one, double at_two) {
    Bound<FeedForward> bound(*on, 1, 1, 0.0, SubLayer{}, activation);
    bound.set("W_1", {1});
    bound.set("W_2", {1});
    Pass pass{.on = *on};
    const Tensor x(*on, make_array(*on, {2, 1}, DType::kFloat64, {-1, 2}));
    const Doubles y = values_of(*on, bound.layer(x, make_segments(*on, {2}), pass).array());
    EXPECT_NEAR(y[0], at_minus_one, 5.1e-7) << to_string(activation);
    EXPECT_NEAR(y[1], at_two, 5.1e-7) << to_string(activation);
  };
  expect(HiddenActivation::kRelu, 0, 2);
  expect(HiddenActivation::kSilu, -0.268941, 1.761594);
  expect(HiddenActivation::kGelu, -0.158655, 1.954500);
  expect(HiddenActivation::kGeluTanh, -0.158808, 1.954598);
  expect(HiddenActivation::kGeluSigmoid, -0.154204, 1.935659);
}

// The output of a layer for three tokens.
Doubles applied(Backend& on, const FeedForward& layer, bool training = false) {
  const ArenaScope scratch(on.arena());
  const Array x = make_array(on, {3, 16}, DType::kFloat32, random_values(48, 9));
  Pass pass{.on = on, .training = training};
  return values_of(on, layer(Tensor(on, x), make_segments(on, {3}), pass).array());
}

TEST(FeedForward, PackedWeightsComputeTheSameWithEveryActivation) {
  const auto on = make_backend(Device{}, {.threads = 1});
  for (const HiddenActivation activation : {HiddenActivation::kRelu, HiddenActivation::kSilu, HiddenActivation::kGelu,
                                            HiddenActivation::kGeluTanh, HiddenActivation::kGeluSigmoid}) {
    const auto make = [&] { return FeedForward(16, 24, 0, {}, activation); };
    FeedForward plain = make(), packed = make(), rounded = make();
    params::ParameterBlock plain_block(*on, DType::kFloat32, plain, params::Purpose::kInference),
        packed_block(*on, WeightForm::kFloat32, packed), rounded_block(*on, WeightForm::kInt8, rounded);
    for (params::ParameterBlock* block : {&plain_block, &packed_block, &rounded_block}) block->initialise(3);
    EXPECT_EQ(applied(*on, packed), applied(*on, plain)) << to_string(activation);
    expect_near(applied(*on, rounded), applied(*on, plain), 0.05);
    EXPECT_NE(applied(*on, rounded), applied(*on, plain)) << to_string(activation);
  }
}

TEST(FeedForward, DropoutFollowsEveryActivation) {
  const auto on = make_backend(Device{}, {.threads = 1});
  for (const HiddenActivation activation : {HiddenActivation::kRelu, HiddenActivation::kGelu}) {
    FeedForward layer(16, 24, 0.5, {}, activation);
    params::ParameterBlock block(*on, DType::kFloat32, layer, params::Purpose::kInference);
    block.initialise(3);
    EXPECT_NE(applied(*on, layer, true), applied(*on, layer, false)) << to_string(activation);
  }
}

}  // namespace
}  // namespace dragoman::nn
