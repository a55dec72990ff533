// A Pass holds what varies from one call of a model to the next: training or inference, the random stream, an observer,
// and heads to switch off.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/array/segments.h"
#include "dragoman/autograd/tensor.h"
#include "dragoman/backend/backend.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/nn/sites.h"

namespace dragoman::nn {

// Receives the attention weights that the kernels computed. An observer never changes the results. Sites and layers
// are counted from 0.
class Observer {
 public:
  virtual ~Observer() = default;
  // Weights of whole sentences: [h, n_q, n_k] for each sentence of `reach`, one after the other.
  virtual void see(int site, int layer, const Array& weights, const Reach& reach) = 0;
  // The projections that the weights were computed from, [rows, h d_k] each, with the heads side by side. Called after
  // see().
  virtual void see_projections(int /*site*/, int /*layer*/, const Array& /*Q*/, const Array& /*K*/) {}
  // Weights of a decoding step: [rows, h, keys]; a row with fewer keys has zeros after its last.
  virtual void see_step(int /*site*/, int /*layer*/, const Array& /*weights*/) {}
  // Whether see_state() is to be called; a model may have to compute the states for it.
  virtual bool wants_states() const { return false; }
  // The output of a stack of layers as it would be if this layer were the last: [rows, width]. `side` says whether the
  // stack reads the source or the target. The memory of the array is reused after the call.
  virtual void see_state(Side /*side*/, int /*layer*/, const Array& /*state*/) {}
};

// Rows [first, first + rows) of a pass, and the heads that are switched off for them: the output of these heads is
// replaced by zeros before the product with W^O.
struct HeadsOff {
  std::int64_t first = 0, rows = 0;
  std::span<const Head> heads;
};

// Additional losses of a model, which are added to the training objective. They are scalars on the tape, in the order
// of the model's list of their names.
struct OwnLosses {
  // 1 / (number of items, such as target tokens, in the whole update). A loss is its sum over the batch times this
  // weight, so that all batches of the update together make a mean over the items.
  double weight = 1;
  std::vector<Tensor> losses = {};
};

struct Pass {
  Backend& on;
  bool training = false;
  std::uint64_t seed = 0;
  std::uint32_t update = 0;                  // number of the update; every update has its own dropout masks
  Observer* observer = nullptr;              // optional
  std::span<const HeadsOff> heads_off = {};  // must be empty in training
  OwnLosses* own_losses = nullptr;           // where a model puts its additional losses; optional
  std::uint32_t call_site = 0;               // counts the calls of dropout(), so that each has masks of its own

  // The dropout of the next call site; off outside training.
  Dropout dropout(double P_drop) {
    const std::uint32_t site = call_site++;
    return training && P_drop > 0 ? Dropout::with(P_drop, seed, update, site) : Dropout();
  }
};

}  // namespace dragoman::nn
