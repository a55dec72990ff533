// Recurrence in depth: a stack runs its one layer several times. Each step adds the coordinates of the tokens, their
// position and the number of the step; with adaptive computation time each token decides when to stop.
#pragma once

#include <functional>

#include "dragoman/model/transformer/stack.h"
#include "dragoman/model/universal/config.h"
#include "dragoman/nn/positions.h"

namespace dragoman::model::universal {

// Where the tokens of a pass are: int32 [R], with numbers below `bound`.
struct Places {
  Array position;
  std::int64_t bound = 1;
};

struct Depth {
  nn::Side side;
  UniversalConfig config;
  params::Parameter S;     // [T, d_model]: the learned signals; optional
  params::Parameter w, b;  // [d_model, 1] and [1]: the halting unit; optional

  Depth(const UniversalConfig& config_, nn::Side side_);

  // A layer with its residual connections.
  using Layer = std::function<transformer::StackOutput(const Tensor& x)>;
  // What is computed. kSentences: the memory of a step is freed before the next one, unless a backward pass needs it,
  // and the run ends when all tokens have halted, unless an observer looks on. kNextTokens: a decoding step, which runs
  // every step of depth, because later tokens read the keys and values of each.
  enum class Extent : std::uint8_t { kSentences, kNextTokens };

  // From embedded tokens H^0 to the output. Step t = 1 ... T computes H^t = layer(H^(t-1) + P^t), where P^t[i] is the
  // sinusoid of position i plus the signal of step t. The output is that of the last step or, with adaptive computation
  // time, the mean of all H^t with weights that each token chooses. `ln` is applied to this mean if it is not null.
  // `sinusoids` makes the position table.
  Tensor run(const Tensor& embedded, const Places& places, nn::SinusoidTable& sinusoids, const nn::LayerNorm* ln,
             Extent extent, nn::Pass& pass, const Layer& layer) const;

  void parameters(params::ParameterVisitor& visit);
};

}  // namespace dragoman::model::universal
