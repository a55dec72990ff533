// What varies from one call of a model to the next: training or inference, the random stream, and who looks on.
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

// Receives attention weights as the kernel wrote them. Looking never changes what is computed.
class Observer {
 public:
  virtual ~Observer() = default;
  // Of a whole sentence: `weights` holds, for each sentence of `reach` in turn, [h, n_q, n_k]. Sites and layers are
  // counted from 0.
  virtual void see(int site, int layer, const Array& weights, const Reach& reach) = 0;
  // The projections that they were made from, [rows, h d_k] each, the heads side by side; called after the weights.
  virtual void see_projections(int /*site*/, int /*layer*/, const Array& /*Q*/, const Array& /*K*/) {}
  // Of a decoding step: [rows, h, keys], where a row's keys beyond those that it has are 0.
  virtual void see_step(int /*site*/, int /*layer*/, const Array& /*weights*/) {}
};

// Rows of a pass for which some heads are switched off: they give zeros to W^O.
struct HeadsOff {
  std::int64_t first = 0, rows = 0;
  std::span<const Head> heads;
};

// Losses that a model adds to the objective's: recorded numbers, in the order in which it names them.
struct OwnLosses {
  double weight = 1;  // one over the items that losses are means over, in the whole update
  std::vector<Tensor> losses = {};
};

struct Pass {
  Backend& on;
  bool training = false;
  std::uint64_t seed = 0;
  std::uint32_t update = 0;  // dropout masks differ from update to update
  Observer* observer = nullptr;
  std::span<const HeadsOff> heads_off = {};  // outside training only
  OwnLosses* own_losses = nullptr;           // where a model puts its own losses; optional
  std::uint32_t call_site = 0;  // counts the places that drop, in the order in which the model comes to them

  // The dropout of the next call site; none outside training.
  Dropout dropout(double P_drop) {
    const std::uint32_t site = call_site++;
    return training && P_drop > 0 ? Dropout::with(P_drop, seed, update, site) : Dropout();
  }
};

}  // namespace dragoman::nn
