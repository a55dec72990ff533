// A Pass holds what varies from one call of a model to the next: training or inference, the random stream, an observer,
// and heads to switch off.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dragoman/array/segments.h"
#include "dragoman/autograd/tensor.h"
#include "dragoman/backend/backend.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/nn/observer.h"
#include "dragoman/nn/sites.h"

namespace dragoman::nn {

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
  double source_weight = 1;  // the same for losses that are means over the source tokens of the update
  std::vector<Tensor> losses = {};
  // What a model does when the loss of every target token is known, before backward: nll [R] is the cross-entropy of
  // each row of the batch.
  std::function<void(const Array& nll)> after_loss = {};
};

struct Pass {
  Backend& on;
  bool training = false;
  // Whether batch normalisation uses the statistics of the batch, as in training, although this is none; the running
  // values stay as they are.
  bool batch_statistics = false;
  std::uint64_t seed = 0;
  std::uint32_t update = 0;                  // number of the update; every update has its own dropout masks
  Observer* observer = nullptr;              // optional
  std::span<const HeadsOff> heads_off = {};  // must be empty in training
  OwnLosses* own_losses = nullptr;           // where a model puts its additional losses; optional
  std::uint32_t call_site = 0;               // counts the calls of dropout(), so that each has masks of its own
  // For a model that runs the same layers several times: how many layers have run before them. Observers, `heads_off`
  // and the decoder's state know layer l of the current run as layer depth + l.
  int depth = 0;

  // The dropout of the next call site; off outside training.
  Dropout dropout(double P_drop) {
    const std::uint32_t site = call_site++;
    return training && P_drop > 0 ? Dropout::with(P_drop, seed, update, site) : Dropout();
  }
};

}  // namespace dragoman::nn
