// Token embeddings, from a plain or a packed embedding matrix.
#pragma once

#include "dragoman/nn/parameters.h"
#include "dragoman/ops/embed.h"

namespace dragoman::nn {

// Row r is dropout(scale * E[token r] + P[position of r]); P may be absent. Packed weights are for inference, so
// dropout does not apply to them.
inline Tensor embed(Backend& on, const Tokens& tokens, const Parameter& E, const Tensor& P, double scale,
                    const Dropout& dropout = {}) {
  if (E.packed()) return ops::embed(on, tokens, E.packed(), P, scale);
  return ops::embed(on, tokens, E.tensor(), P, scale, dropout);
}

}  // namespace dragoman::nn
