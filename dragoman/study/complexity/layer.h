// The layers that Table 1 of the paper compares, each as one layer of width d over a batch of sentences, and what the
// table says about them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/autograd/record.h"
#include "dragoman/data/time_rows.h"
#include "dragoman/nn/attention.h"
#include "dragoman/nn/recurrent_layer.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::study {

enum class LayerKind : std::uint8_t {
  kSelf,         // the core of self-attention, Q K^T and the weighted sum of V, without projections
  kProjections,  // self-attention with W_Q, W_K, W_V and W_O
  kRestricted,   // the core, within a window of r positions
  kRecurrent,    // h_t = tanh(x_t W + h_(t-1) U + b)
  kLstm,
  kConvolution,  // k neighbouring positions
  kDilated,      // k positions that lie k^l apart in layer l of a stack; looks back only
  kSeparable,    // a convolution of each column by itself, then a product at each position
};
constexpr std::array<std::string_view, 8> names(LayerKind) {
  return {"self", "self+projections", "restricted", "recurrent", "lstm", "convolution", "dilated", "separable"};
}
constexpr bool is_recurrent(LayerKind kind) { return kind == LayerKind::kRecurrent || kind == LayerKind::kLstm; }
constexpr bool is_core(LayerKind kind) { return kind == LayerKind::kSelf || kind == LayerKind::kRestricted; }

struct LayerSizes {
  std::int64_t d = 512;   // width of the layer
  std::int64_t d_k = 64;  // width of a head, which divides d
  std::int64_t k = 3;     // taps of a convolution; odd
  std::int64_t r = 65;    // positions of the window of restricted self-attention; odd
  bool causal = false;    // no position sees a later one; the layers that look back only do so anyway

  Mask mask(LayerKind kind) const;
  // Of a convolution that is number `depth`, from 0, in a stack.
  Taps taps(LayerKind kind, std::int64_t depth) const;
};

// The multiply-adds of one sentence of n positions by the formulas of Table 1, exact to the last position: the ends of
// windows are left out, and the taps beyond the ends of the sentence are counted, because they multiply zeros.
struct ClosedForm {
  std::int64_t core = 0;      // of the core of attention
  std::int64_t products = 0;  // of everything else

  std::int64_t forward() const { return core + products; }
  // Backward computes the weights again and three gradients from two matrices, instead of two products; and two
  // gradients for each of the other products.
  std::int64_t with_backward() const { return core / 2 * 7 + products * 3; }
};
ClosedForm closed_form(LayerKind kind, const LayerSizes& sizes, std::int64_t n);
// The same as text, such as "2 n² d".
std::string formula(LayerKind kind, const LayerSizes& sizes);

// The sentences that a layer reads. Its memory comes from the backend's arenas.
struct Batch {
  Segments segments;
  data::TimeRows rows;
};
Batch make_batch(Backend& on, std::span<const std::int64_t> lengths);

// One layer with random weights.
class Layer {
 public:
  Layer(Backend& on, DType dtype, LayerKind kind, const LayerSizes& sizes);
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  LayerKind kind() const { return parts_.kind; }
  const LayerSizes& sizes() const { return parts_.sizes; }
  // The number of columns of the input. The core of attention has Q, K and V side by side.
  std::int64_t input_width() const { return is_core(kind()) ? 3 * sizes().d : sizes().d; }

  // [R, d] for x [R, input_width()] or, in the core of attention, also [R, d], which is then Q, K and V at once.
  // `depth` counts the layers below it in a stack.
  Tensor operator()(const Tensor& x, const Batch& batch, std::int64_t depth = 0) const;
  // One step of a recurrent layer at all positions at once: position p starts from the state of position p - 1 in
  // `states`, or from zeros at the beginning of the sentence. After n steps from zeros the states are the layer's.
  nn::CellState step(const Tensor& x, const Batch& batch, const nn::CellState& states) const;

  // Call before a recording: the next gradients of the weights overwrite the old ones.
  void begin_update() { block_.begin_update(); }

 private:
  struct Parts {
    LayerKind kind;
    LayerSizes sizes;
    nn::SelfAttention attention;
    nn::RecurrentLayer recurrent;
    nn::Linear product;           // of a convolution
    params::Parameter depthwise;  // [k, d]

    Parts(LayerKind kind_, const LayerSizes& sizes_);
    void parameters(params::ParameterVisitor& visit);
  };

  Backend& on_;
  Parts parts_;
  params::ParameterBlock block_;
};

}  // namespace dragoman::study
