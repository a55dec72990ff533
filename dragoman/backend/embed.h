// The contract of the embedding lookup kernels.
#pragma once

#include "dragoman/array/array.h"
#include "dragoman/array/tokens.h"
#include "dragoman/backend/dropout.h"
#include "dragoman/backend/sink.h"

namespace dragoman {

class EmbedKernels {
 public:
  virtual ~EmbedKernels() = default;

  // y[r] = dropout(scale E[ids[r]] + P[position of r]) for E [V, d]. P is [positions, d], or absent. Id 0 (PAD) gives a
  // zero vector in place of E[0].
  void embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
             const Dropout& dropout, Array& y) const;
  // `index` lists the rows of each token of the batch, so that dE is summed in a fixed order.
  void embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                      const Dropout& dropout, Sink dE, Sink dP) const;

 private:
  virtual void do_embed(const Array& ids, const Segments& segments, const Array& E, const Array& P, double scale,
                        const Dropout& dropout, Array& y) const = 0;
  virtual void do_embed_backward(const Array& dy, const TokenRows& index, const Segments& segments, double scale,
                                 const Dropout& dropout, Sink dE, Sink dP) const = 0;
};

}  // namespace dragoman
