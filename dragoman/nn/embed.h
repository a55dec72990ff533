// Embeddings of tokens, whatever form the vocabulary's memory has.
#pragma once

#include "dragoman/nn/parameters.h"
#include "dragoman/ops/embed.h"

namespace dragoman::nn {

// Row r is `scale` times E's row of token r, plus P's row of its position (P may be missing), with elements dropped.
// There is no dropout with packed weights: they are for inference.
inline Tensor embed(Backend& on, const Tokens& tokens, const Parameter& E, const Tensor& P, double scale,
                    const Dropout& dropout = {}) {
  if (E.packed()) return ops::embed(on, tokens, E.packed(), P, scale);
  return ops::embed(on, tokens, E.tensor(), P, scale, dropout);
}

}  // namespace dragoman::nn
