// Position-wise feed-forward network (Section 3.3 of the paper).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dragoman/array/segments.h"
#include "dragoman/nn/linear.h"
#include "dragoman/nn/pass.h"

namespace dragoman::nn {

// The function f between the two maps: ReLU, as in the paper, or one of the gated activations of backend/elementwise.h.
enum class HiddenActivation : std::uint8_t { kRelu, kSilu, kGelu, kGeluTanh, kGeluSigmoid };
constexpr std::array<std::string_view, 5> names(HiddenActivation) {
  return {"relu", "silu", "gelu", "gelu-tanh", "gelu-sigmoid"};
}

struct FeedForward {
  Linear inner, outer;  // W_1 [d_model, d_ff], W_2 [d_ff, d_model]
  HiddenActivation activation = HiddenActivation::kRelu;
  double P_drop = 0;  // dropout after the activation; the paper has none
  SubLayer where;     // in the model, for observers

  FeedForward() = default;
  FeedForward(std::int64_t d_model, std::int64_t d_ff, double P_drop_, const SubLayer& where_ = {},
              HiddenActivation activation_ = HiddenActivation::kRelu);

  // Equation (2):  FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, for each position separately; with another activation f,
  // FFN(x) = f(x W_1 + b_1) W_2 + b_2.
  Tensor operator()(const Tensor& x, const Segments& segments, Pass& pass) const;

  void parameters(ParameterVisitor& visit);

 private:
  Tensor hidden(const Tensor& x, const Segments& segments, Pass& pass) const;
};

}  // namespace dragoman::nn
